// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/pkg/engine/stubengine"
)

// fakeRegistry is what all published ports lead to: a registry and its port for health and counters in one.
type fakeRegistry struct {
	*httptest.Server
	health atomic.Int64
}

func startRegistry() *fakeRegistry {
	fake := &fakeRegistry{}
	fake.health.Store(http.StatusOK)
	mux := http.NewServeMux()
	mux.HandleFunc("/v2/", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/debug/health", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(fake.health.Load()))
		_, _ = io.WriteString(w, `{"storagedriver":"no such folder"}`)
	})
	mux.HandleFunc("/debug/vars", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"registry":{"proxy":{
			"blobs":{"Requests":5,"Hits":3,"Misses":2,"BytesPulled":2048,"BytesPushed":4096},
			"manifests":{"Requests":2,"Hits":1,"Misses":1,"BytesPulled":100,"BytesPushed":200}}}}`)
	})
	fake.Server = httptest.NewServer(mux)
	return fake
}

// registryHealth makes registries answer with a status: registry-health 503.
func registryHealth(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	ts.Value(registryKey).(*fakeRegistry).health.Store(status)
}

// published lets ports be told where they were asked for; with the word again, where the test listens.
func published(ts *testscript.TestScript, _ bool, args []string) {
	address := ""
	if len(args) > 0 {
		address = ts.Value(registryKey).(*fakeRegistry).Listener.Addr().String()
	}
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) { state.Published = address }))
}
