// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"fmt"

	"golang.org/x/mod/modfile"
)

// placeholder is the version a go.mod gives to modules of its own repository
// that it replaces by a folder.
const placeholder = "v0.0.0"

// Standalone rewrites a module's go.mod so that it can be built outside its
// repository: neighbours that it takes from a folder come from where modules
// come from, at the version siblings if it names none itself. The wish for a
// particular toolchain goes, too: whoever builds decides that.
func Standalone(goMod []byte, siblings string) ([]byte, error) {
	file, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot read go.mod: %w", err)
	}
	required := map[string]string{}
	for _, require := range file.Require {
		required[require.Mod.Path] = require.Mod.Version
	}
	for _, replace := range append([]*modfile.Replace(nil), file.Replace...) {
		if replace.New.Version != "" {
			continue
		}
		neighbour := replace.Old.Path
		if err := file.DropReplace(neighbour, replace.Old.Version); err != nil {
			return nil, fmt.Errorf("cannot drop the folder of %s: %w", neighbour, err)
		}
		if required[neighbour] != placeholder {
			continue
		}
		if siblings == "" {
			return nil, fmt.Errorf("%s has no version in go.mod: the release must name one for siblings", neighbour)
		}
		if err := file.AddReplace(neighbour, "", neighbour, siblings); err != nil {
			return nil, fmt.Errorf("cannot give %s a version: %w", neighbour, err)
		}
	}
	file.DropToolchainStmt()
	file.Cleanup()
	return file.Format()
}
