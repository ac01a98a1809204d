// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/redact"
)

func TestText(t *testing.T) {
	t.Parallel()
	const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
	for name, test := range map[string]struct{ text, want string }{
		"a private key goes":                     {"a\n" + key + "\nb", "a\nREMOVED\nb"},
		"a private key that is cut off goes":     {"a\n-----BEGIN PRIVATE KEY-----\nMIIE", "a\nREMOVED"},
		"the rest of a private key goes":         {"MIIE\n-----END PRIVATE KEY-----\nb", "REMOVED\nb"},
		"a certificate stays":                    {"-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"},
		"a JSON web token goes":                  {"with eyJhbGciOi.eyJpc3Mi.c2ln now", "with REMOVED now"},
		"a bearer token goes":                    {"curl -H 'X: Bearer abc.def'", "curl -H 'X: Bearer REMOVED'"},
		"an authorization header goes":           {"Authorization: Basic dTpw\nb", "Authorization: REMOVED\nb"},
		"a field of YAML goes":                   {"token: abc\nb: c", "token: REMOVED\nb: c"},
		"a block of YAML goes":                   {"password: |\n  abc\n  def\nb: c", "password: REMOVED\nb: c"},
		"a field of JSON goes":                   {`{"auth": "dTpw", "b": "c"}`, `{"auth": "REMOVED", "b": "c"}`},
		"a field of JSON in JSON goes":           {`{"x": "{\"password\":\"a b\",\"y\":1}"}`, `{"x": "{\"password\":\"REMOVED\",\"y\":1}"}`},
		"a variable goes":                        {`"REGISTRY_PASSWORD=abc"`, `"REGISTRY_PASSWORD=REMOVED"`},
		"a variable of a pod goes":               {"\"name\": \"DB_PASSWORD\",\n\"value\": \"abc\"", "\"name\": \"DB_PASSWORD\",\n\"value\": \"REMOVED\""},
		"a flag goes":                            {"kubeadm join --token abc host", "kubeadm join --token REMOVED host"},
		"client-key-data goes":                   {"client-key-data: TUlJRQ==", "client-key-data: REMOVED"},
		"a user and password in a URL go":        {"http://u:p@proxy:3128/", "http://REMOVED@proxy:3128/"},
		"a password with a slash and an at goes": {"http://u:p/@w@proxy:3128/", "http://REMOVED@proxy:3128/"},
		"the digest of an image stays":           {"docker://localhost:5001/a@sha256:ab", "docker://localhost:5001/a@sha256:ab"},
		"a bootstrap token goes":                 {"join abcdef.0123456789abcdef", "join REMOVED"},
		"the name of a Secret stays":             {`"secretName": "ca"`, `"secretName": "ca"`},
		"a variable of a pod in YAML goes":       {"- name: DB_PASSWORD\n  value: abc\n- name: b", "- name: DB_PASSWORD\n  value: REMOVED\n- name: b"},
		"a flag and its value in a list go":      {"[\n \"x\",\n \"--token\",\n \"abc\"\n]", "[\n \"x\",\n \"--token\",\n \"REMOVED\"\n]"},
		"what follows a block stays":             {"token: |\n  abc\n\tdef\nb:\n  c: d", "token: REMOVED\nb:\n  c: d"},
		"the name of an Event stays":             {"event/calico-x2b4dz.188a7d1f0c3b2a19", "event/calico-x2b4dz.188a7d1f0c3b2a19"},
		"a switch stays":                         {`"automountServiceAccountToken": false`, `"automountServiceAccountToken": false`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, redact.New().Text(test.text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// BenchmarkText is of lines as nodes write them, one in a hundred with a secret.
func BenchmarkText(b *testing.B) {
	const line = `2026-01-02T03:04:05.678901234Z stderr F I0102 03:04:05.678901 1 controller.go:123] "Synced" pod="kube-system/coredns-5d78c9869d-x2b4d" took="1.2ms"` + "\n"
	text := strings.Repeat(strings.Repeat(line, 99)+"Authorization: Bearer abc\n", 70)
	redactor := redact.New()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redactor.Text(text)
	}
}

// FuzzText puts secrets between any other texts: none of them may hide one.
func FuzzText(f *testing.F) {
	const secret = "Zx9Secr3tQw"
	forms := []string{
		"password=" + secret, "token: " + secret, `"auth": "` + secret + `"`, "Authorization: Basic " + secret, "--token " + secret,
		"https://user:" + secret + "@host", "Bearer " + secret, "eyJa." + secret + ".b", "password: |\n  " + secret,
		"-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----",
	}
	redactor := redact.New()
	f.Add("", "")
	f.Add(`"name":"token","value":`, `"`)
	f.Add("password: '", "@")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, form := range forms {
			text := redactor.Text(before + "\n" + form + "\n" + after)
			if strings.Contains(text, secret) && !strings.Contains(before+after, secret) {
				t.Errorf("%q is left in %q", form, text)
			}
		}
	})
}
