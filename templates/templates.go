// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package templates holds the text templates of everything that kindling renders, with the comments that say why a value is
// what it is.
package templates

import "embed"

// FS holds the templates by name.
//
//go:embed *.tmpl
var FS embed.FS
