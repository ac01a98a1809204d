// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/dnsquery"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/steps"
)

const (
	// lookupTime is what one lookup may take: resolvers give up later.
	lookupTime = 3 * time.Second
	// lookupPause is the time between two tries of up, and lookupPatience how long it tries: kubelets take a minute to write a changed
	// Corefile, and CoreDNS reads it within another.
	lookupPause    = time.Second
	lookupPatience = 3 * time.Minute
)

// lookupStep looks a name up where it is going to be asked for: in each node by its own resolver, as a pod by asking CoreDNS, on this
// machine by its resolver or, where that is not told of the server, by asking the server.
func (c *cluster) lookupStep() steps.Step {
	needs := c.steps("names", "ready")
	if c.wantsAuthorizer() {
		needs = append(needs, c.step("authorizer"))
	}
	if c.env.wantsDNSServer() && c.env.wantsResolver() {
		needs = append(needs, stepResolver)
	}
	return steps.Step{
		Name:  c.step("lookup"),
		Title: "Lookups in " + c.spec.Name,
		Needs: needs,
		Observe: func(ctx context.Context) (steps.Observation, error) {
			differences, text, err := c.lookup(ctx)
			if err != nil || len(differences) > 0 {
				return steps.Observation{State: steps.Differs, Text: text, Differences: differences}, err
			}
			return steps.Observation{State: steps.AsWanted, Text: text}, nil
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			report("waiting until names are answered")
			return c.waitLookup(ctx)
		},
	}
}

func (c *cluster) waitLookup(ctx context.Context) (string, error) {
	patience, cancel := context.WithTimeout(ctx, lookupPatience)
	defer cancel()
	ticker := time.NewTicker(lookupPause)
	defer ticker.Stop()
	for {
		differences, text, err := c.lookup(patience)
		if err == nil && len(differences) == 0 {
			return text, nil
		}
		if err != nil && patience.Err() == nil {
			return "", err
		}
		select {
		case <-ticker.C:
		case <-patience.Done():
			var said []string
			for _, d := range differences {
				said = append(said, fmt.Sprintf("%s: %s, wanted %s", d.Field, d.Have, d.Want))
			}
			return "", deadline(ctx, fmt.Errorf("names are not answered as wanted in cluster %s:\n  %s", c.spec.Name, strings.Join(said, "\n  ")),
				"CoreDNS and resolvers learn names")
		}
	}
}

// asked is one place where a name is looked up.
type asked struct {
	from string
	look func(context.Context) ([]netip.Addr, error)
}

// lookup asks everywhere side by side. What answers otherwise, or not at all, is a difference.
func (c *cluster) lookup(ctx context.Context) ([]steps.Difference, string, error) {
	name, want, err := c.env.lookedUp(ctx)
	if err != nil {
		return nil, "", err
	}
	places, err := c.lookupPlaces(ctx, name, want)
	if err != nil {
		return nil, "", err
	}
	found := make([]string, len(places))
	var group sync.WaitGroup
	for i, place := range places {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, lookupTime)
			defer cancel()
			addresses, err := place.look(ctx)
			switch {
			case ctx.Err() != nil:
				found[i] = fmt.Sprintf("no answer within %s", lookupTime)
			case err != nil:
				found[i] = err.Error()
			case !slices.Contains(addresses, want):
				found[i] = orNone(joinAddresses(addresses))
			}
		})
	}
	group.Wait()
	var differences []steps.Difference
	var from []string
	for i, place := range places {
		from = append(from, place.from)
		if found[i] != "" {
			differences = append(differences, steps.Difference{Field: name + " asked from " + place.from, Have: found[i], Want: want.String()})
		}
	}
	return differences, name + " from " + strings.Join(from, ", "), ctx.Err()
}

// lookedUp is a name that is there whatever Gardener has written, with its address.
func (e *Environment) lookedUp(ctx context.Context) (string, netip.Addr, error) {
	if e.wantsDNSServer() {
		return dns.ServerName, e.dnsAddresses()[0], nil
	}
	address, err := e.gardenAddress(ctx)
	return dns.GardenName, address, err
}

func (c *cluster) lookupPlaces(ctx context.Context, name string, want netip.Addr) ([]asked, error) {
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return nil, err
	}
	var places []asked
	for _, node := range nodes {
		places = append(places, asked{"node " + node.Name(), func(ctx context.Context) ([]netip.Addr, error) { return askNode(ctx, node, name, want.Is6()) }})
	}
	places = append(places, asked{"CoreDNS, as pods do", func(ctx context.Context) ([]netip.Addr, error) { return c.askCoreDNS(ctx, name, want.Is6()) }})
	// Older versions have names for clusters only, and a remote engine's addresses are not this machine's.
	if !c.env.wantsDNSServer() || c.env.remote() {
		return places, nil
	}
	if told, err := c.env.resolverTold(); err != nil {
		return nil, err
	} else if told {
		return append(places, asked{"this machine", func(ctx context.Context) ([]netip.Addr, error) {
			addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
			for i := range addresses {
				addresses[i] = addresses[i].Unmap()
			}
			return addresses, err
		}}), nil
	}
	return append(places, asked{"this machine, of the server itself", func(ctx context.Context) ([]netip.Addr, error) {
		return askServer(ctx, netip.AddrPortFrom(want, dns.Port), name, want.Is6())
	}}), nil
}

// askNode uses the resolver that kubelet and the container runtime use.
func askNode(ctx context.Context, node kindcluster.Node, name string, ipv6 bool) ([]netip.Addr, error) {
	database := "ahostsv4"
	if ipv6 {
		database = "ahostsv6"
	}
	output, err := node.Command(ctx, nil, "getent", database, name)
	if err != nil && ctx.Err() == nil {
		return nil, errors.New("no answer (getent " + database + " " + name + " fails)")
	}
	var addresses []netip.Addr
	for line := range strings.Lines(string(output)) {
		if fields := strings.Fields(line); len(fields) > 0 {
			if address, err := netip.ParseAddr(fields[0]); err == nil && !slices.Contains(addresses, address) {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses, err
}

// askCoreDNS asks a pod of CoreDNS in its own network: that is where the queries of all pods end, and CoreDNS takes what it does not know
// from where pods would get it. No pod with a program for lookups has to be there.
func (c *cluster) askCoreDNS(ctx context.Context, name string, ipv6 bool) (addresses []netip.Addr, err error) {
	client, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	pods, err := client.Pods(ctx, coreDNSNamespace, &metav1.LabelSelector{MatchLabels: map[string]string{"k8s-app": coreDNSApp}})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
	})
	if i < 0 {
		return nil, errors.New("no pod of CoreDNS runs")
	}
	// That there is no such name is an answer: nobody has to be asked why the connection failed.
	var answer *dnsquery.AnswerError
	err = client.WithPort(ctx, coreDNSNamespace, pods[i].Name, dns.Port, func(connection io.ReadWriter) (err error) {
		addresses, err = dnsquery.Stream(connection, name, ipv6)
		if errors.As(err, &answer) {
			return nil
		}
		return err
	})
	if err == nil && answer != nil {
		return nil, answer
	}
	return addresses, err
}

func askServer(ctx context.Context, server netip.AddrPort, name string, ipv6 bool) ([]netip.Addr, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", server.String())
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
	defer stop()
	return dnsquery.Stream(connection, name, ipv6)
}
