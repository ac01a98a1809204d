// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/clock"
)

func TestACertificateOfTomorrowIsAboutClocks(t *testing.T) {
	t.Parallel()
	server, certificate := testutil.ServerOfTomorrow(t)
	config := api.NewConfig()
	config.Clusters["c"] = &api.Cluster{Server: server.URL, CertificateAuthorityData: certificate}
	config.Contexts["c"] = &api.Context{Cluster: "c"}
	config.CurrentContext = "c"
	data, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(data)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.ServerVersion(t.Context())
	if _, ok := errors.AsType[*clock.Error](err); !ok {
		t.Errorf("asking for the version: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err = Wait(ctx, []Condition{client.Answers()}, nil)
	if _, ok := errors.AsType[*TimeoutError](err); !ok || !strings.Contains(err.Error(), "Compare the clocks") {
		t.Errorf("waiting: %v", err)
	}
}
