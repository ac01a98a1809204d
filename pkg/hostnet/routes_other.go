// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package hostnet

import (
	"fmt"
	"runtime"
)

func hostRoutes() ([]route, error) {
	return nil, fmt.Errorf("the routes of this host can't be read on %s", runtime.GOOS)
}
