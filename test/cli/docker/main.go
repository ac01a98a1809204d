// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command docker is the stub engine that the scripts call.
package main

import "github.com/gardener/kindling/pkg/engine/stubengine"

func main() { stubengine.Main() }
