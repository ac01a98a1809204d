// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
)

// maxOutput bounds what is kept of a command's output, in bytes.
const maxOutput = 64 << 20

// Exec runs a command in a container of a running pod, without a shell, and returns what it wrote to standard output, also when it
// failed. The error holds what it wrote to standard error.
func (c *Client) Exec(ctx context.Context, namespace, pod, container string, command ...string) ([]byte, error) {
	if c.config == nil {
		return nil, errors.New("this client runs no commands in pods")
	}
	executor, err := c.executor(namespace, pod, &corev1.PodExecOptions{Container: container, Command: command, Stdout: true, Stderr: true})
	if err != nil {
		return nil, fmt.Errorf("preparing a command in pod %s/%s: %w", namespace, pod, err)
	}
	var stdout, stderr limitedBuffer
	err = executor.StreamWithContext(quiet(ctx), remotecommand.StreamOptions{Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		said := strings.TrimSpace(stderr.String())
		return stdout.Bytes(), fmt.Errorf("running %q in container %s of pod %s/%s: %w",
			strings.Join(command, " "), container, namespace, pod, errors.Join(err, textError(said)))
	}
	return stdout.Bytes(), nil
}

// executor speaks WebSocket, and SPDY with servers that don't.
func (c *Client) executor(namespace, pod string, options *corev1.PodExecOptions) (remotecommand.Executor, error) {
	client, config, err := c.endless()
	if err != nil {
		return nil, err
	}
	url := client.Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("exec").VersionedParams(options, scheme.ParameterCodec).URL()
	websocket, err := remotecommand.NewWebSocketExecutor(config, "GET", url.String())
	if err != nil {
		return nil, err
	}
	spdy, err := remotecommand.NewSPDYExecutor(config, "POST", url)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(websocket, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
}

// limitedBuffer fails when a command writes more than anybody wants to read.
type limitedBuffer struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		return 0, fmt.Errorf("the command writes more than %d MiB", maxOutput>>20)
	}
	return b.Buffer.Write(p)
}

// textError is an error for what a program said, and none when it said nothing.
func textError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
