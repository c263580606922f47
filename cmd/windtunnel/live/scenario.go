// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/worker"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

const defaultVersion = latency.DefaultEngineVersion

// scenarioOptions are the flags that name a scenario.
type scenarioOptions struct {
	local local.Options
	// pools are the names of those that are served; none are all.
	pools []string
	// plan and inputs are folders of a plan in place of manifests.
	plan, inputs string
}

// registerRun defines the flags that name a SimulationRun.
func registerRun(cmd *cobra.Command, o *local.Options) {
	o.Parallelism = 1
	f := cmd.Flags()
	o.RegisterFiles(f, ", with a SimulationRun (required)")
	o.RegisterInputs(f)
	o.RegisterSettings(cmd)
	f.StringVar(&o.Name, "name", "", "take only the SimulationRun of this name")
}

func (o *scenarioOptions) register(cmd *cobra.Command) {
	registerRun(cmd, &o.local)
	f := cmd.Flags()
	f.StringVar(&o.plan, "plan", "", "folder of a plan in place of -f, as the operator mounts it in the pods of a live run")
	f.StringVar(&o.inputs, "inputs", "", "folder of the plan's inputs")
	f.StringSliceVar(&o.pools, "pool", nil, "name of a pool to serve; may be repeated (default all)")
}

// pools are what is served of a scenario.
type pools struct {
	run local.Run
	// config is the simulator's input, with the served pools alone.
	config simulator.Config
	// scenario has the pools as the API has them, in the same order.
	scenario []v1alpha1.Pool
	// lengths are answers of the workload, in tokens.
	lengths []int
	// priorities are those of its requests.
	priorities map[int]bool
}

// drawnRequests is how many requests of a workload stand for all of them: for their lengths and, in a closed loop, for
// their priorities.
const drawnRequests = 10_000

// draw takes the lengths of the first requests of a workload, and the priorities of all that an open loop sends.
func (p *pools) draw(c *simulator.Config) {
	source := c.Source
	if c.Listener != nil {
		source = workload.AnsweredAtOnce(c.Listener)
	}
	all := c.Listener == nil && compile.StatesPriorities(&p.run.Spec.Scenario.Workload)
	p.priorities = map[int]bool{}
	for n := 0; n < drawnRequests || all; n++ {
		r, more := source.Next()
		if !more || n >= drawnRequests && !within(&c.Horizon, n, r.Arrival) {
			break
		}
		if n < drawnRequests {
			p.lengths = append(p.lengths, r.OutputTokens)
		}
		p.priorities[r.Priority] = true
	}
}

// within is whether a horizon has a request, of the number n from 0, that arrives at a time.
func within(h *simulator.Horizon, n int, at simtime.Time) bool {
	return (h.Requests == 0 || n < h.Requests) && (h.Duration == 0 || at < simtime.Time(h.Duration))
}

// replicas is how many endpoints there are.
func (p *pools) replicas() int {
	n := 0
	for _, pool := range p.config.Pools {
		n += pool.Replicas
	}
	return n
}

// load reads and compiles the scenario.
func (o *scenarioOptions) load(ctx context.Context, stdin io.Reader) (pools, error) {
	run, err := o.read(ctx, stdin)
	if err != nil {
		return pools{}, err
	}
	return o.poolsOf(run)
}

// read reads the manifests, or the plan.
func (o *scenarioOptions) read(ctx context.Context, stdin io.Reader) (local.Run, error) {
	if o.plan == "" {
		return compileAsSet(ctx, stdin, &o.local)
	}
	plan, traces, err := worker.Options{PlanFolder: o.plan, InputsFolder: o.inputs, Parquet: parquetfile.Codec{}}.ReadRun()
	if err != nil {
		return local.Run{}, cli.BadInput(fmt.Errorf("--plan, --inputs: %w", err))
	}
	return plannedRun(plan, traces)
}

// compileAsSet compiles the run of the manifests. Its scenario has what flags set.
func compileAsSet(ctx context.Context, stdin io.Reader, o *local.Options) (local.Run, error) {
	run, err := o.CompileOne(ctx, stdin, "-f")
	if err != nil {
		return local.Run{}, err
	}
	scenario, err := scenarioOf(run.Plan)
	if err != nil {
		return local.Run{}, err
	}
	run.SimulationRun = run.DeepCopy()
	run.Spec.Scenario = *scenario
	return run, nil
}

// plannedRun is the run of a plan.
func plannedRun(plan *experiment.Plan, traces trace.Set) (local.Run, error) {
	scenario, err := scenarioOf(plan)
	if err != nil {
		return local.Run{}, err
	}
	run := &v1alpha1.SimulationRun{Spec: v1alpha1.SimulationRunSpec{Scenario: *scenario}}
	return local.Run{SimulationRun: run, Compiled: &compile.Compiled{Plan: plan, Traces: traces}}, nil
}

// scenarioOf is the scenario of a plan, with what flags set.
func scenarioOf(plan *experiment.Plan) (*v1alpha1.Scenario, error) {
	tree, err := plan.ScenarioAt(experiment.Point{}, 1)
	if err != nil {
		return nil, err
	}
	scenario, _, errs := plan.Builder.Decode(tree, nil)
	return scenario, errs.ToAggregate()
}

// poolsOf are the pools of a run.
func (o *scenarioOptions) poolsOf(run local.Run) (pools, error) {
	of := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: run.Plan.Seeds[0]}
	config, err := execute.Config(run.Plan, run.Traces, of)
	if err != nil {
		return pools{}, err
	}
	served := pools{run: run, config: config, scenario: slices.Clone(run.Spec.Scenario.Pools)}
	served.draw(&config)
	if err := workload.Close(config.Source); err != nil {
		return pools{}, err
	}
	if err := served.keep(o.pools); err != nil {
		return pools{}, err
	}
	return served, served.settle()
}

// settle takes away what changes the number of replicas: ports do not come and go.
func (p *pools) settle() error {
	p.config.Scaling, p.config.Disruptions, p.config.NodePools = nil, nil, nil
	for i := range p.config.Pools {
		pool := &p.config.Pools[i]
		pool.MaxReplicas, pool.NodePool = 0, 0
		if pool.OnePort {
			return cli.BadInput(fmt.Errorf("pool %s: dataParallelBalancing Internal is not served: each rank has a port of its own", pool.Name))
		}
	}
	return nil
}

// keep leaves out the pools without one of some names, if there are names.
func (p *pools) keep(names []string) error {
	var all []string
	for _, pool := range p.scenario {
		all = append(all, pool.Name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return cli.BadInput(fmt.Errorf("--pool %s: the scenario has the pools %s", name, strings.Join(all, ", ")))
		}
	}
	if len(names) > 0 {
		p.config.Pools = slices.DeleteFunc(p.config.Pools, func(pool simulator.Pool) bool { return !slices.Contains(names, pool.Name) })
		p.scenario = slices.DeleteFunc(p.scenario, func(pool v1alpha1.Pool) bool { return !slices.Contains(names, pool.Name) })
	}
	return nil
}
