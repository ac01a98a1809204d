// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// ImageID returns the identity of an image that the engine has; a *NotFoundError when it has not.
func (e *Engine) ImageID(ctx context.Context, reference string) (string, error) {
	image, err := e.inspectImage(ctx, reference)
	return image.ID, err
}

// ImageArchitecture returns what an image of the engine is made for, such as amd64; empty where the engine does not tell, and a
// *NotFoundError when it has no such image.
func (e *Engine) ImageArchitecture(ctx context.Context, reference string) (string, error) {
	image, err := e.inspectImage(ctx, reference)
	return image.Architecture, err
}

type inspectedImage struct {
	ID           string `json:"Id"`
	Architecture string `json:"Architecture"`
}

func (e *Engine) inspectImage(ctx context.Context, reference string) (inspectedImage, error) {
	output, err := e.output(ctx, "image", "inspect", reference)
	if outputContains(err, "no such image", "not found", "image not known") {
		return inspectedImage{}, &NotFoundError{"image", reference}
	}
	if err != nil {
		return inspectedImage{}, err
	}
	var images []inspectedImage
	if err := json.Unmarshal(output, &images); err != nil {
		return inspectedImage{}, fmt.Errorf("reading what the engine says of image %s: %w", reference, err)
	}
	if len(images) == 0 {
		return inspectedImage{}, &NotFoundError{"image", reference}
	}
	return images[0], nil
}

// PullImage pulls an image.
func (e *Engine) PullImage(ctx context.Context, reference string) error {
	_, err := e.output(ctx, "pull", "--quiet", reference)
	return err
}

// platformAPI is the version of Docker's API from which on one platform of an image can be saved. Older engines keep one only.
const platformAPI = "1.48"

// SaveImage writes an image as an archive of one platform, the engine's own: nodes refuse archives that list platforms whose
// layers they lack.
func (e *Engine) SaveImage(ctx context.Context, reference string, w io.Writer) error {
	args := []string{"save"}
	if e.name == Docker {
		output, err := e.output(ctx, "version", "--format", "{{.Server.APIVersion}} {{.Server.Os}}/{{.Server.Arch}}")
		if err != nil {
			return err
		}
		api, platform, _ := strings.Cut(strings.TrimSpace(string(output)), " ")
		if parsed, err := version.ParseGeneric(api); err == nil && parsed.AtLeast(version.MustParseGeneric(platformAPI)) {
			args = append(args, "--platform", platform)
		}
	}
	return e.runner.Run(ctx, Command{Args: append(args, reference), Stdout: w})
}
