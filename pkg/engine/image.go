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
	output, err := e.output(ctx, "image", "inspect", reference)
	if outputContains(err, "no such image", "not found", "image not known") {
		return "", &NotFoundError{"image", reference}
	}
	if err != nil {
		return "", err
	}
	var images []struct {
		ID string `json:"Id"`
	}
	if err := json.Unmarshal(output, &images); err != nil {
		return "", fmt.Errorf("reading what the engine says of image %s: %w", reference, err)
	}
	if len(images) == 0 {
		return "", &NotFoundError{"image", reference}
	}
	return images[0].ID, nil
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
