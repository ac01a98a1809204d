// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// portForwardProtocol is what kubelets speak on connections to ports of pods.
const portForwardProtocol = "portforward.k8s.io"

// WithPort connects to a TCP port in the network of a running pod, by way of API server and kubelet, and calls use with the connection.
// The kubelet's reason goes before the error of use when it could not connect.
func (c *Client) WithPort(ctx context.Context, namespace, pod string, port int, use func(io.ReadWriter) error) error {
	connection, err := c.forwarding(ctx, namespace, pod)
	if err != nil {
		return fmt.Errorf("connecting to port %d of pod %s/%s: %w", port, namespace, pod, err)
	}
	defer func() { _ = connection.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
	defer stop()
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(port))
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	failed, err := connection.CreateStream(headers)
	if err != nil {
		return fmt.Errorf("connecting to port %d of pod %s/%s: %w", port, namespace, pod, err)
	}
	_ = failed.Close() // for writing: nothing is said on it from here
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := connection.CreateStream(headers)
	if err != nil {
		return fmt.Errorf("connecting to port %d of pod %s/%s: %w", port, namespace, pod, err)
	}
	useErr := use(data)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if useErr == nil {
		return nil
	}
	_ = data.Reset()
	said, _ := io.ReadAll(io.LimitReader(failed, 4096))
	return errors.Join(textError(strings.TrimSpace(string(said))), useErr)
}

func (c *Client) forwarding(ctx context.Context, namespace, pod string) (httpstream.Connection, error) {
	if c.config == nil {
		return nil, errors.New("this client forwards no ports")
	}
	client, config, err := c.endless()
	if err != nil {
		return nil, err
	}
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	url := client.Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url.String(), nil)
	if err != nil {
		return nil, err
	}
	connection, _, err := spdy.NegotiateStreaming(upgrader, &http.Client{Transport: transport}, request, portForwardProtocol)
	return connection, err
}
