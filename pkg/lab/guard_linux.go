// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// tableName is the name of the laboratory's tables of nftables.
const tableName = "kindling-lab"

// addGuard forbids, on the node of a machine, what the guard of kindling forbids in a cluster: connections of seed pods to the
// machine's kubelet. Packets of connections that are there pass, as with Calico.
func addGuard(machine box, seedPods netip.Prefix) error {
	guard := &nftables.Chain{
		Name: "guard", Type: nftables.ChainTypeFilter, Hooknum: nftables.ChainHookForward, Priority: nftables.ChainPriorityFilter,
	}
	drop := []expr.Any{&expr.Verdict{Kind: expr.VerdictDrop}}
	return addRule(guard, outputInterface(hostSide(machine.name)), newConnection(), sourceIn(seedPods), tcpTo(kubeletPort), drop)
}

// addMasquerade hides addresses behind the address of an interface when packets leave by it.
func addMasquerade(source netip.Prefix, device string) error {
	masquerade := &nftables.Chain{
		Name: "masquerade", Type: nftables.ChainTypeNAT, Hooknum: nftables.ChainHookPostrouting, Priority: nftables.ChainPriorityNATSource,
	}
	return addRule(masquerade, outputInterface(device), sourceIn(source), []expr.Any{&expr.Masq{}})
}

// addService sends connections to the address of a Service to the one pod behind it, as kube-proxy does.
func addService(service, pod netip.AddrPort) error {
	services := &nftables.Chain{
		Name: "services", Type: nftables.ChainTypeNAT, Hooknum: nftables.ChainHookPrerouting, Priority: nftables.ChainPriorityNATDest,
	}
	translate := []expr.Any{
		&expr.Immediate{Register: 1, Data: pod.Addr().AsSlice()},
		&expr.Immediate{Register: 2, Data: binaryutil.BigEndian.PutUint16(pod.Port())},
		&expr.NAT{Type: expr.NATTypeDestNAT, Family: unix.NFPROTO_IPV4, RegAddrMin: 1, RegProtoMin: 2},
	}
	return addRule(services, destination(service.Addr()), tcpTo(service.Port()), translate)
}

// addRule adds a rule, in a chain that is made for it, to the network namespace that the thread is in.
func addRule(chain *nftables.Chain, parts ...[]expr.Any) error {
	connection := &nftables.Conn{}
	chain.Table = connection.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: tableName})
	connection.AddRule(&nftables.Rule{Table: chain.Table, Chain: connection.AddChain(chain), Exprs: slices.Concat(parts...)})
	return explain(connection.Flush(), "adding the chain %s by nftables", chain.Name)
}

func outputInterface(name string) []expr.Any {
	padded := make([]byte, unix.IFNAMSIZ)
	copy(padded, name)
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyOIFNAME, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: padded},
	}
}

func newConnection() []expr.Any {
	states := binaryutil.NativeEndian.PutUint32(expr.CtStateBitNEW)
	return []expr.Any{
		&expr.Ct{Key: expr.CtKeySTATE, Register: 1},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: states, Xor: make([]byte, 4)},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: make([]byte, 4)},
	}
}

// Offsets in the headers of IPv4 and TCP, in bytes.
const (
	offsetSource      = 12
	offsetDestination = 16
	offsetTCPPort     = 2
)

func sourceIn(prefix netip.Prefix) []expr.Any {
	mask := make([]byte, 4)
	binary.BigEndian.PutUint32(mask, ^uint32(0)<<(32-prefix.Bits()))
	return []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: offsetSource, Len: 4},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: mask, Xor: make([]byte, 4)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: prefix.Masked().Addr().AsSlice()},
	}
}

func destination(address netip.Addr) []expr.Any {
	return []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: offsetDestination, Len: 4},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: address.AsSlice()},
	}
}

func tcpTo(port uint16) []expr.Any {
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{unix.IPPROTO_TCP}},
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: offsetTCPPort, Len: 2},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.BigEndian.PutUint16(port)},
	}
}
