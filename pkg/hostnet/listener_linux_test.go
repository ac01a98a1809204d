// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostnet

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListenerNamesTheProcess(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(listener.Addr().(*net.TCPAddr).Port)
	if have, want := Listener(port), "process "+strconv.Itoa(os.Getpid())+" ("; !strings.HasPrefix(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if have := Listener(port); strings.Contains(have, strconv.Itoa(os.Getpid())) {
		t.Errorf("%q after it was closed", have)
	}
}

func TestListeningSockets(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1389 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0 0 10 0
   1: 0100007F:1389 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 222 1 0 100 0 0 10 0
   2: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 333 1 0 100 0 0 10 0
   3: short
`
	if diff := cmp.Diff([]string{"111"}, listeningSockets(strings.NewReader(table), 5001)); diff != "" {
		t.Errorf("only what listens on the port: %s", diff)
	}
}
