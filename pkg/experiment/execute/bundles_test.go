// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/template"
	"windtunnel.dev/windtunnel/pkg/result"
)

const bundleHead = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"

// threeTwoTwo are forms of the policy that adds prefix 3, queue 2 and KV 2.
var threeTwoTwo = map[string]string{
	"a policy by name": `routing: {builtIn: {policy: weighted, scorers: [{name: prefix-affinity, weight: 3}, {name: queue-depth, weight: 2}, {name: kv-utilization, weight: 2}]}}`,
	"a tree": `routing:
  signals: [prefix-affinity, queue-depth, kv-utilization]
  decisionTree: {root: {sum: [{field: endpoints.prefix_affinity, times: 3}, {field: endpoints.queue_depth, times: 2}, {field: endpoints.kv_utilization, times: 2}]}}`,
	"starlark": `routing:
  signals: [prefix-affinity, queue-depth, kv-utilization]
  starlark:
    parameters: {prefix: 3, queue: 2, kv: 2}
    source: |
      def score(request, endpoints):
          p = parameters
          return [p.prefix * e.prefix_affinity + p.queue * e.queue_depth + p.kv * e.kv_utilization for e in endpoints]`,
}

// asModule is the policy as a module.
func asModule() string {
	return "routing:\n  signals: [prefix-affinity, queue-depth, kv-utilization]\n  wasm: {module: " + base64.StdEncoding.EncodeToString(weightedModule()) + "}"
}

// natively routes a run by the policy itself, and bundled by a bundle.
func natively(run *v1alpha1.SimulationRun) {
	run.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{
		Policy:  "weighted",
		Scorers: []v1alpha1.RoutingScorer{{Name: "prefix-affinity", Weight: "3"}, {Name: "queue-depth", Weight: "2"}, {Name: "kv-utilization", Weight: "2"}},
	}}}
}

func bundled(run *v1alpha1.SimulationRun, text string) {
	run.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{
		Bundle: &v1alpha1.ManifestSource{Inline: new(bundleHead + text)},
	}}
}

func rowsOf(t *testing.T, run *v1alpha1.SimulationRun, parallelism int) []result.Row {
	t.Helper()
	c := experimenttest.MustCompileRun(t, run)
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), experimenttest.AllSimulations(t, c.Plan).Indices(), execute.Options{Parallelism: parallelism})
	if err != nil {
		t.Fatal(err)
	}
	var rows []result.Row
	for _, s := range simulations {
		rows = append(rows, s.Row)
	}
	return rows
}

// One policy has the same figures whichever way it is stated, on one core and on two.
func TestBundlesHaveTheFiguresOfTheirPolicy(t *testing.T) {
	scenarios := map[string]func(*v1alpha1.Scenario){
		"as it is": func(*v1alpha1.Scenario) {},
		"few KV blocks": func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Blocks = new(int32(2000))
		},
		"a replica that fails": func(s *v1alpha1.Scenario) {
			s.Pools[0].Engine.MaxNumSeqs = 2 // so that requests wait, and no scorer is idle
			s.Disruptions = []v1alpha1.Disruption{{At: "1s", Kind: v1alpha1.FailDisruption, Pool: s.Pools[0].Name}, {At: "2s", Kind: v1alpha1.RecoverDisruption, Pool: s.Pools[0].Name}}
		},
	}
	for scenario, edit := range scenarios {
		run := experimenttest.Run(t)
		edit(&run.Spec.Scenario)
		natively(run)
		want := rowsOf(t, run, 1)
		forms := maps.Clone(threeTwoTwo)
		forms["wasm"] = asModule()
		for form, text := range forms {
			for _, cores := range []int{1, 2} {
				t.Run(fmt.Sprintf("%s, %s, %d", scenario, form, cores), func(t *testing.T) {
					bundled(run, text)
					if diff := cmp.Diff(want, rowsOf(t, run, cores), cmpopts.IgnoreFields(result.Row{}, "Key")); diff != "" {
						t.Errorf("rows (-native +bundle):\n%s", diff)
					}
				})
			}
		}
	}
}

// A program decides what its component decides, with the names of the workload.
func TestProgramsOfAllComponents(t *testing.T) {
	run := experimenttest.Run(t)
	class := run.Spec.Scenario.Workload.Clients[0].Class
	if class == "" {
		class = "default"
	}
	bundled(run, fmt.Sprintf(`
admission: {starlark: {source: "def admit(request, gateway, tenant, endpoints):\n  return request.slo_class == '%s' and request.tokens %% 2 == 0\n"}}
priority: {decisionTree: {root: {if: {field: request.slo_class, is: %s}, then: {value: 7}, else: {value: 1}}}}
routing: {builtIn: {policy: round-robin}}
scheduler: {starlark: {source: "def rank(job):\n  return -job.priority\n"}}
`, class, class))
	rows := rowsOf(t, run, 2)
	for _, row := range rows {
		if rate, _ := row.Metrics.Get("rejectionRate"); rate <= 0.1 || rate >= 0.9 {
			t.Errorf("seed %d: a rejection rate of %v, want about a half", row.Seed, rate)
		}
	}
}

// A fault of a program is the error of the simulation, with its line.
func TestAFaultOfAProgram(t *testing.T) {
	const random = "routing: {builtIn: {policy: random}}\n"
	for name, tc := range map[string]struct {
		text, want string
		stage      policy.FaultStage
	}{
		"in a call":         {`routing: {starlark: {source: "def score(request, endpoints):\n  return [1 // 0]\n"}}`, "line 2: floored division by zero", policy.CallStage},
		"when it is read":   {`routing: {starlark: {source: "def score(:"}}`, "line 1", policy.LoadStage},
		"of an admission":   {random + `admission: {starlark: {source: "def admit(request, gateway, tenant, endpoints):\n  return 'no'\n"}}`, "of the admission program", policy.CallStage},
		"of a scheduler":    {random + `scheduler: {starlark: {source: "def rank(job):\n  return float('nan')\n"}}`, "of the scheduler program", policy.CallStage},
		"steps without end": {`routing: {starlark: {source: "def score(request, endpoints):\n  return [a for a in range(90000) for b in range(90000)]\n"}}`, "more than 200000 steps", policy.CallStage},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			bundled(run, tc.text)
			c := experimenttest.MustCompileRun(t, run)
			_, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{Parallelism: 1})
			var fault *policy.Fault
			if !errors.As(err, &fault) || fault.Stage != tc.stage || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// The faults of a bundle are those of the object, with their paths. Code is not read.
func TestFaultyBundlesOfARun(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		edit func(*v1alpha1.Scenario)
		path string
	}{
		"no routing":                 {text: "priority: {builtIn: {policy: class}}", path: "router.policies.bundle.routing"},
		"a scorer that is not":       {text: "routing: {signals: [x], decisionTree: {root: {value: 1}}}", path: "router.policies.bundle.routing.signals[0].name"},
		"a signal of a tree":         {text: "routing: {decisionTree: {root: {sum: [{field: endpoints.hits, times: 1}]}}}", path: "router.policies.bundle.routing.decisionTree.root.sum[0].field"},
		"a policy that is not":       {text: "routing: {builtIn: {policy: x}}", path: "router.policies.bundle.routing.builtIn.policy"},
		"an admission beside it":     {text: "routing: {builtIn: {policy: random}}\nadmission: {builtIn: {policy: always}}", edit: func(s *v1alpha1.Scenario) { s.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "always"} }, path: "router.admission"},
		"a scaling that nobody uses": {text: "routing: {builtIn: {policy: random}}\nautoscale: {builtIn: {policy: utilization}}", path: "router.policies.bundle.autoscale"},
		"a scaler without a bundle": {text: "routing: {builtIn: {policy: random}}", edit: func(s *v1alpha1.Scenario) {
			s.Scalers = []v1alpha1.Scaler{{Name: "one", Pools: []string{s.Pools[0].Name}, Policy: "bundle", MaxReplicas: 9, Interval: "15s"}}
		}, path: "scalers[0].policy"},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			bundled(run, tc.text)
			if tc.edit != nil {
				tc.edit(&run.Spec.Scenario)
			}
			_, errs, err := compile.Run(t.Context(), run, experimenttest.TraceInputs(t))
			if err != nil || len(errs) != 1 || errs[0].Field != "spec.scenario."+tc.path {
				t.Errorf("%v %v", errs, err)
			}
		})
	}
}

// A sweep varies the numbers of a program by their paths.
func TestASweepOfABundle(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	run := experimenttest.Run(t)
	bundled(run, threeTwoTwo["starlark"])
	sweep.Spec.Scenario, sweep.Spec.Baseline = run.Spec.Scenario, nil
	sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "queue", Path: "router.policies.bundle.routing.starlark.parameters.queue", Values: []string{"0", "2", "50"}}}
	c := experimenttest.MustCompileSweep(t, sweep)
	keys := map[string]bool{}
	for _, s := range experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)) {
		keys[s.Row.Key] = true
	}
	if points := slices.Collect(func(yield func(experiment.Span) bool) { yield(experimenttest.AllSimulations(t, c.Plan)) }); len(keys) != points[0].Len() {
		t.Errorf("%d different keys", len(keys))
	}
}

// A template decides as its tree does, in each component.
func TestTemplatesHaveTheFiguresOfTheirTrees(t *testing.T) {
	run := experimenttest.Run(t)
	for _, of := range template.All() {
		t.Run(of.Name, func(t *testing.T) {
			text := func(form string) string {
				all := fmt.Sprintf("%s: {%s}\n", of.Component, form)
				if of.Component != sandbox.Routing {
					all += "routing: {builtIn: {policy: random}}\n"
				}
				return all
			}
			root := jsontest.Encode(t, of.Tree(nil))
			tree := fmt.Sprintf("decisionTree: {root: %s}", root)
			if len(of.Signals) > 0 {
				tree += fmt.Sprintf(", signals: [%s]", strings.Join(of.Signals, ", "))
			}
			bundled(run, text(tree))
			if of.Component == sandbox.Autoscale {
				run.Spec.Scenario.Scalers = []v1alpha1.Scaler{{Name: "one", Pools: []string{run.Spec.Scenario.Pools[0].Name}, Policy: "bundle", MaxReplicas: 9, Interval: "15s"}}
				defer func() { run.Spec.Scenario.Scalers = nil }()
			}
			want := rowsOf(t, run, 2)
			bundled(run, text("parameterized: {template: "+of.Name+"}"))
			if diff := cmp.Diff(want, rowsOf(t, run, 2), cmpopts.IgnoreFields(result.Row{}, "Key")); diff != "" {
				t.Errorf("rows (-tree +template):\n%s", diff)
			}
		})
	}
}

// A sweep varies the numbers of a template by their paths, those that the bundle leaves out too,
// and is told which it cannot have.
func TestASweepOfATemplate(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	run := experimenttest.Run(t)
	bundled(run, "routing: {parameterized: {template: weighted_affinity_routing}}")
	sweep.Spec.Scenario, sweep.Spec.Baseline = run.Spec.Scenario, nil
	sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "queue", Path: "router.policies.bundle.routing.parameterized.parameters.queue_depth_weight", Values: []string{"0", "0.5"}}}
	c := experimenttest.MustCompileSweep(t, sweep)
	keys := map[string]bool{}
	for _, s := range experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)) {
		keys[s.Row.Key] = !s.Row.Failed()
	}
	if len(keys) != 2*len(c.Plan.Seeds) || slices.Contains(slices.Collect(maps.Values(keys)), false) {
		t.Errorf("%v", keys)
	}
	sweep.Spec.Parameters[0].Values = []string{"0", "2"}
	_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "queue_depth_weight") || !strings.Contains(errs[0].Error(), "a number from 0 to 1") {
		t.Errorf("%v %v", errs, err)
	}
}
