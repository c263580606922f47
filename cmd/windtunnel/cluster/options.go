// SPDX-License-Identifier: Apache-2.0

// Package cluster has the options of the verbs that read objects of a cluster, and their completion.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// Options are the flags of verbs that read a cluster. They are those of kubectl, which
// takes them behind the name of a plugin.
type Options struct {
	Namespace, context, kubeconfig string
	// Instead is what a verb reads without a cluster; "" is nothing.
	Instead string
	// Timeout bounds each request to the API server, watches included; 0 is no bound.
	Timeout time.Duration
}

// Register defines the flags, and has shells complete their values.
func (o *Options) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the object (default the kubeconfig's)")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig to use (default its current one)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig `FILE` (default that of KUBECONFIG, or ~/.kube/config)")
	_ = cmd.RegisterFlagCompletionFunc("namespace", o.completeNamespaces) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("context", o.completeContexts)
}

// Loader finds the kubeconfig as kubectl does.
func (o *Options) Loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: o.context}
	overrides.Context.Namespace = o.Namespace
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
}

// A Connection is that of the kubeconfig, and the namespace that is meant.
type Connection struct {
	*kube.Client
	// Host is the address of the API server.
	Host      string
	Namespace string
}

// Connect returns the cluster that the flags select.
func (o *Options) Connect() (*Connection, error) {
	loader := o.Loader()
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, cli.BadInput(errors.New("there is no cluster: set --kubeconfig or KUBECONFIG" + o.Instead))
	}
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("find the cluster: %w", err))
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("find the cluster: %w", err))
	}
	config.UserAgent, config.Timeout = "windtunnel", o.Timeout
	config.QPS = -1 // a person waits, and the API server limits clients by itself
	c, err := kube.New(config)
	if err != nil {
		return nil, err
	}
	return &Connection{c, config.Host, namespace}, nil
}

// fileEndings are those of files that people name where a verb takes an object.
var fileEndings = []string{".yaml", ".yml", ".json", ".jsonl", ".csv", ".state", ".parquet", ".html", ".md"}

// Args checks that the first argument of a verb is not a file. instead is how the verb, or
// another one, reads files, before the name of the file.
func Args(check cobra.PositionalArgs, instead string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return err
		}
		if len(args) > 0 && input.Address.MatchString(args[0]) {
			return cli.BadInput(fmt.Errorf("%s is an address, and the argument of %s is the name of an object in a cluster", args[0], cmd.Name()))
		}
		if len(args) > 0 && slices.Contains(fileEndings, filepath.Ext(args[0])) {
			return cli.BadInput(fmt.Errorf("%s looks like a file, and the argument of %s is the name of an object in a cluster; this reads files: %s %s %s",
				args[0], cmd.Name(), cmd.Root().CommandPath(), instead, cli.ShellWord(args[0])))
		}
		return nil
	}
}

// Object connects to the cluster, and returns its object of an argument NAME or TYPE/NAME.
func (o *Options) Object(ctx context.Context, arg string) (*Connection, kubectl.Object, error) {
	kind, name, err := kubectl.ParseRef(arg)
	if err != nil {
		return nil, kubectl.Object{}, err
	}
	c, err := o.Connect()
	if err != nil {
		return nil, kubectl.Object{}, err
	}
	object, err := kubectl.Find(ctx, c.Client, kind, types.NamespacedName{Namespace: c.Namespace, Name: name})
	return c, object, err
}

// Caller is how the command was called.
func (o *Options) Caller(cmd *cobra.Command) kubectl.Caller {
	c := kubectl.Caller{Program: cmd.Root().CommandPath()}
	if o.context != "" {
		c.Flags += " --context " + cli.ShellWord(o.context)
	}
	if o.kubeconfig != "" {
		c.Flags += " --kubeconfig " + cli.ShellWord(o.kubeconfig)
	}
	return c
}

// Unused refuses the flags where what a verb reads is in files or on this machine.
func (o *Options) Unused() error {
	var set []string
	for _, f := range []struct{ name, value string }{
		{"--namespace", o.Namespace}, {"--context", o.context}, {"--kubeconfig", o.kubeconfig},
	} {
		if f.value != "" {
			set = append(set, f.name)
		}
	}
	if len(set) == 0 {
		return nil
	}
	return cli.BadInput(fmt.Errorf("leave out %s: this command reads nothing from a cluster", strings.Join(set, ", ")))
}

// OneObject demands one argument, an object of a cluster.
var OneObject = Args(cli.Arguments(1, 1, "needs the name of one PolicySweep or SimulationRun"), "report")

// CheckSweep makes sure that an object is of one kind.
func CheckSweep(o kubectl.Object, verb string) (*v1alpha1.PolicySweep, error) {
	if o.Sweep == nil {
		return nil, cli.BadInput(fmt.Errorf("%s is about PolicySweeps, and %s is a SimulationRun", verb, o.Meta().Name))
	}
	return o.Sweep, nil
}
