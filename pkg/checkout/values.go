// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package checkout

import (
	"fmt"
	"maps"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/pkg/api/strict"
)

// Values are those of the Helm chart example/gardener-local/kind/cluster, which hack/kind-up.sh made clusters from until v1.141. Fields that
// only some versions have are optional.
type Values struct {
	Image        string     `json:"image,omitempty"`
	Gardener     Gardener   `json:"gardener,omitzero"`
	BackupBucket Deployed   `json:"backupBucket,omitzero"`
	Registry     Deployed   `json:"registry,omitzero"`
	Networking   Networking `json:"networking,omitzero"`
	Workers      []Worker   `json:"workers,omitempty"`
	DockerSocket string     `json:"dockerSocket,omitempty"`
}

// Deployed says whether something is there.
type Deployed struct {
	Deployed *bool `json:"deployed,omitempty"`
}

// Gardener are the parts of Gardener on the cluster.
type Gardener struct {
	RepositoryRoot string       `json:"repositoryRoot,omitempty"`
	APIServerRelay Deployed     `json:"apiserverRelay,omitzero"`
	ControlPlane   ControlPlane `json:"controlPlane,omitzero"`
	// NginxIngress is in values, and no template of the chart reads it.
	NginxIngress    Deployed        `json:"nginxIngress,omitzero"`
	Seed            Seed            `json:"seed,omitzero"`
	Garden          Garden          `json:"garden,omitzero"`
	SelfHostedShoot SelfHostedShoot `json:"selfHostedShoot,omitzero"`
}

// ControlPlane is Gardener's control plane.
type ControlPlane struct {
	Deployed *bool `json:"deployed,omitempty"`
	// KindIsGardenCluster says that it is in the kind cluster itself, from v1.101 on.
	KindIsGardenCluster *bool `json:"kindIsGardenCluster,omitempty"`
	CustomEtcd          *bool `json:"customEtcdStatefulSet,omitempty"`
}

// Seed is the seed, with the addresses of the engine's host that its gateways are reached at.
type Seed struct {
	Deployed *bool  `json:"deployed,omitempty"`
	Istio    Listen `json:"istio,omitzero"`
	Bastion  Listen `json:"bastion,omitzero"`
}

// Listen are addresses.
type Listen struct {
	ListenAddresses []string `json:"listenAddresses,omitempty"`
}

// Garden is a garden that gardener-operator makes.
type Garden struct {
	Deployed      *bool         `json:"deployed,omitempty"`
	VirtualGarden ListenAddress `json:"virtualGarden,omitzero"`
}

// SelfHostedShoot is a shoot whose control plane runs on its own machines.
type SelfHostedShoot struct {
	Deployed      *bool         `json:"deployed,omitempty"`
	ListenAddress string        `json:"listenAddress,omitempty"`
	VirtualGarden ListenAddress `json:"virtualGarden,omitzero"`
}

// ListenAddress is an address.
type ListenAddress struct {
	ListenAddress string `json:"listenAddress,omitempty"`
}

// Networking of the cluster.
type Networking struct {
	// IPFamily is ipv4, ipv6 or dual.
	IPFamily string `json:"ipFamily,omitempty"`
	// PodSubnet and ServiceSubnet are CIDRs, one of each family, with commas between.
	PodSubnet     string `json:"podSubnet,omitempty"`
	ServiceSubnet string `json:"serviceSubnet,omitempty"`
}

// Worker is a node beside the control plane.
type Worker struct {
	Zone string `json:"zone,omitempty"`
}

// FileError says that a values file can't be taken.
type FileError struct {
	Path string
	Err  error
}

// Error implements error.
func (e *FileError) Error() string { return fmt.Sprintf("values file %s:\n%s", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// ReadValues lays values files over each other as Helm does: mappings are merged, lists are replaced. A file may be empty. Unknown keys are
// errors with line and path: a value that nobody reads looks like one that counts. The error is a *FileError.
func ReadValues(paths ...string) (Values, error) {
	merged := map[string]any{}
	for _, path := range paths {
		data, err := bounded.ReadYAML(path, strict.MaxBytes)
		if err != nil {
			return Values{}, &FileError{path, err}
		}
		var values map[string]any
		if err := yaml.Unmarshal(data, &values); err != nil {
			return Values{}, &FileError{path, err}
		}
		if len(values) == 0 {
			continue
		}
		if err := strict.Decode(data, &Values{}); err != nil {
			return Values{}, &FileError{path, err}
		}
		merge(merged, values)
	}
	data, err := yaml.Marshal(merged)
	if err != nil {
		return Values{}, fmt.Errorf("laying values files over each other: %w", err)
	}
	var all Values
	if err := yaml.Unmarshal(data, &all); err != nil {
		return Values{}, fmt.Errorf("reading values: %w", err)
	}
	return all, nil
}

func merge(lower, over map[string]any) {
	for key, value := range over {
		inner, isMap := value.(map[string]any)
		below, belowIsMap := lower[key].(map[string]any)
		if isMap && belowIsMap {
			below = maps.Clone(below)
			merge(below, inner)
			lower[key] = below
		} else {
			lower[key] = value
		}
	}
}
