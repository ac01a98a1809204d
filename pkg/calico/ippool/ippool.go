// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package ippool holds Calico's rules about IP pools. Nothing in a cluster does when pools are written as v1 objects: calicoctl and
// Calico's own API server are passed by.
package ippool

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener/kindling/pkg/calico/selector"
)

// Spec holds the fields of IPPool.spec that the rules are about. Calico's published type lacks namespaceSelector, which came with
// v3.31.
type Spec struct {
	CIDR              string   `json:"cidr"`
	BlockSize         int      `json:"blockSize,omitempty"`
	IPIPMode          string   `json:"ipipMode,omitempty"`
	VXLANMode         string   `json:"vxlanMode,omitempty"`
	NATOutgoing       bool     `json:"natOutgoing,omitempty"`
	Disabled          bool     `json:"disabled,omitempty"`
	DisableBGPExport  bool     `json:"disableBGPExport,omitempty"`
	NodeSelector      string   `json:"nodeSelector,omitempty"`
	NamespaceSelector *string  `json:"namespaceSelector,omitempty"`
	AllowedUses       []string `json:"allowedUses,omitempty"`
	AssignmentMode    string   `json:"assignmentMode,omitempty"`
}

// Block sizes as prefix lengths: what a pool gets that names none, and the bounds, both included. The minimum is the largest block.
const (
	DefaultBlockSizeIPv4 = 26
	MinBlockSizeIPv4     = 20
	MaxBlockSizeIPv4     = 32
	DefaultBlockSizeIPv6 = 122
	MinBlockSizeIPv6     = 116
	MaxBlockSizeIPv6     = 128
)

// Validate returns everything that Calico would refuse, with the path of the field.
func Validate(spec Spec, path *field.Path) field.ErrorList {
	prefix, errs := parseCIDR(spec.CIDR, path.Child("cidr"))
	if prefix.IsValid() {
		errs = append(errs, validateSize(spec, prefix, path)...)
		errs = append(errs, validateRange(prefix, path.Child("cidr"))...)
	}
	errs = append(errs, validateEncapsulation(spec, prefix, path)...)
	errs = append(errs, validateSelectors(spec, path)...)
	return append(errs, validateUses(spec, path)...)
}

// parseCIDR takes an address alone for a pool of that address, as Calico does.
func parseCIDR(text string, path *field.Path) (netip.Prefix, field.ErrorList) {
	prefix, err := netip.ParsePrefix(text)
	if address, errAddress := netip.ParseAddr(text); errAddress == nil && address.Zone() == "" {
		prefix, err = address.Prefix(address.BitLen())
	}
	if err != nil {
		return netip.Prefix{}, field.ErrorList{field.Invalid(path, text, "is no CIDR: write it as 10.0.0.0/16 or fd00:10:1::/56")}
	}
	if prefix.Addr().Is4In6() {
		return netip.Prefix{}, field.ErrorList{field.Invalid(path, text, "is IPv4 written as IPv6: write the IPv4 prefix")}
	}
	if prefix != prefix.Masked() {
		return prefix, field.ErrorList{field.Invalid(path, text, "has host bits: write "+prefix.Masked().String())}
	}
	return prefix, nil
}

func validateSize(spec Spec, prefix netip.Prefix, path *field.Path) field.ErrorList {
	size, shortest, longest := DefaultBlockSizeIPv4, MinBlockSizeIPv4, MaxBlockSizeIPv4
	if prefix.Addr().Is6() {
		size, shortest, longest = DefaultBlockSizeIPv6, MinBlockSizeIPv6, MaxBlockSizeIPv6
	}
	if spec.BlockSize != 0 {
		size = spec.BlockSize
	}
	if size < shortest || size > longest {
		return field.ErrorList{field.Invalid(path.Child("blockSize"), size, fmt.Sprintf("must be from %d to %d, or left out for the default", shortest, longest))}
	}
	if prefix.Bits() > size && !spec.Disabled {
		return field.ErrorList{field.Invalid(path.Child("cidr"), spec.CIDR,
			fmt.Sprintf("is smaller than one block (/%d): enlarge the pool, or set a blockSize of at least %d", size, prefix.Bits()))}
	}
	return nil
}

func validateRange(prefix netip.Prefix, path *field.Path) field.ErrorList {
	for _, linkLocal := range []string{"169.254.0.0/16", "fe80::/10"} {
		if prefix.Overlaps(netip.MustParsePrefix(linkLocal)) {
			return field.ErrorList{field.Invalid(path, prefix.String(), "overlaps with the link-local range "+linkLocal+": choose another range")}
		}
	}
	return nil
}

func validateEncapsulation(spec Spec, prefix netip.Prefix, path *field.Path) field.ErrorList {
	modes := []string{"", "Never", "Always", "CrossSubnet"}
	var errs field.ErrorList
	if !slices.Contains(modes, spec.IPIPMode) {
		errs = append(errs, field.NotSupported(path.Child("ipipMode"), spec.IPIPMode, modes[1:]))
	}
	if !slices.Contains(modes, spec.VXLANMode) {
		errs = append(errs, field.NotSupported(path.Child("vxlanMode"), spec.VXLANMode, modes[1:]))
	}
	if isOn(spec.IPIPMode) && isOn(spec.VXLANMode) {
		errs = append(errs, field.Invalid(path.Child("ipipMode"), spec.IPIPMode, "can't be used together with VXLAN: set one of them to Never"))
	}
	if isOn(spec.IPIPMode) && prefix.IsValid() && prefix.Addr().Is6() {
		errs = append(errs, field.Invalid(path.Child("ipipMode"), spec.IPIPMode, "IPIP carries IPv4 only: set Never"))
	}
	return errs
}

func isOn(mode string) bool { return mode != "" && mode != "Never" }

func validateSelectors(spec Spec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(at *field.Path, expression string) {
		if err := selector.Validate(expression); err != nil {
			errs = append(errs, field.Invalid(at, expression, err.Error()))
		} else if strings.Contains(expression, "global(") {
			errs = append(errs, field.Invalid(at, expression, "global() selects no nodes and no namespaces: write all()"))
		}
	}
	check(path.Child("nodeSelector"), spec.NodeSelector)
	if spec.NamespaceSelector != nil {
		check(path.Child("namespaceSelector"), *spec.NamespaceSelector)
		if *spec.NamespaceSelector != "" && slices.Contains(spec.AllowedUses, "Tunnel") {
			errs = append(errs, field.Invalid(path.Child("namespaceSelector"), *spec.NamespaceSelector, "tunnel addresses have no namespace: leave it out, or take Tunnel out of allowedUses"))
		}
	}
	return errs
}

func validateUses(spec Spec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	uses := []string{"LoadBalancer", "Tunnel", "Workload"}
	for i, use := range spec.AllowedUses {
		if !slices.Contains(uses, use) {
			errs = append(errs, field.NotSupported(path.Child("allowedUses").Index(i), use, uses))
		}
	}
	modes := []string{"", "Automatic", "Manual"}
	if !slices.Contains(modes, spec.AssignmentMode) {
		errs = append(errs, field.NotSupported(path.Child("assignmentMode"), spec.AssignmentMode, modes[1:]))
	}
	if slices.Contains(spec.AllowedUses, "LoadBalancer") {
		errs = append(errs, validateLoadBalancer(spec, path)...)
	}
	return errs
}

// validateLoadBalancer holds what is asked of a pool for the addresses of services.
func validateLoadBalancer(spec Spec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if slices.Contains(spec.AllowedUses, "Workload") || slices.Contains(spec.AllowedUses, "Tunnel") {
		errs = append(errs, field.Invalid(path.Child("allowedUses"), spec.AllowedUses, "LoadBalancer excludes the other uses: make a pool of its own for it"))
	}
	if spec.NodeSelector != "all()" {
		errs = append(errs, field.Invalid(path.Child("nodeSelector"), spec.NodeSelector, "must be all() for LoadBalancer, whose addresses belong to no node"))
	}
	if isOn(spec.IPIPMode) || isOn(spec.VXLANMode) {
		errs = append(errs, field.Invalid(path.Child("allowedUses"), spec.AllowedUses, "LoadBalancer excludes IPIP and VXLAN: set both modes to Never"))
	}
	if spec.DisableBGPExport {
		errs = append(errs, field.Forbidden(path.Child("disableBGPExport"), "LoadBalancer needs the export of its routes: leave it out"))
	}
	return errs
}
