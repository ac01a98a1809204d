// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"testing"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/render"
)

func TestSeedsOfAGardenShareTheFolderForBackups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		gardener v1alpha1.Gardener
		opts     render.Options
		want     string
	}{
		"the garden's cluster":   {v1alpha1.Gardener{Cluster: "one"}, render.Options{Dir: "/state/a", SharedDir: "/state"}, "/state/backupbuckets/one"},
		"a second seed's":        {v1alpha1.Gardener{Cluster: "one"}, render.Options{Dir: "/state/b", SharedDir: "/state"}, "/state/backupbuckets/one"},
		"that of another garden": {v1alpha1.Gardener{Cluster: "two"}, render.Options{Dir: "/state/a", SharedDir: "/state"}, "/state/backupbuckets/two"},
		"in a checkout":          {v1alpha1.Gardener{Cluster: "one", Dir: "/g"}, render.Options{Dir: "/g/dev/a", SharedDir: "/state"}, "/g/dev/local-backupbuckets"},
		"only looked at":         {v1alpha1.Gardener{Cluster: "one"}, render.Options{}, "local-backupbuckets"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := &v1alpha1.Environment{Spec: v1alpha1.EnvironmentSpec{Gardener: test.gardener}}
			if got := render.BackupBucketsDir(env, test.opts); got != test.want {
				t.Errorf("folder %s, want %s", got, test.want)
			}
		})
	}
}
