// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/live/discovery"
	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// findInterval is how often the replicas of a live run are looked for.
const findInterval = time.Second

// podOptions are the flags of the verbs in the pod of a live run, beside whose containers the EPP runs.
type podOptions struct {
	// folder is that of the files which the EPP reads.
	folder string
	// engines are the Services of the pools, in the plan's order.
	engines []string
	finder  discovery.Finder
}

func (o *podOptions) register(f *pflag.FlagSet) {
	o.finder = discovery.Finder{Lookup: net.DefaultResolver.LookupNetIP, Client: http.DefaultClient}
	f.StringVar(&o.folder, "folder", "/run/windtunnel/epp", "folder of the files that the EPP reads")
	f.StringArrayVar(&o.engines, "engines", nil, "`POOL=SERVICE:PORT`: headless Service of a pool's replicas; repeated, in the order of the pools")
}

// services are the Services of the pools.
func (o *podOptions) services(live *experiment.Live) ([]discovery.Service, error) {
	if live == nil {
		return nil, fmt.Errorf("%w: the plan is not that of a live run", worker.ErrBadInput)
	}
	var all []discovery.Service
	for i, text := range o.engines {
		s, err := discovery.ParseService(text)
		if err != nil || i >= len(live.Pools) || s.Pool != live.Pools[i].Name {
			return nil, fmt.Errorf("%w: --engines %s: must be the Service of each pool, as POOL=SERVICE:PORT, in the order of the plan", worker.ErrBadInput, text)
		}
		all = append(all, s)
	}
	if len(all) < len(live.Pools) {
		return nil, fmt.Errorf("%w: --engines: there are %d, and the plan has %d pools", worker.ErrBadInput, len(all), len(live.Pools))
	}
	return all, nil
}

// fleet are the replicas that serve.
type fleet struct {
	endpoints []epp.Endpoint
	// of is how many there are of each pool.
	of []int
}

// find finds the replicas that serve now.
func (o *podOptions) find(ctx context.Context, live *experiment.Live, services []discovery.Service) (fleet, error) {
	var found fleet
	for i, service := range services {
		serving, err := o.finder.Serving(ctx, service)
		if err != nil {
			return fleet{}, err
		}
		for _, at := range serving {
			name := service.Pool + "-" + strings.ReplaceAll(at.Addr().String(), ".", "-")
			found.endpoints = append(found.endpoints, epp.Endpoint{Name: name, Address: at, Labels: live.Pools[i].Labels})
		}
		found.of = append(found.of, len(serving))
	}
	return found, nil
}

// missing says which replicas do not serve yet; "" where all do.
func (f *fleet) missing(live *experiment.Live) string {
	for i, pool := range live.Pools {
		if f.of[i] != int(pool.Replicas) {
			return fmt.Sprintf("of pool %s %d replicas serve, and the scenario has %d", pool.Name, f.of[i], pool.Replicas)
		}
	}
	return ""
}

func (f *fleet) equal(other *fleet) bool {
	return slices.EqualFunc(f.endpoints, other.endpoints, func(a, b epp.Endpoint) bool { return a.Address == b.Address })
}

// prepareOptions are the flags of prepare.
type prepareOptions struct {
	podOptions
	scenario scenarioOptions
	// objects is where the EPP finds what the verb objects serves.
	objects string
	timeout time.Duration
}

// NewPrepareCommand is the verb prepare.
func NewPrepareCommand() *cobra.Command {
	var o prepareOptions
	cmd := &cobra.Command{
		Use:   "prepare",
		Short: "Wait for the replicas of a live run, and write the files that its EPP reads",
		Long: `Wait for the replicas of a live run in the pod of its EPP, and write the configuration and the
endpoints that the EPP starts with. The operator sets the flags. Where replicas are missing at the end of
the time, the files have those that serve, and worker reports it.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&o.scenario.plan, "plan", "/etc/windtunnel/plan", "folder of the plan")
	cmd.Flags().StringVar(&o.scenario.inputs, "inputs", "/etc/windtunnel/inputs", "folder of the plan's inputs")
	cmd.Flags().StringVar(&o.objects, "objects", "127.0.0.1:9004", "address of the verb objects, which an EPP reads where requests have priorities")
	cmd.Flags().DurationVar(&o.timeout, "start-timeout", 5*time.Minute, "how long to wait for the replicas")
	return cmd
}

func (o *prepareOptions) run(ctx context.Context) error {
	served, err := o.scenario.load(ctx, nil)
	if err != nil {
		return err
	}
	live := served.run.Plan.Live
	services, err := o.services(live)
	if err != nil {
		return err
	}
	found, err := o.await(ctx, live, services)
	if err != nil {
		return err
	}
	files := epp.Options{Config: []byte(live.EndpointPickerConfig), Endpoints: found.endpoints, Folder: o.folder}
	files.Objectives, _ = objectivesOf(served.priorities)
	if len(found.endpoints) > 0 {
		files.Renderer = "http://" + found.endpoints[0].Address.String()
	}
	if err := files.WriteFiles(o.objects); err != nil {
		return fmt.Errorf("%w: %w", worker.ErrBadInput, err)
	}
	return nil
}

// NewObjectsCommand is the verb objects.
func NewObjectsCommand() *cobra.Command {
	var folder, address string
	cmd := &cobra.Command{
		Use:   "objects",
		Short: "Serve what the EPP of a live run reads from Kubernetes, where requests have priorities",
		Long: `Serve the endpoints and InferenceObjectives in the folder of an EPP as an API server of Kubernetes does,
in the same pod. Endpoints may come and go. The operator sets the flags.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			open, err := net.Listen("tcp", address)
			if err != nil {
				return cli.BadInput(fmt.Errorf("--address: %w", err))
			}
			return epp.ServeObjects(cmd.Context(), open, folder)
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "/run/windtunnel/epp", "folder of the files that prepare and worker write")
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:9004", "address to listen at")
	return cmd
}

// await waits until all replicas serve, or for the time.
func (o *prepareOptions) await(ctx context.Context, live *experiment.Live, services []discovery.Service) (fleet, error) {
	over := time.NewTimer(o.timeout)
	defer over.Stop()
	tick := time.NewTicker(findInterval)
	defer tick.Stop()
	for {
		found, err := o.find(ctx, live, services)
		if err == nil && found.missing(live) == "" {
			return found, nil
		}
		select {
		case <-tick.C:
		case <-over.C:
			return found, nil
		case <-ctx.Done():
			return fleet{}, ctx.Err()
		}
	}
}
