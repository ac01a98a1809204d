// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package dnsquery_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/gardener/kindling/pkg/dnsquery"
)

// serve answers one question on a stream.
func serve(t *testing.T, answer func(*dnsmessage.Message)) io.ReadWriter {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	go func() {
		var length [2]byte
		_, _ = io.ReadFull(server, length[:])
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		_, _ = io.ReadFull(server, query)
		var message dnsmessage.Message
		if err := message.Unpack(query); err != nil {
			t.Error(err)
		}
		message.Response = true
		answer(&message)
		packed, err := message.Pack()
		if err != nil {
			t.Error(err)
		}
		_, _ = server.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	}()
	return client
}

func record(m *dnsmessage.Message, body dnsmessage.ResourceBody) {
	question := m.Questions[0]
	m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: question.Name, Class: question.Class}, Body: body})
}

func TestStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		ipv6   bool
		answer func(*dnsmessage.Message)
		want   []netip.Addr
		err    string
	}{
		{"an address", false, func(m *dnsmessage.Message) {
			record(m, &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName("other.")})
			record(m, &dnsmessage.AResource{A: [4]byte{172, 18, 255, 53}})
		}, []netip.Addr{netip.MustParseAddr("172.18.255.53")}, ""},
		{"an address of IPv6", true, func(m *dnsmessage.Message) {
			if m.Questions[0].Type == dnsmessage.TypeAAAA {
				record(m, &dnsmessage.AAAAResource{AAAA: netip.MustParseAddr("fd00:ff::53").As16()})
			}
		}, []netip.Addr{netip.MustParseAddr("fd00:ff::53")}, ""},
		{"a name without addresses", false, func(*dnsmessage.Message) {}, nil, ""},
		{"no such name", false, func(m *dnsmessage.Message) { m.RCode = dnsmessage.RCodeNameError }, nil, "a.b: there is no such name (NXDOMAIN)"},
		{"the answer of another question", false, func(m *dnsmessage.Message) { m.ID++ }, nil, "the answer for a.b belongs to another question"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := dnsquery.Stream(serve(t, test.answer), "a.b", test.ipv6)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Error(diff)
			}
			if text := errorText(err); text != test.err {
				t.Errorf("error %q, want %q", text, test.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestWhatIsNoName(t *testing.T) {
	t.Parallel()
	if _, err := dnsquery.Stream(nil, string(make([]byte, 300)), false); err == nil {
		t.Error("no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{0, 7, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, message []byte) {
		addresses, err := dnsquery.Parse(message, 7, "a")
		if answer := (*dnsquery.AnswerError)(nil); err != nil && (len(addresses) > 0 || errors.As(err, &answer) && answer.Code == dnsmessage.RCodeSuccess) {
			t.Errorf("%v, %v", addresses, err)
		}
	})
}
