// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package profiles_test

import (
	"errors"
	"testing"

	"github.com/gardener/kindling/pkg/profiles"
)

func TestEveryProfileLoadsByEachName(t *testing.T) {
	for _, profile := range profiles.List() {
		for _, name := range append(profile.Aliases, profile.Name) {
			env, err := profiles.Load(name)
			if err != nil {
				t.Error(err)
			} else if env.Metadata.Name != profile.Name {
				t.Errorf("%s is the environment %s", name, env.Metadata.Name)
			}
		}
	}
	_, err := profiles.Load("nonsense")
	if _, ok := errors.AsType[*profiles.UnknownError](err); !ok {
		t.Errorf("error %v", err)
	}
}
