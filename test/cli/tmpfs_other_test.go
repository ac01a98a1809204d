// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package cli

import "errors"

func mountTmpfs(string, string) error  { return errors.ErrUnsupported }
func resizeTmpfs(string, string) error { return errors.ErrUnsupported }
func unmount(string) error             { return errors.ErrUnsupported }
func protectTmpfs(string) error        { return errors.ErrUnsupported }
