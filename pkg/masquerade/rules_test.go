// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package masquerade_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/masquerade"
)

func TestOnlyARuleForTheWholeRangeOnItsWayOutCounts(t *testing.T) {
	source := netip.MustParsePrefix("fd00:10::/64")
	for rule, want := range map[string]bool{
		"-A POSTROUTING -s fd00:10::/64 ! -o br-0123456789ab -j MASQUERADE":                              true,
		"-A POSTROUTING -s fd00:10::/64 -o eth0 -j MASQUERADE":                                           true,
		"-A POSTROUTING -o eth0 -j MASQUERADE":                                                           true,
		"-A POSTROUTING -s fd00::/16 -j MASQUERADE":                                                      true,
		`-A POSTROUTING -s fd00:10::/64 ! -d fd00:10::/64 -m comment --comment kindling -j MASQUERADE`:   true,
		`-A POSTROUTING -s fd00:10::/64 ! -d fd00:10::/64 -m comment --comment "kindling" -j MASQUERADE`: true,
		"-A POSTROUTING -s fd00:10::/64 -o docker0 -j MASQUERADE":                                        false,
		"-A POSTROUTING -s fd00:10::/64 ! -o eth0 -j MASQUERADE":                                         false,
		"-A POSTROUTING -s fd00:10::/64 -m mark -j MASQUERADE":                                           false,
		"-A POSTROUTING ! -s fd00:10::/64 -j MASQUERADE":                                                 false,
		"-A POSTROUTING -s fd00:10::/80 -j MASQUERADE":                                                   false,
		"-A POSTROUTING -s fd00:99::/64 -j MASQUERADE":                                                   false,
		"-A POSTROUTING -s fd00:10::5/128 -d fd00:10::5/128 -p tcp -m tcp --dport 443 -j MASQUERADE":     false,
		"-A POSTROUTING -s fd00:10::/64 -d fd00:99::/64 -j MASQUERADE":                                   false,
		"-A POSTROUTING -s fd00:10::/64 -p tcp -j MASQUERADE":                                            false,
		"-A POSTROUTING -s fd00:10::/64 -j ACCEPT":                                                       false,
		"-A OUTPUT -s fd00:10::/64 -j MASQUERADE":                                                        false,
		"-P POSTROUTING ACCEPT":                                                                          false,
		"-A POSTROUTING -s nonsense -j MASQUERADE":                                                       false,
		"-A POSTROUTING -j": false,
		"":                  false,
	} {
		if got := masquerade.Covers("-P POSTROUTING ACCEPT\n"+rule+"\n", source, "eth0"); got != want {
			t.Errorf("%s: covers %t, want %t", rule, got, want)
		}
	}
}

func TestTheRuleThatIsAddedIsKnownAgain(t *testing.T) {
	source := netip.MustParsePrefix("fd00:10::/64")
	args := masquerade.Append(source)
	listed := "-A " + strings.Join(args[4:], " ")
	if !masquerade.Covers(listed, source, "eth0") || !masquerade.Own(listed, source) {
		t.Errorf("%s is not known again", listed)
	}
	if masquerade.Own("-A POSTROUTING -s fd00:10::/64 ! -o br-0123456789ab -j MASQUERADE", source) {
		t.Error("the engine's rule is taken for kindling's")
	}
	remove := masquerade.Delete(source)
	if strings.Join(remove[4:], " ") != strings.Join(args[4:], " ") {
		t.Errorf("removed is %v, added was %v", remove, args)
	}
}

func FuzzCovers(f *testing.F) {
	f.Add("-A POSTROUTING -s fd00:10::/64 ! -o br-0 -j MASQUERADE")
	f.Add("-A POSTROUTING ! ! -s")
	f.Fuzz(func(t *testing.T, listing string) {
		source := netip.MustParsePrefix("fd00:10::/64")
		if masquerade.Own(listing, source) && !masquerade.Covers(listing, source, "") {
			t.Errorf("%q has kindling's rule, and does not cover the range", listing)
		}
		if masquerade.Covers(listing, source, "") && !strings.Contains(listing, "MASQUERADE") {
			t.Errorf("%q covers the range without masquerading", listing)
		}
	})
}
