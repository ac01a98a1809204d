// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package hostnet

// Listener names the process that listens on a TCP port of this machine; empty where that can't be found out.
func Listener(uint16) string { return "" }
