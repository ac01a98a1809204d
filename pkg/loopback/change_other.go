// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package loopback

import (
	"context"
	"errors"
	"net/netip"
)

// Device is the loopback interface.
const Device = "loopback"

// Add is not possible here.
func Add(context.Context, []netip.Addr) error { return errors.ErrUnsupported }

// Remove is not possible here.
func Remove(context.Context, []netip.Addr) error { return errors.ErrUnsupported }
