// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/exec"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	nodes := schema.GroupResource{Resource: "nodes"}
	for name, test := range map[string]struct {
		err  error
		want outcome
	}{
		"no error":                 {nil, reached},
		"the command failed":       {fmt.Errorf("running: %w", exec.CodeExitError{Err: errors.New("x"), Code: 1}), reached},
		"there is no such command": {errors.New("Internal error occurred: error executing command in container: no such file"), reached},
		"the kubelet does not let the API server in":  {apierrors.NewForbidden(nodes, "a", errors.New("Forbidden (user=kube-apiserver, verb=get, resource=nodes)")), reached},
		"the kubelet's certificate is not trusted":    {apierrors.NewInternalError(errors.New("Get \"https://10.0.0.7:10250\": x509: certificate signed by unknown authority")), reached},
		"the API server can't dial":                   {apierrors.NewInternalError(errors.New("error dialing backend: dial tcp: i/o timeout")), unreached},
		"a stream is refused":                         {errors.New("error dialing backend: proxy error from vpn-seed-server:9443"), unreached},
		"the API server has no metrics":               {apierrors.NewServiceUnavailable("the server is currently unable to handle the request"), unreached},
		"no answer in time":                           {fmt.Errorf("no answer: %w", context.DeadlineExceeded), unreached},
		"interrupted":                                 {context.Canceled, undecided},
		"forbidden to the user":                       {apierrors.NewForbidden(nodes, "a", errors.New("cannot get resource nodes/proxy")), undecided},
		"no such API":                                 {apierrors.NewNotFound(nodes, "a"), undecided},
		"the API server can't be connected to":        {errors.New("dial tcp 127.0.0.1:443: connect: connection refused"), undecided},
		"the API server's certificate is not trusted": {errors.New("tls: failed to verify certificate: x509: certificate signed by unknown authority"), undecided},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := classify(test.err); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestReadContact(t *testing.T) {
	t.Parallel()
	code := func(code int, said string) error {
		return fmt.Errorf("running: %w", exec.CodeExitError{Err: errors.New(said), Code: code})
	}
	for name, test := range map[string]struct {
		output string
		err    error
		want   contact
	}{
		"the kubelet answers":                     {"0.000312", nil, connected},
		"connected, and TLS failed":               {"0.000312", code(35, "curl: (35)"), connected},
		"connected, and no answer came":           {"0.000312", code(28, "curl: (28)"), connected},
		"refused":                                 {"0.000000", code(7, "connect to 10.0.0.7 port 10250 failed: Connection refused"), refused},
		"no connection in time":                   {"0.000000", code(28, "curl: (28)"), blocked},
		"no route":                                {"0.000000", code(7, "No route to host"), blocked},
		"there is no curl":                        {"", code(127, "not found"), ""},
		"the command could not be run":            {"", errors.New("error dialing backend"), ""},
		"curl does not know what it was told":     {"", code(2, "curl: option --x: is unknown"), ""},
		"an answer that says nothing":             {"x", nil, ""},
		"no error, and no time to connect either": {"0.000000", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readContact([]byte(test.output), test.err)
			if got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func FuzzReadContact(f *testing.F) {
	f.Add("0.000312", 0)
	f.Add("0.000000", 28)
	f.Add("NaN", 7)
	f.Fuzz(func(t *testing.T, output string, code int) {
		var err error
		if code != 0 {
			err = exec.CodeExitError{Err: errors.New("x"), Code: code}
		}
		if got, err := readContact([]byte(output), err); (got == "") != (err != nil) {
			t.Errorf("%q with error %v", got, err)
		}
	})
}

func FuzzParseJournal(f *testing.F) {
	f.Add([]byte(`{"changes": [{"where": "seed", "kind": "Deployment", "replicas": 1}]}`))
	f.Add([]byte(""))
	f.Add([]byte(`{"changes": [{"annotation": "a", "before": "b"}, {"created": true}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		content, err := parseJournal("journal", data)
		if err != nil {
			return
		}
		for _, one := range content.Changes {
			if one.describe() == "" {
				t.Error("a change without description")
			}
		}
	})
}
