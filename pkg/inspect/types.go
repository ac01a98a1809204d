// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package inspect

// The types below hold the fields of other projects' objects that have to do with addresses.

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type seedNetworks struct {
	Nodes         string `json:"nodes"`
	Pods          string `json:"pods"`
	Services      string `json:"services"`
	ShootDefaults struct {
		Pods     string `json:"pods"`
		Services string `json:"services"`
	} `json:"shootDefaults"`
}

type seed struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Networks seedNetworks `json:"networks"`
	} `json:"spec"`
}

type gardenletConfig struct {
	SeedConfig seed `json:"seedConfig"`
}

type gardenlet struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Config gardenletConfig `json:"config"`
	} `json:"spec"`
}

type managedSeed struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Gardenlet struct {
			Config gardenletConfig `json:"config"`
		} `json:"gardenlet"`
	} `json:"spec"`
}

type gardenletValues struct {
	Config gardenletConfig `json:"config"`
}

type garden struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		RuntimeCluster struct {
			Networking struct {
				Nodes    []string `json:"nodes"`
				Pods     []string `json:"pods"`
				Services []string `json:"services"`
			} `json:"networking"`
		} `json:"runtimeCluster"`
	} `json:"spec"`
}

type shoot struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		SeedName   string `json:"seedName"`
		Networking struct {
			IPFamilies []string `json:"ipFamilies"`
			Nodes      string   `json:"nodes"`
			Pods       string   `json:"pods"`
			Services   string   `json:"services"`
			// ProviderConfig is the configuration of networking-calico.
			ProviderConfig struct {
				IPv6 struct {
					SourceNATEnabled bool `json:"sourceNATEnabled"`
				} `json:"ipv6"`
			} `json:"providerConfig"`
		} `json:"networking"`
		ControlPlane struct {
			HighAvailability *struct{} `json:"highAvailability"`
		} `json:"controlPlane"`
		Provider struct {
			Workers []struct{} `json:"workers"`
		} `json:"provider"`
	} `json:"spec"`
}

type kindNetworking struct {
	PodSubnet     string `json:"podSubnet"`
	ServiceSubnet string `json:"serviceSubnet"`
}

type kindCluster struct {
	Name       string         `json:"name"`
	Metadata   metadata       `json:"metadata"`
	Networking kindNetworking `json:"networking"`
}
