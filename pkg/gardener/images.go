// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package gardener

// nodeImages are the kind node images of Gardener's own local setup, newest first, each with the first minor version that
// uses its Kubernetes line. Digests are the ones that Gardener or the kind release of that time pins.
func nodeImages() []nodeImage {
	return []nodeImage{
		{147, "kindest/node:v1.36.1@sha256:3489c7674813ba5d8b1a9977baea8a6e553784dab7b84759d1014dbd78f7ebd5"},
		{141, "kindest/node:v1.35.1@sha256:05d7bcdefbda08b4e038f644c4df690cdac3fba8b06f8289f30e10026720a1ab"},
		{136, "kindest/node:v1.34.2@sha256:745f8ed46d8e99517774768227fd1a0af34a6bf395aef9c7ed98fbce0e263918"},
		{123, "kindest/node:v1.33.4@sha256:25a6018e48dfcaee478f4a59af81157a437f15e6e140bf103f85a2e7cd0cbbf2"},
		{113, "kindest/node:v1.32.0@sha256:2458b423d635d7b01637cac2d6de7e1c1dca1148a2ba2e90975e214ca849e7cb"},
		{107, "kindest/node:v1.31.2@sha256:18fbefc20a7113353c7b75b5c869d7145a6abd6269154825872dc59c1329912e"},
		{96, "kindest/node:v1.30.0@sha256:047357ac0cfea04663786a612ba1eaba9702bef25227a794b52890dd8bcd692e"},
		{0, "kindest/node:v1.29.2@sha256:51a1434a5397193442f0be2a297b488b6c919ce8a3931be0ce822606ea5ca245"},
	}
}

type nodeImage struct {
	since uint
	image string
}

// NodeImage returns the kind node image that this version of Gardener is developed with, pinned by digest.
func (v Version) NodeImage() string {
	for _, candidate := range nodeImages() {
		if v.parsed.Minor() >= candidate.since {
			return candidate.image
		}
	}
	return "" // not reached: the last entry fits every version
}
