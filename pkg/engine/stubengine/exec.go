// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func (d *docker) exec() *cobra.Command {
	c := command("exec", func(args []string) error {
		if len(args) < 2 {
			return fmt.Errorf("exec takes a container and a program")
		}
		container := d.state.container(args[0])
		if container == nil {
			return fail("No such container: %s", args[0])
		}
		if container.State != running {
			return fail("container %s is not running", container.ID)
		}
		return d.program(container, args[1:])
	})
	flags := c.Flags()
	flags.BoolP("interactive", "i", false, "")
	flags.BoolP("tty", "t", false, "")
	flags.Bool("privileged", false, "")
	flags.StringArrayP("env", "e", nil, "")
	flags.StringP("user", "u", "", "")
	flags.StringP("workdir", "w", "", "")
	return c
}

// program does what kind can't do without: it writes and reads files, and imports images. Anything else succeeds and does nothing.
func (d *docker) program(c *Container, argv []string) error {
	if c.Files == nil {
		c.Files = map[string]string{}
	}
	switch call := strings.Join(argv, " "); {
	case strings.HasPrefix(call, "cp /dev/stdin ") && len(argv) == 3:
		c.Files[argv[2]] = string(d.input)
	case argv[0] == "mv" && len(argv) == 3:
		c.Files[argv[2]] = c.Files[argv[1]]
		delete(c.Files, argv[1])
	case argv[0] == "cat" && len(argv) == 2:
		d.printf("%s", file(c, argv[1]))
	case call == "containerd config dump":
		d.printf("version = 3\n[plugins.'io.containerd.cri.v1.images']\n  snapshotter = 'overlayfs'\n")
	case strings.HasPrefix(call, "ctr ") && strings.Contains(call, " images import "):
		return d.importImages(c)
	case strings.HasPrefix(call, "crictl images"):
		return d.listImages(c)
	}
	return nil
}

// file is one that was written, else what a node image has or kubeadm writes.
func file(c *Container, path string) string {
	if content, there := c.Files[path]; there {
		return content
	}
	switch path {
	case "/kind/version":
		return "v1.37.0\n"
	case "/etc/kubernetes/admin.conf":
		return fmt.Sprintf(adminConfig, c.Name)
	}
	return ""
}

// adminConfig is what kubeadm writes, without the keys.
const adminConfig = `apiVersion: v1
kind: Config
clusters:
- name: stub
  cluster:
    server: https://%s:6443
contexts:
- name: admin@stub
  context:
    cluster: stub
    user: admin
current-context: admin@stub
users:
- name: admin
  user: {}
`

func (d *docker) importImages(c *Container) error {
	archive := json.NewDecoder(bytes.NewReader(d.input))
	for {
		var image Image
		err := archive.Decode(&image)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &exitError{1, "ctr: unrecognized image format: " + err.Error() + "\n"}
		}
		c.Images = append(c.Images, image)
	}
}

// listImages has the words of crictl.
func (d *docker) listImages(c *Container) error {
	type listed struct {
		ID       string   `json:"id"`
		RepoTags []string `json:"repoTags"`
	}
	images := []listed{}
	for _, image := range c.Images {
		images = append(images, listed{image.ID, image.Names})
	}
	return json.NewEncoder(d.stdout).Encode(map[string][]listed{"images": images})
}
