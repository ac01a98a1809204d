// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package run

import "syscall"

// privateMounts exists so that the module builds everywhere; what asks for it
// works on Linux only.
func privateMounts() *syscall.SysProcAttr { return nil }
