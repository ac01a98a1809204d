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
	"slices"
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
	case argv[0] == "xargs":
		return d.xargs(c, argv[1:])
	case argv[0] == "printf":
		d.printf("%s", strings.ReplaceAll(argv[1], `\036`, "\x1e"))
	case strings.HasPrefix(call, "cp /dev/stdin ") && len(argv) == 3, argv[0] == "install" && argv[len(argv)-2] == "/dev/stdin":
		c.Files[argv[len(argv)-1]] = string(d.input)
	case argv[0] == "mv" && len(argv) == 3:
		c.Files[argv[2]] = c.Files[argv[1]]
		delete(c.Files, argv[1])
	case call == "cat /proc/sys/kernel/random/boot_id":
		d.printf("%s\n", d.bootID())
	case call == "cat /proc/1/comm":
		d.printf("systemd\n")
	case argv[0] == "cat" && len(argv) == 2:
		d.printf("%s", file(c, argv[1]))
	case argv[0] == "getent" && len(argv) == 3:
		return d.getent(c, argv[2])
	case argv[0] == "find" && len(argv) > 2 && argv[2] == "-exec":
		d.printf("%s", file(c, argv[1]))
	case argv[0] == "ip" && strings.Contains(call, "-json route"):
		d.printf("[]\n")
	case argv[0] == "iptables", argv[0] == "ip6tables":
		d.rules(c, argv)
	case argv[0] == "sysctl":
		d.sysctl(c, argv[1:])
	case call == "containerd config dump":
		d.printf("version = 3\n[plugins.'io.containerd.cri.v1.images']\n  snapshotter = 'overlayfs'\n")
	case strings.HasPrefix(call, "ctr ") && strings.Contains(call, " images import "):
		return d.importImages(c)
	case strings.HasPrefix(call, "crictl images"):
		return d.listImages(c)
	}
	return nil
}

// xargs runs a program a line, with its words in single quotes.
func (d *docker) xargs(c *Container, argv []string) error {
	if !slices.Equal(argv, []string{"--no-run-if-empty", "--max-lines=1", "env"}) {
		return fail("xargs can't be called with %q", argv)
	}
	for line := range strings.Lines(string(d.input)) {
		if err := d.program(c, strings.Split(strings.Trim(line, " '\n"), "' '")); err != nil {
			return err
		}
	}
	return nil
}

// rules appends a rule to a chain, or lists the rules of one as iptables does.
func (d *docker) rules(c *Container, argv []string) {
	if i := slices.Index(argv, "--append"); i > 0 {
		c.Rules = append(c.Rules, argv[0]+" -A "+strings.Join(argv[i+1:], " "))
	}
	for _, rule := range c.Rules {
		if rule, found := strings.CutPrefix(rule, argv[0]+" "); found && slices.Contains(argv, "--list-rules") {
			d.printf("%s\n", rule)
		}
	}
}

// sysctl tells and sets limits, which are files as in a kernel.
func (d *docker) sysctl(c *Container, argv []string) {
	path := func(name string) string { return "/proc/sys/" + strings.ReplaceAll(name, ".", "/") }
	for _, arg := range argv {
		name, value, isAssignment := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(arg, "--"):
		case isAssignment:
			c.Files[path(name)] = value
		default:
			d.printf("%s\n", file(c, path(name)))
		}
	}
}

// file is one that was written, else what a node image has or kubeadm writes.
func file(c *Container, path string) string {
	if content, there := c.Files[path]; there {
		return content
	}
	switch path {
	case "/etc/hosts":
		return "127.0.0.1\tlocalhost\n"
	case "/etc/resolv.conf":
		return "nameserver 172.18.0.1\noptions edns0\n"
	case "/kind/version":
		return "v1.37.0\n"
	case "/proc/sys/fs/inotify/max_user_instances":
		return "128"
	case "/proc/sys/fs/inotify/max_user_watches":
		return "1048576"
	case "/etc/containerd/config.toml":
		return "version = 2\n"
	case "/etc/containerd/cri-base.json":
		return `{"linux":{"namespaces":[{"type":"pid"}]}}`
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
