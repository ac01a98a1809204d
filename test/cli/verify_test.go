// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/internal/stubapi"
)

// put stores an object of a file in the API server: put PATH FILE.
func put(ts *testscript.TestScript, _ bool, args []string) {
	var object map[string]any
	ts.Check(yaml.Unmarshal([]byte(ts.ReadFile(args[1])), &object))
	ts.Value(apiKey).(*stubapi.Server).Put(args[0], object)
}

// object holds that an object of the API server has a text, or with ! that it has not: object PATH TEXT.
func object(ts *testscript.TestScript, not bool, args []string) {
	data, err := json.Marshal(ts.Value(apiKey).(*stubapi.Server).Object(args[0]))
	ts.Check(err)
	if strings.Contains(string(data), args[1]) == not {
		ts.Fatalf("%s is %s", args[0], data)
	}
}

// apiKubeconfig writes a kubeconfig of the API server: api-kubeconfig FILE.
func apiKubeconfig(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.Value(apiKey).(*stubapi.Server).Kubeconfig()), 0o600))
}

// silentKubeconfig writes a kubeconfig of an API server that takes connections and never answers: silent-kubeconfig FILE.
func silentKubeconfig(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, connection) }()
		}
	}()
	known := ts.Value(apiKey).(*stubapi.Server)
	text := strings.ReplaceAll(known.Kubeconfig(), known.Address(), listener.Addr().String())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
