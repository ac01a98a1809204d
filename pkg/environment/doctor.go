// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"sync"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico"
	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/doctor"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/hostnet"
	"github.com/gardener/kindling/pkg/loopback"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/portowner"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// noEngine is why facts of the engine and its host are not known.
const noEngine = "the engine does not answer"

// notWanted is why facts of parts are not looked for which the environment does not have.
const notWanted = "not part of this environment"

// DoctorFacts finds out what the checks of kindling doctor judge, all of it side by side, and changes nothing. engineErr is why the engine can't be
// worked with; the engine is not asked then.
func (e *Environment) DoctorFacts(ctx context.Context, engineErr error) doctor.Facts {
	facts := e.cheapFacts(engineErr)
	var group sync.WaitGroup
	group.Go(func() { facts.Manifest = e.manifestFact() })
	if engineErr != nil {
		facts.unknownWithoutEngine()
	} else {
		e.askEngine(ctx, facts, &group)
	}
	group.Wait()
	return facts.Facts
}

// PreflightFacts are those that are known without asking anybody again.
func (e *Environment) PreflightFacts() doctor.Facts { return e.cheapFacts(nil).Facts }

type doctorFacts struct{ doctor.Facts }

func (e *Environment) cheapFacts(engineErr error) *doctorFacts {
	f := &doctorFacts{doctor.Facts{Wanted: e.doctorWants(), Engine: doctor.Known(""), Proxy: doctor.Known(proxyVariables(os.Getenv))}}
	if engineErr != nil {
		f.Engine = doctor.Known(engineErr.Error())
		return f
	}
	f.About = doctor.Known(doctor.Engine{
		Name: e.Engine.Name(), Version: e.Info.ServerVersion, Kernel: e.Info.Kernel, Rootless: e.Info.Rootless, CgroupVersion: e.Info.CgroupVersion,
		CPUs: e.Info.CPUs, Memory: e.Info.Memory,
	})
	return f
}

func (f *doctorFacts) unknownWithoutEngine() {
	texts := doctor.Unknown[[]string](noEngine)
	f.About, f.Location, f.Host = doctor.Unknown[doctor.Engine](noEngine), doctor.Unknown[doctor.Location](noEngine), doctor.Unknown[doctor.Host](noEngine)
	f.Images, f.Architectures, f.Addresses, f.Ports = texts, texts, texts, texts
	f.AddressTaken, f.ContainerNetwork = doctor.Unknown[string](noEngine), doctor.Unknown[string](noEngine)
	f.EngineNetworks, f.Routes = doctor.Unknown[[]doctor.Overlap](noEngine), doctor.Unknown[[]doctor.Overlap](noEngine)
	f.Leftovers = doctor.Unknown[[]doctor.Leftover](noEngine)
}

// askEngine asks for everything that the engine, its host and this machine tell. What depends on where the engine's host is asks for that first,
// which the engine's program is called for once.
func (e *Environment) askEngine(ctx context.Context, f *doctorFacts, group *sync.WaitGroup) {
	group.Go(func() {
		where, err := e.EngineHost(ctx)
		f.Location = doctor.Of(doctor.Location{Text: where.String(), Remote: where.Kind == enginehost.Remote}, err)
	})
	group.Go(func() { e.hostFacts(ctx, f) })
	group.Go(func() { f.Addresses, f.AddressTaken = e.addressFacts(ctx) })
	group.Go(func() {
		containers, err := e.Engine.Containers(ctx, nil)
		if err != nil {
			f.Ports, f.Leftovers = doctor.Unknown[[]string](err.Error()), doctor.Unknown[[]doctor.Leftover](err.Error())
			return
		}
		f.Ports = doctor.Of(e.portFacts(ctx, containers))
		f.Leftovers = doctor.Of(e.leftoverFacts(ctx, containers))
	})
	group.Go(func() { f.ContainerNetwork = e.networkFact(ctx) })
	group.Go(func() { f.EngineNetworks, f.Routes = e.rangeFacts(ctx) })
}

// doctorWants is what the checks compare with.
func (e *Environment) doctorWants() doctor.Wanted {
	_, ipv6 := e.plan.Family(v1alpha1.IPv6)
	wanted := doctor.Wanted{IPv6: ipv6, ClustersOnly: e.spec.Spec.ClustersOnly, Names: []string{dns.Zone}}
	for _, c := range e.clusters {
		wanted.KubernetesRefusesCgroupV1 = wanted.KubernetesRefusesCgroupV1 || render.NeedsCgroupV1Patch(c.spec, true)
	}
	for _, limit := range inotifyLimits() {
		wanted.Limits = append(wanted.Limits, doctor.Limit{Name: limit.name, Want: limit.want})
	}
	for _, family := range e.plan.Families {
		for _, prefix := range []netip.Prefix{family.Container, family.Pods, family.Services, family.LoadBalancers} {
			wanted.Ranges = append(wanted.Ranges, prefix.String())
		}
	}
	return wanted
}

// hostFacts looks at the engine's host by a container of a node image, if the engine has one: nothing is pulled for looking.
func (e *Environment) hostFacts(ctx context.Context, f *doctorFacts) {
	missing, err := e.lackingNodeImages(ctx)
	f.Images = doctor.Of(missing, err)
	if err != nil || len(missing) > 0 {
		why := "the engine has no node image to look with"
		if err != nil {
			why = err.Error()
		}
		f.Host, f.Architectures = doctor.Unknown[doctor.Host](why), doctor.Unknown[[]string](why)
		return
	}
	f.Architectures = doctor.Of(e.otherArchitectures(ctx, enginehost.Architecture(e.Info.Architecture)))
	found, err := e.facts(ctx)
	host := doctor.Host{
		LittleDisk: found.LittleDisk(), DiskFree: found.DiskFree, Lacks: found.Lacks(e.kernelNeeds()), IPv6: found.IPv6,
		Limits: map[string]int{limitInstances: found.MaxUserInstances, limitWatches: found.MaxUserWatches},
	}
	if !found.Time.IsZero() {
		host.Clock = doctor.Known(found.WrongClock())
	}
	if has, known := found.NAT6(); known {
		host.NAT6 = &has
	}
	f.Host = doctor.Of(host, err)
}

// lackingNodeImages are those that the engine does not have, whatever clusters there are.
func (e *Environment) lackingNodeImages(ctx context.Context) ([]string, error) {
	var missing []string
	for _, image := range e.nodeImageNames() {
		_, err := e.Engine.ImageID(ctx, image)
		switch {
		case is[*engine.NotFoundError](err):
			missing = append(missing, image)
		case err != nil:
			return nil, err
		}
	}
	return missing, nil
}

func (e *Environment) addressFacts(ctx context.Context) (missing doctor.Maybe[[]string], taken doctor.Maybe[string]) {
	unknown := func(why string) (doctor.Maybe[[]string], doctor.Maybe[string]) {
		return doctor.Unknown[[]string](why), doctor.Unknown[string](why)
	}
	where, err := e.EngineHost(ctx)
	switch {
	case !e.wantsLoopback():
		return unknown(notWanted)
	case err != nil:
		return unknown(err.Error())
	case where.Kind == enginehost.Remote:
		return unknown("the engine is on another machine: up looks there")
	}
	lacking, err := e.machine().Missing(ctx, loopback.Addresses(e.plan, render.Published(e.spec, e.plan)))
	if is[*loopback.TakenError](err) {
		return doctor.Unknown[[]string]("see address-taken"), doctor.Known(err.Error())
	}
	if err != nil {
		return unknown(err.Error())
	}
	texts := make([]string, len(lacking))
	for i, address := range lacking {
		texts[i] = address.String()
	}
	return doctor.Known(texts), doctor.Known("")
}

// portFacts leaves out what this environment, or what environments share, has published itself.
func (e *Environment) portFacts(ctx context.Context, containers []engine.Container) ([]string, error) {
	if _, err := e.EngineHost(ctx); err != nil {
		return nil, err // the configuration of kind depends on it
	}
	var wanted []hostPort
	for _, c := range e.clusters {
		config, err := c.config()
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, mappedPorts(config)...)
	}
	if e.wantsDNSServer() {
		for _, port := range e.dnsPorts() {
			wanted = append(wanted, hostPort{port, portowner.TCP}, hostPort{port, portowner.UDP})
		}
	}
	if e.registryWanted() {
		local := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(e.spec.Spec.Registry.Port)) //nolint:gosec // as validated
		wanted = append(wanted, hostPort{local, portowner.TCP})
	}
	own, others := e.ownContainers(containers)
	wanted = withoutPublished(wanted, own)
	return e.takenPorts(ctx, wanted, others)
}

// networkFact says in words what its step would end with, or what differs.
func (e *Environment) networkFact(ctx context.Context) doctor.Maybe[string] {
	found, err := e.observeNetwork(ctx)
	switch {
	case is[*ForeignError](err):
		return doctor.Known(err.Error())
	case err != nil:
		return doctor.Unknown[string](err.Error())
	case found.State != steps.Differs:
		return doctor.Known("")
	}
	var differing []string
	for _, d := range found.Differences {
		differing = append(differing, d.Field+" is "+d.Have+", wanted "+d.Want)
	}
	return doctor.Known("the container network was made with other settings: " + strings.Join(differing, "; ") + "; take the environments down that use it")
}

// rangeFacts holds the rule about the host that kindling plan --host has, too.
func (e *Environment) rangeFacts(ctx context.Context) (networks, routes doctor.Maybe[[]doctor.Overlap]) {
	ranges, err := hostnet.Ranges(ctx, e.Engine)
	if err != nil {
		return doctor.Unknown[[]doctor.Overlap](err.Error()), doctor.Unknown[[]doctor.Overlap](err.Error())
	}
	subject := e.plan.Subject(render.Resolve(e.spec.Spec.Calico.Encapsulation))
	var ofEngine, ofHost []doctor.Overlap
	for _, one := range ranges {
		subject.Host = []netplan.HostRange{one}
		for _, finding := range netplan.Check(subject, netplan.ModeStrict) {
			if finding.Rule != netplan.RuleHost || finding.Level == netplan.LevelOK {
				continue
			}
			overlap := doctor.Overlap{Text: finding.Sentence(), Remedy: finding.Remedy, Harmless: finding.Level != netplan.LevelViolation}
			if one.EngineNetwork {
				ofEngine = append(ofEngine, overlap)
			} else {
				ofHost = append(ofHost, overlap)
			}
		}
	}
	return doctor.Known(ofEngine), doctor.Known(ofHost)
}

func (e *Environment) manifestFact() doctor.Maybe[doctor.Damaged] {
	if !e.calicoWanted() {
		return doctor.Unknown[doctor.Damaged](notWanted)
	}
	source, err := e.calicoSource()
	if err != nil {
		return doctor.Unknown[doctor.Damaged](err.Error())
	}
	if source.Path != "" {
		return doctor.Unknown[doctor.Damaged]("the file names a manifest of its own")
	}
	path, err := calico.Fetcher{CacheDir: e.CacheDir}.CheckCached(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doctor.Known(doctor.Damaged{})
	case is[*calico.ChecksumError](err):
		return doctor.Known(doctor.Damaged{Path: path, Why: err.Error()})
	}
	return doctor.Of(doctor.Damaged{}, err)
}

// proxyVariables are those by which programs reach the network, in capital or small letters.
func proxyVariables(variable func(string) string) doctor.Proxy {
	first := func(names ...string) (name, value string) {
		for _, name := range names {
			if value := variable(name); value != "" {
				return name, value
			}
		}
		return "", ""
	}
	var proxy doctor.Proxy
	proxy.Variable, proxy.Value = first("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
	_, proxy.Except = first("NO_PROXY", "no_proxy")
	return proxy
}
