// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package stubengine is a stand-in for the program docker, for tests: enough of one for kind to make and delete clusters and for
// package engine, with no daemon and no image. Nothing runs in its containers; what they answer is up to the test.
//
// A test package installs it with testscript, which puts it in front of the PATH of scripts and of ordinary tests alike:
//
//	func TestMain(m *testing.M) {
//		testscript.Main(m, map[string]func(){"docker": stubengine.Main})
//	}
//
// Each test then has an engine of its own: a Go test calls Start, a script sets up one with
//
//	testscript.Params{Setup: func(env *testscript.Env) error {
//		stub, err := stubengine.New(filepath.Join(env.WorkDir, "engine"), stubengine.State{})
//		if err != nil {
//			return err
//		}
//		env.Defer(stub.Close)
//		env.Vars = append(env.Vars, stub.Environment()...)
//		return nil
//	}}
//
// # Folder
//
// The engine lives in the folder that $KINDLING_STUB_ENGINE names:
//
//	state.json   everything it has, as a State in JSON; a script may bring its own (-- engine/state.json --)
//	calls.jsonl  one line a call: its arguments as a JSON array, in the order in which the calls began
//	lock         held while a call reads and writes the two
//	hang         the address of the test, to which the calls that hang are connected until it ends
//
// # Answers
//
// An Answer takes the place of what the stub does itself, so it serves to inject failures and to answer for what runs in a container:
//
//	{"call": "network create", "exit": 1, "stderr": "Error response from daemon: Pool overlaps with other one on this address space"}
//	{"call": "run", "exit": 125, "stderr": "docker: Error response from daemon: no space left on device.", "times": 1}
//	{"call": "pull", "hang": true}
//	{"call": "exec crictl images", "stdout": "{\"images\": []}"}
//	{"call": "exec cat /etc/kubernetes/admin.conf", "stdout": "apiVersion: v1\nkind: Config\n…"}
//
// Without an answer a program in a container succeeds and writes nothing, but for those that kind can't do without: see exec.go.
package stubengine
