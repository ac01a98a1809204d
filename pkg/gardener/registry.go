// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package gardener

// RegistryPort is the port in the names of the images that a checkout of this version pushes, and where machines look for the registry
// and its caches.
func (v Version) RegistryPort() int32 {
	if v.parsed.Minor() == uint(RegistryOutside) && v.parsed.Patch() == 0 {
		return 5000
	}
	return 5001
}
