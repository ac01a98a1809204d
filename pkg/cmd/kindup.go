// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/profiles"
)

// Variables that the Makefile of a checkout exports to its scripts.
const (
	clusterNameVariable    = "CLUSTER_NAME"
	overlayVariable        = "KUSTOMIZE_OVERLAY"
	kubeconfigVariable     = "KUBECONFIG"
	seedKubeconfigVariable = "KUBECONFIG_SEED_SECRET_PATH"
	// Until v1.141 the recipe passes on what the second one says by the flag, from v1.142 on by the first one.
	resizeVariable      = "WITH_LPP_RESIZE_SUPPORT"
	setupResizeVariable = "DEV_SETUP_WITH_LPP_RESIZE_SUPPORT"
)

// chartPath of the Helm chart in a checkout, which has no cluster without it before v1.142.
const chartPath = "example/gardener-local/kind/cluster"

// kindUpOptions are what hack/kind-up.sh takes, and what up takes.
type kindUpOptions struct {
	upOptions
	clusterName    string
	chart          string
	clusterValues  string
	pathKubeconfig string
	skipRegistry   bool
	multiZonal     bool
	lppResize      string
}

func newKindUpCommand(streams IOStreams) *cobra.Command {
	options := &kindUpOptions{}
	command := &cobra.Command{
		Use:   "kind-up",
		Short: "Stand in for hack/kind-up.sh and dev-setup/kind.sh up of a checkout of Gardener",
		Long: `Bring up the kind cluster that the script of the same name in a checkout of Gardener would make: it takes the script's flags, and
the variables that its Makefile exports ($IPFAMILY, $KUBECONFIG, $CI, and from v1.142 on $CLUSTER_NAME, $KUSTOMIZE_OVERLAY and
$WITH_LPP_RESIZE_SUPPORT).

The version is that of the checkout. Values files of the chart are read strictly: an unknown key is an error, and so is a value that asks for
what kindling does otherwise. The environment is named
as the cluster; its files are below dev/kindling in the checkout.`,
		Example: `  kindling kind-up --cluster-name gardener-local --path-kubeconfig example/provider-local/seed-kind/base/kubeconfig \
    --path-cluster-values example/gardener-local/kind/local/values.yaml`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			spec, plan, err := options.resolve(streams)
			if err != nil {
				return err
			}
			return options.bringUp(command.Context(), streams, spec, plan)
		},
	}
	flags := command.Flags()
	options.addScriptFlags(flags)
	flags.StringVar(&options.chart, "chart", "", "folder of the Helm chart with values.yaml (default: "+chartPath+" in the checkout)")
	flags.StringVar(&options.clusterValues, "path-cluster-values", "", "values file of the cluster, laid over the chart's")
	flags.BoolVar(&options.skipRegistry, "skip-registry", false, "no registry for the garden's cluster; a seed's cluster uses the one that is there")
	flags.BoolVar(&options.multiZonal, "multi-zonal", false, "accepted: which addresses zones need follows from the nodes")
	flags.StringVar(&options.lppResize, "with-lpp-resize-support", "", "accepted; true is refused, as it takes an unpinned branch of a fork (default: $"+resizeVariable+")")
	flags.StringVarP(&options.file, "file", "f", "", "environment file that is laid over what the values say")
	options.addUpFlags(flags)
	return command
}

// addScriptFlags adds those that both scripts have.
func (o *kindUpOptions) addScriptFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.clusterName, "cluster-name", "", "name of the kind cluster (default: $"+clusterNameVariable+")")
	flags.StringVar(&o.pathKubeconfig, "path-kubeconfig", "", "where a copy of the kubeconfig goes, beside $"+kubeconfigVariable)
	flags.StringVar(&o.gardenerDir, "gardener-dir", "", "checkout of Gardener (default: the one around the chart, or around the working directory)")
	engineFlag(flags, &o.engine)
	flags.StringVar(&o.dir, "dir", "", "folder of the environment's files (default: dev/kindling/CLUSTER in the checkout)")
}

func (o *kindUpOptions) resolve(streams IOStreams) (*v1alpha1.Environment, *netplan.Plan, error) {
	if err := o.refuseResize(); err != nil {
		return nil, nil, err
	}
	opened, err := o.openCheckout()
	if err != nil {
		return nil, nil, err
	}
	if err := o.addKubeconfigs(); err != nil {
		return nil, nil, err
	}
	source, adjust, err := o.source(opened)
	if err != nil {
		return nil, nil, err
	}
	var env *v1alpha1.Environment
	if o.file != "" {
		env, err = v1alpha1.LoadFile(o.file, streams.In, source, adjust...)
	} else {
		env, err = v1alpha1.Load(source, "of cluster "+o.clusterName, adjust...)
	}
	if err != nil {
		return nil, nil, err
	}
	plan, err := netplan.New(env)
	if err != nil {
		return nil, nil, err
	}
	return env, plan, checkRules(env, plan)
}

// refuseResize refuses volumes that can be resized, whoever asks for them: the flag, or the variables of the Makefile.
func (o *kindUpOptions) refuseResize() error {
	who := ""
	switch {
	case o.lppResize == "true":
		who = "--with-lpp-resize-support"
	case o.lppResize != "":
		return nil // the flag counts more than the variables, as with make
	case os.Getenv(resizeVariable) == "true":
		who = "$" + resizeVariable
	case os.Getenv(setupResizeVariable) == "true":
		who = "$" + setupResizeVariable
	default:
		return nil
	}
	return &UsageError{fmt.Errorf("%s is true: kindling does not install a local-path-provisioner with resizing, as it would have to take an unpinned branch of "+
		"a personal fork: install it yourself, and set %s to false", who, who)}
}

// openCheckout opens the checkout that is meant.
func (o *kindUpOptions) openCheckout() (checkout.Checkout, error) {
	o.clusterName = cmp.Or(o.clusterName, os.Getenv(clusterNameVariable))
	if o.clusterName == "" {
		return checkout.Checkout{}, &UsageError{fmt.Errorf("say which cluster with --cluster-name or $%s", clusterNameVariable)}
	}
	open, path := checkout.Around, cmp.Or(o.chart, ".")
	if o.gardenerDir != "" {
		open, path = checkout.Open, o.gardenerDir
	}
	opened, err := open(path)
	if err != nil {
		return opened, &UsageError{err}
	}
	return opened, nil
}

// addKubeconfigs puts copies where the caller of the script expects them.
func (o *kindUpOptions) addKubeconfigs() error {
	for _, path := range []string{os.Getenv(kubeconfigVariable), o.pathKubeconfig, os.Getenv(seedKubeconfigVariable)} {
		if path == "" {
			continue
		}
		if len(filepath.SplitList(path)) > 1 {
			return &UsageError{fmt.Errorf("$%s names several files (%s): the kubeconfig of the cluster is written to one", kubeconfigVariable, path)}
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("finding %s: %w", path, err)
		}
		o.kubeconfigs = append(o.kubeconfigs, checkout.Kubeconfig{Path: absolute})
	}
	return nil
}

// source returns the environment that the script would make: from a profile where the checkout has overlays, else from values.
func (o *kindUpOptions) source(opened checkout.Checkout) ([]byte, []v1alpha1.Adjust, error) {
	if overlay := os.Getenv(overlayVariable); overlay != "" && o.clusterValues == "" {
		return o.fromOverlay(opened, overlay)
	}
	if o.clusterValues == "" {
		return nil, nil, &UsageError{fmt.Errorf("say what cluster with --path-cluster-values, or from v1.142 on with $%s", overlayVariable)}
	}
	text := os.Getenv(ipFamilyVariable)
	families, err := checkout.Families(text, opened.Version)
	if err != nil {
		return nil, nil, &UsageError{fmt.Errorf("$%s: %w", ipFamilyVariable, err)}
	}
	chart := cmp.Or(o.chart, filepath.Join(opened.Dir, filepath.FromSlash(chartPath)))
	paths := []string{filepath.Join(chart, "values.yaml"), o.clusterValues}
	if text == "ipv6" || text == "dual" {
		paths = append(paths, filepath.Join(chart, "values-"+text+".yaml"))
	}
	values, err := checkout.ReadValues(paths...)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	env, err := opened.Environment(values, checkout.Request{ClusterName: o.clusterName, Families: families, SkipRegistry: o.skipRegistry})
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	data, err := yaml.Marshal(env)
	return data, nil, err
}

// fromOverlay returns the profile that has the name of a kustomize overlay.
func (o *kindUpOptions) fromOverlay(opened checkout.Checkout, overlay string) ([]byte, []v1alpha1.Adjust, error) {
	profile, err := profiles.Find(overlay)
	if err != nil {
		return nil, nil, &UsageError{fmt.Errorf("$%s: %w", overlayVariable, err)}
	}
	data, err := profiles.Source(profile.Name)
	flags := selection{gardenerDir: opened.Dir}
	rename := func(env *v1alpha1.Environment) error {
		env.Metadata.Name, env.Spec.Clusters[0].Name = o.clusterName, o.clusterName
		return nil
	}
	return data, []v1alpha1.Adjust{flags.adjust(&profile), rename}, err
}
