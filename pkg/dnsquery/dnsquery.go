// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package dnsquery asks one DNS server for addresses, over a connection that the caller has: a resolver of this machine would choose
// server and names by its own settings.
package dnsquery

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"
)

// AnswerError says that a server answered with an error, such as NXDOMAIN.
type AnswerError struct {
	Name string
	Code dnsmessage.RCode
}

// Error implements error.
func (e *AnswerError) Error() string {
	words := map[dnsmessage.RCode]string{
		dnsmessage.RCodeNameError: "there is no such name (NXDOMAIN)", dnsmessage.RCodeServerFailure: "the server failed (SERVFAIL)",
		dnsmessage.RCodeRefused: "the server refused to answer (REFUSED)",
	}
	word, known := words[e.Code]
	if !known {
		word = e.Code.String()
	}
	return e.Name + ": " + word
}

// Stream asks for the addresses of a name over a connection that is a stream, as TCP is. IPv6 chooses AAAA records instead of A.
func Stream(connection io.ReadWriter, name string, ipv6 bool) ([]netip.Addr, error) {
	query, id, err := question(name, ipv6)
	if err != nil {
		return nil, err
	}
	// A question is some hundred bytes at most: names end at 255.
	framed := append(binary.BigEndian.AppendUint16(nil, uint16(len(query))), query...) //nolint:gosec
	if _, err := connection.Write(framed); err != nil {
		return nil, fmt.Errorf("asking for %s: %w", name, err)
	}
	var length [2]byte
	if _, err := io.ReadFull(connection, length[:]); err != nil {
		return nil, fmt.Errorf("reading the answer for %s: %w", name, err)
	}
	message := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(connection, message); err != nil {
		return nil, fmt.Errorf("reading the answer for %s: %w", name, err)
	}
	return Parse(message, id, name)
}

func question(name string, ipv6 bool) (message []byte, id uint16, err error) {
	parsed, err := dnsmessage.NewName(name + ".")
	if err != nil {
		return nil, 0, fmt.Errorf("%s is no name for DNS: %w", name, err)
	}
	kind := dnsmessage.TypeA
	if ipv6 {
		kind = dnsmessage.TypeAAAA
	}
	id = uint16(rand.N(1 << 16)) //nolint:gosec // it tells answers apart, and keeps nobody out
	query := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: parsed, Type: kind, Class: dnsmessage.ClassINET}},
	}
	message, err = query.Pack()
	if err != nil {
		return nil, 0, fmt.Errorf("asking for %s: %w", name, err)
	}
	return message, id, nil
}

// Parse reads the addresses in an answer to the question of an identity.
func Parse(message []byte, id uint16, name string) ([]netip.Addr, error) {
	var answer dnsmessage.Message
	if err := answer.Unpack(message); err != nil {
		return nil, fmt.Errorf("the answer for %s can't be read: %w", name, err)
	}
	if answer.ID != id || !answer.Response {
		return nil, errors.New("the answer for " + name + " belongs to another question")
	}
	if answer.RCode != dnsmessage.RCodeSuccess {
		return nil, &AnswerError{name, answer.RCode}
	}
	var addresses []netip.Addr
	for _, record := range answer.Answers {
		switch body := record.Body.(type) {
		case *dnsmessage.AResource:
			addresses = append(addresses, netip.AddrFrom4(body.A))
		case *dnsmessage.AAAAResource:
			addresses = append(addresses, netip.AddrFrom16(body.AAAA))
		}
	}
	return addresses, nil
}
