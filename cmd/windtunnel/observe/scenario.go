// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

// observed is the scenario whose prediction is held against a cluster.
type observed struct {
	Name string
	make observe.Maker
	// propose is of the proposal; nil without one.
	propose        observe.Maker
	warmUp, period time.Duration
	first          int64
	warnings       []string
	// run is as it was read, and refers to inputs.
	run    *v1alpha1.SimulationRun
	inputs compile.Inputs
}

// seedsFrom are n seeds after the run's first one.
func (o *observed) seedsFrom(skip, n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = (o.first + int64(skip) + int64(i)) & math.MaxInt64
	}
	return all
}

// observed reads the scenario from a manifest or from the cluster.
func (o *observeOptions) observed(ctx context.Context, args []string, stdin io.Reader) (*observed, error) {
	if len(args) > 0 {
		return o.observedInCluster(ctx, args[0])
	}
	if o.followed.pool == "" {
		if err := o.cluster.Unused(); err != nil {
			return nil, err
		}
	}
	set, err := o.Load(stdin)
	if err != nil {
		return nil, err
	}
	var all []*observed
	if o.Point >= 0 {
		err = local.ForEach(&o.Options, set, v1alpha1.PolicySweepKind, set.Sweeps, func(sweep *v1alpha1.PolicySweep) error {
			of, err := o.observedFirst(ctx, sweep, o.Inputs(set, sweep))
			all = append(all, of)
			return err
		})
	} else {
		err = local.ForEach(&o.Options, set, v1alpha1.SimulationRunKind, set.Runs, func(run *v1alpha1.SimulationRun) error {
			of, err := o.observedRun(ctx, run, o.Inputs(set, run))
			all = append(all, of)
			return err
		})
	}
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, cli.BadInput(fmt.Errorf("one prediction is observed at a time, but there are %d: select one with --name", len(all)))
	}
	return all[0], nil
}

// observedInCluster reads an object and what it refers to from the cluster.
func (o *observeOptions) observedInCluster(ctx context.Context, arg string) (*observed, error) {
	kind, name, err := kubectl.ParseRef(arg)
	if err != nil {
		return nil, err
	}
	c, err := o.cluster.Connect()
	if err != nil {
		return nil, err
	}
	return o.observedObject(ctx, c.Client, types.NamespacedName{Namespace: c.Namespace, Name: name}, kind)
}

// observedObject reads the run, or the point of a sweep, whose scenario is in operation.
func (o *observeOptions) observedObject(ctx context.Context, c *kube.Client, key types.NamespacedName, kind string) (*observed, error) {
	inputs := readableInputs{archive.ClusterInputs{ConfigMaps: cluster.ConfigMaps(c), Namespace: key.Namespace}}
	if o.Point < 0 {
		if kind == v1alpha1.PolicySweepKind {
			return nil, cli.BadInput(fmt.Errorf("%s %s/%s: --point says which of its points was rolled out", v1alpha1.PolicySweepKind, key.Namespace, key.Name))
		}
		object, err := kubectl.Find(ctx, c, v1alpha1.SimulationRunKind, key)
		if err != nil {
			return nil, err
		}
		return o.observedRun(ctx, object.Run, inputs)
	}
	object, err := kubectl.Find(ctx, c, v1alpha1.PolicySweepKind, key)
	if err != nil {
		return nil, err
	}
	_, st, err := cluster.Study(ctx, c, object.Sweep)
	if err != nil {
		return nil, err
	}
	return o.observedPoint(ctx, object.Sweep, inputs, st)
}

// readableInputs are those of a cluster for a process that simulates: it reads traces.
type readableInputs struct{ archive.ClusterInputs }

func (readableInputs) ParsesTraces() bool { return true }

func (readableInputs) Parquet() trace.ParquetCodec { return parquetfile.Codec{} }

// observedFirst is one of the points that a sweep has before there are results.
func (o *observeOptions) observedFirst(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs compile.Inputs) (*observed, error) {
	c, errs, err := compile.Sweep(ctx, sweep, inputs)
	if err = local.Compiled(v1alpha1.PolicySweepKind, sweep.Name, errs, err); err != nil {
		return nil, err
	}
	st, err := study.New(c.Plan)
	if err != nil {
		return nil, err
	}
	return o.observedPoint(ctx, sweep, inputs, st)
}

// observedPoint is a point of a sweep as a run.
func (o *observeOptions) observedPoint(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs compile.Inputs, st *study.Study) (*observed, error) {
	if o.Point >= len(st.Points()) {
		return nil, cli.BadInput(fmt.Errorf("%s %s: --point must be from 0 to %d; a search that learns needs the results of the cluster, or the runs of sweep --follow", v1alpha1.PolicySweepKind, sweep.Name, len(st.Points())-1))
	}
	spec, err := advice.FollowUpRun(st, &sweep.Spec, o.Point)
	if err != nil {
		return nil, err
	}
	run := &v1alpha1.SimulationRun{TypeMeta: sweep.TypeMeta, ObjectMeta: sweep.ObjectMeta, Spec: spec}
	run.Kind, run.Name = v1alpha1.SimulationRunKind, fmt.Sprintf("%s#%d", sweep.Name, o.Point)
	return o.observedRun(ctx, run, inputs)
}

// observedRun makes simulations of a run. Its horizon is that of the observation.
func (o *observeOptions) observedRun(ctx context.Context, run *v1alpha1.SimulationRun, inputs compile.Inputs) (*observed, error) {
	of, err := o.madeOf(ctx, run.DeepCopy(), inputs)
	if err != nil {
		return nil, err
	}
	of.run, of.inputs = run, inputs
	if o.followed.proposal == "" {
		return of, nil
	}
	proposed := run.DeepCopy()
	if err := local.WithPicker(proposed, o.followed.proposal, nil); err != nil {
		return nil, err
	}
	proposal, err := o.madeOf(ctx, proposed, inputs)
	if err != nil {
		return nil, fmt.Errorf("--propose %s: %w", o.followed.proposal, err)
	}
	of.propose = proposal.make
	for _, warning := range proposal.warnings {
		if !slices.Contains(of.warnings, warning) {
			of.warnings = append(of.warnings, "--propose: "+warning)
		}
	}
	return of, nil
}

// madeOf makes simulations of one run.
func (o *observeOptions) madeOf(ctx context.Context, run *v1alpha1.SimulationRun, inputs compile.Inputs) (*observed, error) {
	manifest.Default(run)
	c, errs, err := compile.Run(ctx, run, inputs, o.Settings...)
	if err = local.Compiled(v1alpha1.SimulationRunKind, run.Name, errs, err); err != nil {
		return nil, err
	}
	config := execute.Config
	if o.Trusted {
		config = execute.TrustingConfig
	} else if execute.Foreign(c.Plan) {
		return nil, local.ToTrust(fmt.Errorf("%s %s has code in policy bundles, which observe cannot fence", v1alpha1.SimulationRunKind, run.Name))
	}
	of := &observed{
		Name: run.Name, first: c.Plan.Seeds[0], warnings: slices.Clone(c.Plan.Warnings),
		make: func(seed int64) (simulator.Config, error) {
			made, err := config(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed})
			made.CheckInvariants = o.Check
			return made, err
		},
	}
	first, err := of.make(of.first)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	of.warmUp, of.period = first.Horizon.WarmUp, max(0, first.Horizon.Duration-first.Horizon.WarmUp)
	return of, nil
}
