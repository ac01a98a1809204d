// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package runtimeshim

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func keepAllButResource(name string) bool { return name != "CAP_SYS_RESOURCE" }

func TestRewriteSpec(t *testing.T) {
	tests := []struct {
		name string
		spec string
		want string
	}{
		{
			name: "drops the name from every set",
			spec: `{"process":{"capabilities":{"bounding":["CAP_SYS_RESOURCE","CAP_CHOWN"],"ambient":["CAP_SYS_RESOURCE"]}}}`,
			want: `{"process":{"capabilities":{"bounding":["CAP_CHOWN"],"ambient":[]}}}`,
		},
		{
			name: "keeps fields it does not know, and their exact numbers",
			spec: `{"ociVersion":"1.0","linux":{"limit":9223372036854775807},"process":{"new":[1,{"a":null}],"capabilities":{"bounding":["CAP_CHOWN"]}}}`,
			want: `{"ociVersion":"1.0","linux":{"limit":9223372036854775807},"process":{"new":[1,{"a":null}],"capabilities":{"bounding":["CAP_CHOWN"]}}}`,
		},
		{name: "leaves a process without capabilities alone", spec: `{"process":{"cwd":"/"}}`, want: `{"process":{"cwd":"/"}}`},
		{name: "leaves null alone", spec: `{"process":{"capabilities":null}}`, want: `{"process":{"capabilities":null}}`},
		{name: "leaves a file without a process alone", spec: `{"root":{}}`, want: `{"root":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := RewriteSpec([]byte(test.spec), keepAllButResource)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fields(t, []byte(test.want)), fields(t, got)); diff != "" {
				t.Errorf("specification differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRewriteRefuses(t *testing.T) {
	tests := []struct {
		name    string
		process string
	}{
		{name: "refuses what is not an object", process: `["CAP_CHOWN"]`},
		{name: "refuses a text that ends early", process: `{"capabilities":`},
		{name: "refuses capabilities that are not sets of names", process: `{"capabilities":["CAP_CHOWN"]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := RewriteProcess([]byte(test.process), keepAllButResource); err == nil {
				t.Errorf("accepted, result %s", got)
			}
		})
	}
}

func FuzzRewriteProcess(f *testing.F) {
	f.Add([]byte(`{"capabilities":{"bounding":["CAP_SYS_RESOURCE"]},"args":["x"]}`))
	f.Fuzz(func(t *testing.T, process []byte) {
		once, err := RewriteProcess(process, keepAllButResource)
		if err != nil {
			return
		}
		twice, err := RewriteProcess(once, keepAllButResource)
		if err != nil {
			t.Fatalf("cannot read the own result %s: %v", once, err)
		}
		if diff := cmp.Diff(fields(t, once), fields(t, twice)); diff != "" {
			t.Errorf("a second pass changes the result:\n%s", diff)
		}
	})
}

// fields makes two JSON texts comparable whatever the order of their keys. It
// goes two levels deep, as the shim does, and keeps the rest as text.
func fields(t *testing.T, object []byte) map[string]string {
	t.Helper()
	flat := map[string]string{}
	flatten(t, "", object, flat)
	return flat
}

func flatten(t *testing.T, prefix string, object []byte, into map[string]string) {
	t.Helper()
	var level map[string]json.RawMessage
	if err := json.Unmarshal(object, &level); err != nil {
		t.Fatal(err)
	}
	for key, value := range level {
		if len(value) > 0 && value[0] == '{' {
			flatten(t, prefix+key+".", value, into)
			continue
		}
		into[prefix+key] = string(value)
	}
}
