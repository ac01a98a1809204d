// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package daemon

import "errors"

// mountOverlay exists so that the repository builds everywhere.
func mountOverlay(string, string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
