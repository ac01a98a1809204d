// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// removeMounted removes what is named in folders of the host that a container sees.
func removeMounted(volumes, args []string) error {
	for _, arg := range args {
		for _, volume := range volumes {
			host, container, _ := strings.Cut(volume, ":")
			if rest, below := strings.CutPrefix(arg, container+"/"); below {
				if err := os.RemoveAll(filepath.Join(host, rest)); err != nil {
					return fail("%v", err)
				}
			}
		}
	}
	return nil
}

// measureMounted says how much is in each folder of the first volume, as du does with --max-depth=1.
func (d *docker) measureMounted(volumes []string) error {
	host, container, _ := strings.Cut(volumes[0], ":")
	folders, err := os.ReadDir(host)
	if err != nil {
		return fail("%v", err)
	}
	for _, folder := range folders {
		var sum int64
		err := filepath.WalkDir(filepath.Join(host, folder.Name()), func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			sum += info.Size()
			return err
		})
		if err != nil {
			return fail("%v", err)
		}
		d.printf("%d\t%s\n", sum, path.Join(container, folder.Name()))
	}
	return nil
}
