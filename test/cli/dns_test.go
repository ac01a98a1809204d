// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net"
	"net/netip"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/internal/stubapi"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

// serverHere is where scripts have a DNS server on this machine. Linux has all of 127.0.0.0/8 on its loopback interface.
const serverHere = "127.18.255.53:53"

// coreDNS changes what CoreDNS answers for the DNS server's name: coredns 192.0.2.1, or coredns none.
func coreDNS(ts *testscript.TestScript, _ bool, args []string) {
	address, _ := netip.ParseAddr(args[0])
	ts.Value(apiKey).(*stubapi.Server).SetDNSServer(address)
}

// corefile replaces CoreDNS's configuration with a file, or with the word save writes it to one: corefile FILE [save].
func corefile(ts *testscript.TestScript, _ bool, args []string) {
	api := ts.Value(apiKey).(*stubapi.Server)
	if len(args) > 1 {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(api.Corefile()), 0o600))
		return
	}
	api.SetCorefile(ts.ReadFile(args[0]))
}

// engineHere lets the engine's host be this machine; what it is told of its resolver is below the folder: engine-here FOLDER.
func engineHere(ts *testscript.TestScript, _ bool, args []string) {
	name, err := os.Hostname()
	ts.Check(err)
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) { state.Name = name }))
	ts.Setenv("KINDLING_HOST_ROOT", ts.MkAbs(args[0]))
}

// dnsHere is the DNS server of a script.
type dnsHere struct{ listener net.Listener }

func (d *dnsHere) stop() {
	if d.listener != nil {
		_ = d.listener.Close()
	}
}

// serveDNS answers on this machine, as the DNS server's published port would, with an address for every name: serve-dns 192.0.2.1. With the
// word stop it does so no more.
func serveDNS(ts *testscript.TestScript, _ bool, args []string) {
	here := ts.Value(dnsKey).(*dnsHere)
	here.stop()
	if args[0] == "stop" {
		return
	}
	address := netip.MustParseAddr(args[0])
	listener, err := net.Listen("tcp", serverHere)
	ts.Check(err)
	here.listener = listener
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			stubapi.AnswerDNS(connection, func(string) netip.Addr { return address })
			_ = connection.Close()
		}
	}()
}

// canServeDNS says whether a program of this user's may have port 53 of an address that Linux has on its loopback interface.
func canServeDNS() bool {
	listener, err := net.Listen("tcp", serverHere)
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
