// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubapi

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/gardener/kindling/pkg/corefile"
	"github.com/gardener/kindling/pkg/dns"
)

const corefilePath = "/api/v1/namespaces/kube-system/configmaps/coredns"

const corefileOfKubeadm = `.:53 {
    errors
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
`

// forward is a kubelet that connects to CoreDNS, which answers from its Corefile, and one name as the server of the domain does.
func (s *Server) forward(w http.ResponseWriter, r *http.Request) {
	streams := make(chan httpstream.Stream, 2)
	if _, err := httpstream.Handshake(r, w, []string{"portforward.k8s.io"}); err != nil {
		return
	}
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(stream httpstream.Stream, _ <-chan struct{}) error {
		streams <- stream
		return nil
	})
	if connection == nil {
		return
	}
	defer func() { _ = connection.Close() }()
	for {
		select {
		case stream := <-streams:
			if stream.Headers().Get(corev1.StreamType) == corev1.StreamTypeData {
				AnswerDNS(stream, s.resolve)
			}
		case <-connection.CloseChan():
			return
		case <-time.After(time.Minute):
			return
		}
	}
}

// AnswerDNS answers one question for an IPv4 address on a stream. An invalid address stands for no such name.
func AnswerDNS(stream io.ReadWriter, resolve func(name string) netip.Addr) {
	var length [2]byte
	if _, err := io.ReadFull(stream, length[:]); err != nil {
		return
	}
	data := make([]byte, binary.BigEndian.Uint16(length[:]))
	var message dnsmessage.Message
	if _, err := io.ReadFull(stream, data); err != nil || message.Unpack(data) != nil || len(message.Questions) != 1 {
		return
	}
	question := message.Questions[0]
	message.Response, message.RCode = true, dnsmessage.RCodeNameError
	if address := resolve(strings.TrimSuffix(question.Name.String(), ".")); address.Is4() {
		message.RCode = dnsmessage.RCodeSuccess
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: question.Class}, Body: &dnsmessage.AResource{A: address.As4()},
		}}
	}
	packed, err := message.Pack()
	if err != nil {
		return
	}
	_, _ = stream.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
}

// SetDNSServer changes what CoreDNS answers for the name of the DNS server of the domain; an invalid address stands for no such name.
func (s *Server) SetDNSServer(address netip.Addr) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.dnsServer = address
}

// SetCorefile replaces the configuration of CoreDNS, as somebody would by hand.
func (s *Server) SetCorefile(text string) {
	s.Change(corefilePath, func(object map[string]any) { object["data"] = map[string]any{"Corefile": text} })
}

// Corefile is the configuration of CoreDNS.
func (s *Server) Corefile() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	data, _ := s.objects[corefilePath]["data"].(map[string]any)
	text, _ := data["Corefile"].(string)
	return text
}

func (s *Server) resolve(name string) netip.Addr {
	if name == dns.ServerName {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return s.dnsServer
	}
	if addresses, err := corefile.Addresses(s.Corefile(), name); err == nil && len(addresses) > 0 {
		return addresses[0]
	}
	return netip.Addr{}
}

func metadataName(object map[string]any) any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["name"]
}
