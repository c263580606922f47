// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"context"
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/manifest"
	scalerlint "windtunnel.dev/windtunnel/pkg/policy/autoscaling/lint"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Compiled is a plan and the traces that it replays, without those that only pods can
// read.
type Compiled struct {
	Plan   *experiment.Plan
	Traces trace.Set
}

// Run compiles a SimulationRun that the schema has defaulted and
// validated. The errors' paths are those of the object; the third value is an
// error of the outside world, after which it is worth trying again. Settings change the
// scenario before it is checked.
func Run(ctx context.Context, run *v1alpha1.SimulationRun, inputs Inputs, settings ...Setting) (*Compiled, field.ErrorList, error) {
	var gates []v1alpha1.Gate
	for _, gate := range run.Spec.Gates {
		gates = append(gates, gate.Gate())
	}
	return Compared(ctx, run, gates, inputs, settings...)
}

// Compared is Run with these gates in place of the run's, for a run
// that is one of two that are compared: gates may refer to a baseline, which is the
// other one.
func Compared(ctx context.Context, run *v1alpha1.SimulationRun, gates []v1alpha1.Gate, inputs Inputs, settings ...Setting) (*Compiled, field.ErrorList, error) {
	c := newCompiler(ctx, inputs)
	c.settings = settings
	spec := field.NewPath("spec")
	errs := c.scenario(&run.Spec.Scenario, spec.Child("scenario"))
	c.plan.Seeds = seeds(run.Spec.Replications)
	c.plan.Metrics, c.plan.Gates = run.Spec.Metrics, gates
	c.plan.Precision = wantedPrecision(&run.Spec.Replications, len(c.plan.Seeds), "e2e.mean")
	errs = append(errs, c.addTrace(&run.Spec.Trace, spec.Child("trace"))...)
	c.plan.Series = keptSeries(run.Spec.Trace.Series)
	errs = append(errs, c.checkCriteria(&run.Spec.Scenario, spec)...)
	errs = append(errs, checkLive(&run.Spec, len(c.plan.Seeds), spec)...)
	if run.Spec.Execution.Live != nil && len(errs) == 0 && c.err == nil {
		errs = checkLiveEvents(c.plan)
	}
	return c.finish(errs)
}

// Sweep is Run for a PolicySweep.
func Sweep(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs Inputs, settings ...Setting) (*Compiled, field.ErrorList, error) {
	c := newCompiler(ctx, inputs)
	c.settings = settings
	path, spec := field.NewPath("spec"), spelledOut(&sweep.Spec)
	errs := c.scenario(&spec.Scenario, path.Child("scenario"))
	c.plan.Seeds = seeds(spec.Replications)
	c.plan.Search, c.plan.Proposal = &spec.Search, spec.Proposal != nil
	c.plan.Rules, c.plan.Metrics = spec.Rules, spec.Metrics
	c.plan.Constraints, c.plan.Gates = spec.Constraints, spec.Gates
	c.plan.Objectives = slices.Clone(spec.Objectives)
	c.plan.Precision = wantedPrecision(&spec.Replications, len(c.plan.Seeds), spec.Objectives[0].Metric)
	if len(errs) == 0 {
		errs = append(errs, c.workloads(spec.Workloads, &spec.Scenario, path.Child("workloads"))...)
	}
	if len(errs) == 0 {
		c.rollout = sweep.Spec.Rollout != nil
		errs = append(errs, c.parameters(spec.Parameters, path.Child("parameters"))...)
		errs = append(errs, c.evolvedForm(spec.Promote, path.Child("promote", "format"))...)
	}
	criteria := c.checkCriteria(&spec.Scenario, path) // what gates of a rollout read depends on its parameter
	// What is searched depends on what is asked.
	if len(errs) == 0 && len(criteria) == 0 {
		errs = append(errs, c.points(spec.Baseline, path)...)
		c.plan.LoadRate = c.loadRate(&spec.Scenario, &spec.Search)
	}
	if len(sweep.Spec.Objectives) == 0 {
		criteria = exceptObjectives(criteria)
	}
	compiled, errs, err := c.finish(append(errs, criteria...))
	if c.plan.Proposal {
		errs = asWritten(errs, proposalFields)
		c.plan.Findings, c.plan.Warnings = findingsAsWritten(c.plan.Findings), warningsAsWritten(c.plan.Warnings)
	}
	if sweep.Spec.Rollout != nil {
		errs = asWritten(errs, rolloutFields(sweep.Spec.Rollout))
	}
	return compiled, errs, err
}

// compiler gathers a plan.
type compiler struct {
	reader
	plan *experiment.Plan
	// settings change the base scenario.
	settings []Setting
	// rollout says that the parameter is the share of a backend.
	rollout bool
	// replayed are the traces as they were read; traces are what checks go by, which have
	// no requests where only pods are sure to read them.
	replayed, traces trace.Set
	// labels are those of the requests, by the name of the workload; the name is empty for
	// the whole scenario.
	labels map[string]workload.Labels
	// idle are notes on what has no effect, whatever values the parameters have.
	idle []string
	// base is the base scenario, with the fields of presets.
	base *v1alpha1.Scenario
	// told is what EPPs and the linter know of the base scenario, by the model of
	// the router; the model is empty where there is one router.
	told map[string]told
	// detectors are the thresholds of the EPPs' saturation detectors, by the same models.
	detectors map[string]*scalerlint.Detector
	// exporters are the EPPs as they export metrics, by the pools of their routers.
	exporters map[string]*query.EPP
	// analysers are the ConfigMaps of scalers, which are checked by these thresholds, and scaled
	// the other manifests, which are checked by the exporters.
	analysers []analyser
	scaled    []scaledManifest
	// variants are the scenarios of the points, most of which differ in one field.
	variants manifest.Variants
}

// told is what an EPP knows of its replicas, and the linter of the EPP. The scenario has the pools of the
// router alone.
type told struct {
	scenario *v1alpha1.Scenario
	cluster  config.Cluster
	linted   lint.Context
}

func newCompiler(ctx context.Context, inputs Inputs) *compiler {
	return &compiler{
		reader:   reader{ctx: ctx, inputs: inputs},
		replayed: trace.Set{}, traces: trace.Set{}, labels: map[string]workload.Labels{},
		detectors: map[string]*scalerlint.Detector{}, exporters: map[string]*query.EPP{},
		plan: &experiment.Plan{
			SchemaVersion: experiment.PlanSchemaVersion, EngineVersion: simulator.EngineVersion,
			IsInterrupted: func() bool { pause(ctx); return ctx.Err() != nil },
		},
	}
}

func (c *compiler) finish(errs field.ErrorList) (*Compiled, field.ErrorList, error) {
	if len(errs) == 0 && c.err == nil {
		if err := c.plan.Bind(); err != nil {
			panic(fmt.Sprintf("experiment: a plan that was checked names no places: %v", err))
		}
		c.prefixBounds(field.NewPath("spec", "scenario"))
		c.plan.Warnings = append(c.plan.Warnings, c.idle...)
	}
	c.plan.IsInterrupted = nil
	switch {
	case c.err != nil:
		return nil, nil, c.err
	case len(errs) > 0:
		return nil, errs, nil
	}
	return &Compiled{Plan: c.plan, Traces: c.replayed}, nil, nil
}

func seeds(r v1alpha1.Replications) []int64 {
	if len(r.Seeds) > 0 {
		return r.Seeds
	}
	first, count := int64(42), int32(1)
	if r.Seed != nil {
		first = *r.Seed
	}
	if r.Count != nil {
		count = *r.Count
	}
	list := make([]int64, count)
	for i := range list {
		list[i] = (first + int64(i)) & math.MaxInt64 // past the greatest seed comes 0
	}
	return list
}

// defaultMaxCount is how many seeds a wanted precision may take where the spec
// does not say.
const defaultMaxCount = 100

// wantedPrecision takes over a wanted precision, of a metric unless the spec names
// one; nil where none is wanted.
func wantedPrecision(in *v1alpha1.Replications, seeds int, metric string) *experiment.Precision {
	if in.Precision == "" {
		return nil
	}
	if in.Metric != "" {
		metric = in.Metric
	}
	p := &experiment.Precision{Metric: metric, Relative: in.Precision, MaxCount: max(defaultMaxCount, seeds)}
	if in.MaxCount != nil {
		p.MaxCount = int(*in.MaxCount)
	}
	return p
}

// interrupted reports whether the compilation is to end, and notes at which field it
// was. Loops that can be long ask at each turn.
func (c *compiler) interrupted(path *field.Path) bool {
	pause(c.ctx)
	err := c.ctx.Err()
	if err != nil && c.err == nil {
		c.err = &experiment.Interrupted{Field: path, Err: err}
	}
	return err != nil
}

// keptSeries is how many bins the time series have at most that are kept.
func keptSeries(in *v1alpha1.SeriesTrace) int {
	switch {
	case in == nil:
		return 0
	case in.Bins == nil:
		return result.MaxSeriesBins
	default:
		return int(*in.Bins)
	}
}
