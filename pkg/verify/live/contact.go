// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/exec"

	"github.com/gardener/kindling/pkg/verify"
)

// contact is what came of a connection.
type contact string

const (
	// connected and refused both show that packets get there and back.
	connected contact = "connects"
	refused   contact = "is refused by the pod itself, so packets get there"
	blocked   contact = "does not get there"
)

// got says whether packets got there.
func (c contact) got() bool { return c == connected || c == refused }

// connect tries a TCP connection from a scratch pod. curl is in every node's image, and tells a connection from its further fate.
func (c *control) connect(ctx context.Context, from *unstructured.Unstructured, to netip.Addr) (contact, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	url := "https://" + net.JoinHostPort(to.String(), strconv.Itoa(verify.KubeletPort)) + "/healthz"
	output, err := c.r.Seed.Exec(ctx, from.GetNamespace(), from.GetName(), "control", "curl", "--verbose", "--insecure", "--noproxy", "*",
		"--output", "/dev/null", "--connect-timeout", "5", "--max-time", "8", "--write-out", "%{time_connect}", url)
	return readContact(output, err)
}

// readContact tells what curl's output and exit code say. The time to connect is nought where there was no connection.
func readContact(output []byte, err error) (contact, error) {
	seconds, parseErr := strconv.ParseFloat(strings.TrimSpace(string(output)), 64)
	code, isCode := errors.AsType[exec.CodeExitError](err)
	switch {
	case parseErr != nil && err == nil:
		return "", fmt.Errorf("curl's answer can't be read: %q", output)
	case parseErr == nil && seconds > 0:
		return connected, nil
	case isCode && (code.Code == 126 || code.Code == 127):
		return "", fmt.Errorf("the image has no curl: give one with --control-image: %w", err)
	case isCode && strings.Contains(err.Error(), "Connection refused"):
		return refused, nil
	case isCode && (code.Code == 7 || code.Code == 28):
		return blocked, nil
	case err == nil:
		return "", fmt.Errorf("curl's answer can't be read: %q", output)
	default:
		return "", err
	}
}
