// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
	"windtunnel.dev/windtunnel/pkg/result"
)

const (
	bundleHead = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"
	leastBusy  = "def score(request, endpoints):\n  return [-e.waiting - e.running for e in endpoints]\n"
)

func evaluator() *evaluate.Evaluator {
	clock := time.Unix(0, 0)
	return &evaluate.Evaluator{Now: func() time.Time { return clock }}
}

func scenarioOf(t *testing.T, edit func(*v1alpha1.SimulationRun), objectives ...evaluate.Objective) *evaluate.Scenario {
	t.Helper()
	run := experimenttest.Run(t)
	if edit != nil {
		edit(run)
	}
	s, errs, err := evaluate.NewScenario(t.Context(), run, "", objectives, experimenttest.TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	return s
}

func policyOf(t *testing.T, text string, language evaluate.Language, of evaluate.Program) *evaluate.Policy {
	t.Helper()
	p, err := evaluate.ReadPolicy([]byte(text), language, of, bundle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func answerOf(t *testing.T, s *evaluate.Scenario, p *evaluate.Policy) *evaluate.Answer {
	t.Helper()
	a, err := evaluator().Evaluate(t.Context(), s.With(p), 42)
	if err != nil {
		t.Fatal(err)
	}
	matchesSchema(t, a)
	return a
}

func matchesSchema(t *testing.T, a *evaluate.Answer) {
	t.Helper()
	schema := new(spec.Schema)
	if err := json.Unmarshal(evaluate.Schema, schema); err != nil {
		t.Fatal(err)
	}
	raw := jsontest.Encode(t, a)
	document := jsontest.Decode[any](t, raw)
	if r := validate.NewSchemaValidator(schema, nil, "", strfmt.Default).Validate(document); !r.IsValid() {
		t.Errorf("%s\ndoes not match the schema: %v", raw, r.AsError())
	}
}

// A faulty policy has an answer with the score 0 that says where the fault is.
func TestFaultsOfAPolicyAreAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		text     string
		language evaluate.Language
		of       evaluate.Program
		want     evaluate.Fault
		keyed    bool
	}{
		"no program": {text: "def score(:", language: evaluate.Starlark, keyed: true,
			want: evaluate.Fault{Stage: "load", Kind: "syntax", Component: "routing", Line: 1}},
		"no module": {text: "not wasm", language: evaluate.WASM, keyed: true,
			want: evaluate.Fault{Stage: "load", Kind: "syntax", Component: "routing"}},
		"a division by 0": {text: "def score(request, endpoints):\n  return [1 // 0]\n", language: evaluate.Starlark, keyed: true,
			want: evaluate.Fault{Stage: "call", Kind: "error", Component: "routing", Message: "floored division by zero", Line: 2}},
		"too many steps": {text: "def rank(job):\n  return len([a for a in range(90000) for b in range(90000)])\n", language: evaluate.Starlark, keyed: true,
			of: evaluate.Program{Component: sandbox.Scheduler}, want: evaluate.Fault{Stage: "call", Kind: "budget", Component: "scheduler", Line: 2}},
		"no bundle": {text: "kind: [", language: evaluate.Bundle,
			want: evaluate.Fault{Stage: "load", Kind: "invalid"}},
		"an unknown field": {text: bundleHead + "routing: {builtIn: {policy: random}, x: 1}", language: evaluate.Bundle,
			want: evaluate.Fault{Stage: "load", Kind: "invalid", Message: "bundle.routing.x: Forbidden: unknown field"}},
		"an unknown policy": {text: bundleHead + "routing: {builtIn: {policy: x}}", language: evaluate.Bundle,
			want: evaluate.Fault{Stage: "load", Kind: "invalid", Message: "bundle.routing.builtIn.policy"}},
		"an unknown signal": {text: leastBusy, language: evaluate.Starlark, of: evaluate.Program{Signals: []string{"x"}},
			want: evaluate.Fault{Stage: "load", Kind: "invalid", Message: "bundle.routing.signals[0].name"}},
		"a scaling that no scaler uses": {text: "def scale(pools):\n  return [1]\n", language: evaluate.Starlark, of: evaluate.Program{Component: sandbox.Autoscale},
			want: evaluate.Fault{Stage: "load", Kind: "invalid", Message: "bundle.autoscale"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := answerOf(t, scenarioOf(t, nil), policyOf(t, tc.text, tc.language, tc.of))
			if a.OK || a.Error == nil || a.CombinedScore != 0 || a.Scores["goodput"] != 0 || (a.Key != "") != tc.keyed {
				t.Fatalf("%+v", a)
			}
			if !strings.Contains(a.Error.Message, tc.want.Message) {
				t.Errorf("message %q, want %q in it", a.Error.Message, tc.want.Message)
			}
			if diff := cmp.Diff(tc.want, *a.Error, cmpopts.IgnoreFields(evaluate.Fault{}, "Message")); diff != "" {
				t.Errorf("fault (-want +got):\n%s", diff)
			}
		})
	}
}

// Errors of the caller are no answers.
func TestErrorsOfTheCaller(t *testing.T) {
	for name, tc := range map[string]struct {
		language evaluate.Language
		of       evaluate.Program
		want     string
	}{
		"an unknown language":           {language: "lua", want: `language "lua": must be one of bundle, starlark, wasm`},
		"an unknown component":          {language: evaluate.Starlark, of: evaluate.Program{Component: "x"}, want: `component "x": must be one of admission`},
		"a component of a bundle":       {language: evaluate.Bundle, of: evaluate.Program{Component: sandbox.Routing}, want: "a bundle states its components"},
		"signals of an admission":       {language: evaluate.WASM, of: evaluate.Program{Component: sandbox.Admission, Signals: []string{"x"}}, want: "only a program of the routing has signals"},
		"signals beside a PolicyBundle": {language: evaluate.Bundle, of: evaluate.Program{Signals: []string{"x"}}, want: "a bundle states its components"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := evaluate.ReadPolicy([]byte("x"), tc.language, tc.of, bundle.Limits{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q in it", err, tc.want)
			}
		})
	}
	if _, err := evaluate.LanguageOf("p.lua"); err == nil {
		t.Error("p.lua has a language")
	}
}

func TestScenariosThatCannotBeEvaluated(t *testing.T) {
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.SimulationRun)
		objectives []string
		path, want string
	}{
		"nothing to score by": {edit: func(r *v1alpha1.SimulationRun) { r.Spec.Scenario.SLOs = nil }, path: "spec.scenario.slos", want: "nothing scores a policy"},
		"several routers":     {edit: func(r *v1alpha1.SimulationRun) { experimenttest.ServeTwoModels(&r.Spec.Scenario) }, path: "model", want: "state one of meta-llama/Llama-3.1-8B-Instruct, "},
		"no such metric":      {objectives: []string{"goodput", "x"}, path: "objectives[1]", want: "there is no metric"},
		"no target":           {objectives: []string{"ttft.p99"}, path: "objectives[0]", want: "target=VALUE"},
		"a target of no unit": {objectives: []string{"ttft.p99,target=3"}, path: "objectives[0]", want: "must be a duration"},
		"a gate of no metric": {edit: func(r *v1alpha1.SimulationRun) {
			r.Spec.Gates = []v1alpha1.RunGate{{Name: "a", Metric: "x", Operator: "AtMost", Value: "1", Confidence: "0.95"}}
		}, path: "spec.gates[0].metric", want: "there is no metric"},
		"the same twice":    {objectives: []string{"goodput", "goodput=2"}, path: "objectives[1]", want: "Duplicate"},
		"what is not there": {objectives: []string{"handoffs,target=1"}, path: "objectives[0]", want: "needs pools that hand KV over"},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			if tc.edit != nil {
				tc.edit(run)
			}
			var objectives []evaluate.Objective
			for _, text := range tc.objectives {
				o, err := evaluate.ParseObjective(text)
				if err != nil {
					t.Fatal(err)
				}
				objectives = append(objectives, o)
			}
			_, errs, err := evaluate.NewScenario(t.Context(), run, "", objectives, experimenttest.TraceInputs(t))
			if err != nil || len(errs) != 1 || errs[0].Field != tc.path || !strings.Contains(errs[0].Error(), tc.want) {
				t.Errorf("%v %v, want one at %s with %q in it", errs, err, tc.path, tc.want)
			}
		})
	}
}

// A policy takes the place of the same component of the scenario, and of nothing else.
func TestAPolicyTakesThePlaceOfItsComponents(t *testing.T) {
	routeRandomly := func(r *v1alpha1.SimulationRun) {
		r.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "random"}}}
	}
	bundled := func(text string) func(r *v1alpha1.SimulationRun) {
		return func(r *v1alpha1.SimulationRun) {
			r.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{Bundle: &v1alpha1.ManifestSource{Inline: new(bundleHead + text)}}}
		}
	}
	byClass := bundleHead + "priority: {builtIn: {policy: class}}\n"
	rejectAll := "def admit(request, gateway, tenant, endpoints):\n  return False\n"
	for name, tc := range map[string]struct {
		edit   func(*v1alpha1.SimulationRun)
		policy string
		// same is a bundle with all components that has the same metrics in any scenario.
		same string
	}{
		"the routing of an EPP": {policy: bundleHead + "routing: {builtIn: {policy: random}}", same: bundleHead + "routing: {builtIn: {policy: random}}"},
		"no routing, and an EPP": {policy: byClass,
			same: byClass + "routing: {builtIn: {policy: weighted, scorers: [{name: prefix-affinity, weight: 3}, {name: queue-depth, weight: 2}, {name: kv-utilization, weight: 2}]}}"},
		"no routing, and a native one": {edit: routeRandomly, policy: byClass, same: byClass + "routing: {builtIn: {policy: random}}"},
		"no routing, and a bundle with one": {edit: bundled("routing: {builtIn: {policy: random}}\npriority: {decisionTree: {root: {value: 3}}}\n"), policy: byClass,
			same: byClass + "routing: {builtIn: {policy: random}}"},
	} {
		t.Run(name, func(t *testing.T) {
			got := answerOf(t, scenarioOf(t, tc.edit), policyOf(t, tc.policy, evaluate.Bundle, evaluate.Program{}))
			want := answerOf(t, scenarioOf(t, nil), policyOf(t, tc.same, evaluate.Bundle, evaluate.Program{}))
			if diff := cmp.Diff(want.Metrics, got.Metrics); diff != "" || !got.OK {
				t.Errorf("%v (-want +got):\n%s", got.Error, diff)
			}
		})
	}
	t.Run("the router of a route, to which all requests go", func(t *testing.T) {
		run := experimenttest.Run(t)
		s := &run.Spec.Scenario
		routed := v1alpha1.ModelRouter{Model: s.Pools[0].Model, Name: "canary", Pools: []string{s.Pools[0].Name}, Router: s.Router}
		other := routed
		other.Name, other.Pools = "stable", []string{"stable"}
		s.Pools = append(s.Pools, s.Pools[0])
		s.Pools[1].Name, s.Router, s.Routers = "stable", v1alpha1.Router{}, []v1alpha1.ModelRouter{routed, other}
		s.Route = &v1alpha1.Route{Backends: []v1alpha1.RouteBackend{{Router: "canary"}, {Router: "stable", Weight: new(int32(0))}}}
		canary, errs, err := evaluate.NewScenario(t.Context(), run, "canary", nil, experimenttest.TraceInputs(t))
		if err != nil || len(errs) > 0 {
			t.Fatal(errs, err)
		}
		policy := policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{})
		want, got := answerOf(t, scenarioOf(t, nil), policy), answerOf(t, canary, policy)
		for _, metric := range []string{"ttft.p99", "e2e.mean", "goodput", "cacheHit.gpu"} {
			if want.Metrics[metric] != got.Metrics[metric] {
				t.Errorf("%s is %v, want %v as without a route", metric, got.Metrics[metric], want.Metrics[metric])
			}
		}
	})
	t.Run("an admission in the place of the router's", func(t *testing.T) {
		s := scenarioOf(t, func(r *v1alpha1.SimulationRun) {
			r.Spec.Scenario.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "always"}
		})
		a := answerOf(t, s, policyOf(t, rejectAll, evaluate.Starlark, evaluate.Program{Component: sandbox.Admission}))
		if !a.OK || a.Metrics["rejectionRate"] != 1 || a.CombinedScore != 0 {
			t.Errorf("%+v", a)
		}
	})
}

// Equal policies have one identity, whatever says where they come from.
func TestPolicyIDs(t *testing.T) {
	source := strings.ReplaceAll(leastBusy, "\n", "\n      ")
	asBundle := bundleHead + "metadata: {name: x}\ngeneration: 3\nrouting:\n  signals: [prefix-affinity]\n  starlark:\n    source: |\n      " + source
	program := policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{})
	if got := policyOf(t, asBundle, evaluate.Bundle, evaluate.Program{}); got.ID != program.ID {
		t.Errorf("%s as a bundle, and %s as a program", got.ID, program.ID)
	}
	if other := policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{Signals: []string{}}); other.ID == program.ID {
		t.Error("a policy with other signals has the same identity")
	}
	if one, other := scenarioOf(t, nil), scenarioOf(t, func(r *v1alpha1.SimulationRun) { r.Spec.Scenario.Pools[0].Replicas = 3 }); one.ID == other.ID {
		t.Error("other scenarios have the same identity")
	}
}

// A module is scored as the policy that it computes.
func TestAModule(t *testing.T) {
	l := sandbox.RoutingLayout(sandbox.Names{})
	first := l.Columns() // of prefix_affinity; its tokens are next
	module := wasmtest.Weighted(l.Function, l.Scalars(), first+2, map[int]float64{first: 1})
	s := scenarioOf(t, nil)
	got := answerOf(t, s, policyOf(t, string(module.Bytes()), evaluate.WASM, evaluate.Program{}))
	want := answerOf(t, s, policyOf(t, bundleHead+"routing: {builtIn: {policy: weighted, scorers: [{name: prefix-affinity, weight: 1}]}}", evaluate.Bundle, evaluate.Program{}))
	if diff := cmp.Diff(want.Metrics, got.Metrics); diff != "" || !got.OK {
		t.Errorf("%v (-by name +module):\n%s", got.Error, diff)
	}
}

// Answers do not depend on how many are worked out at once.
func TestEachScenarioAndSeedInOrder(t *testing.T) {
	scenarios := []*evaluate.Scenario{scenarioOf(t, nil), scenarioOf(t, func(r *v1alpha1.SimulationRun) { r.Name, r.Spec.Replications.Count = "b", new(int32(1)) })}
	p := policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{})
	want, err := evaluator().EvaluateEach(t.Context(), p, scenarios, nil, 1)
	if err != nil || len(want) != 3 || want[1].Seed != 43 || want[2].Scenario != "b" {
		t.Fatalf("%v %v", want, err)
	}
	got, err := evaluator().EvaluateEach(t.Context(), p, scenarios, nil, 3)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-one at once +three):\n%s", err, diff)
	}
	if got, err := evaluator().EvaluateEach(t.Context(), p, scenarios, []int64{7}, 1); err != nil || len(got) != 2 || got[1].Seed != 7 {
		t.Errorf("%v %v", got, err)
	}
}

func TestAnEvaluationThatIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, err := evaluator().Evaluate(ctx, scenarioOf(t, nil).With(policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{})), 42)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%+v %v", a, err)
	}
}

// A policy that serves no request has the score 0 for a latency, of which there is none.
func TestAnObjectiveWithoutAMeasurement(t *testing.T) {
	s := scenarioOf(t, nil, evaluate.Objective{Metric: "ttft.p99", Weight: 1, Target: "1s"}, evaluate.Objective{Metric: "rejectionRate", Weight: 3, Direction: result.Maximize})
	a := answerOf(t, s, policyOf(t, "def admit(request, gateway, tenant, endpoints):\n  return False\n", evaluate.Starlark, evaluate.Program{Component: sandbox.Admission}))
	if !a.OK || a.Objectives["ttft.p99"].Value != nil || a.Scores["ttft.p99"] != 0 || a.CombinedScore != 0.75 {
		t.Errorf("%+v", a)
	}
}

// The gates of a run score a policy, each by its bound and under its name.
func TestGatesScore(t *testing.T) {
	s := scenarioOf(t, func(r *v1alpha1.SimulationRun) {
		r.Spec.Gates = []v1alpha1.RunGate{
			{Name: "fast", Metric: "ttft.p99", Operator: "AtMost", Value: "1us", Confidence: "0.95"},
			{Name: "whole", Metric: "completionRate", Operator: "AtLeast", Value: "50%", Confidence: "0.95"},
		}
	})
	a := answerOf(t, s, policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{}))
	if a.Scores["whole"] != 1 || a.Scores["fast"] <= 0 || a.Scores["fast"] > 0.01 || a.CombinedScore != (1+a.Scores["fast"])/2 {
		t.Errorf("%v of %v", a.CombinedScore, a.Scores)
	}
	if a.Objectives["fast"].Direction != result.Minimize || *a.Objectives["fast"].Value != a.Metrics["ttft.p99"] {
		t.Errorf("%+v", a.Objectives["fast"])
	}
}

// The sample routes better than chance where caches are small.
func TestTheSampleOfAPolicy(t *testing.T) {
	text := testfile.Read(t, "../../config/samples/policies/prefix-and-load.star")
	crowded := func(r *v1alpha1.SimulationRun) {
		in := &r.Spec.Scenario
		in.Horizon.Requests = new(int64(400))
		in.Pools[0].Replicas, in.Pools[0].KVCache.Blocks = 4, new(int32(600))
		in.Workload.Clients[0].Copies = &v1alpha1.Copies{Count: 8, ZipfExponent: "0", Prefixes: "Own"}
	}
	s := scenarioOf(t, crowded, evaluate.Objective{Metric: "ttft.mean", Weight: 1, Target: "1ms"})
	sample := answerOf(t, s, policyOf(t, string(text), evaluate.Starlark, evaluate.Program{}))
	random := answerOf(t, s, policyOf(t, bundleHead+"routing: {builtIn: {policy: random}}", evaluate.Bundle, evaluate.Program{}))
	if !sample.OK || sample.CombinedScore <= 1.1*random.CombinedScore {
		t.Errorf("the sample has the score %v, and random routing %v", sample.CombinedScore, random.CombinedScore)
	}
}

// A summary says what went wrong, and the components of the policy have their worst decisions.
func TestSummaries(t *testing.T) {
	hurried := func(r *v1alpha1.SimulationRun) { r.Spec.Scenario.SLOs[0].TTFT = "20ms" }
	policy := bundleHead + `
admission: {decisionTree: {root: {if: {field: endpoints.running.min, above: 2}, then: {value: -1}, else: {value: 0}}}}
priority: {builtIn: {policy: class}}
routing: {builtIn: {policy: random}}
`
	for _, asked := range evaluate.Summaries {
		t.Run(string(asked), func(t *testing.T) {
			strategy, err := evaluate.SummaryOf(asked)
			if err != nil {
				t.Fatal(err)
			}
			a, err := evaluator().With(strategy).Evaluate(t.Context(), scenarioOf(t, hurried).With(policyOf(t, policy, evaluate.Bundle, evaluate.Program{})), 42)
			if err != nil {
				t.Fatal(err)
			}
			matchesSchema(t, a)
			if asked == evaluate.NoSummary {
				if a.SummaryText != "" || len(a.Components) > 0 {
					t.Errorf("%q %v", a.SummaryText, a.Components)
				}
				return
			}
			if diff := cmp.Diff([]string{"admission", "priority", "routing"}, slices.Sorted(maps.Keys(a.Components))); diff != "" || !strings.HasPrefix(a.SummaryText, "## Outcome\n") {
				t.Errorf("summary %q, components (-want +got):\n%s", a.SummaryText, diff)
			}
			if e := a.Components["admission"][0]; !strings.Contains(e.GeneratedOutputs, "rejected") || !strings.Contains(e.Inputs, "request ") {
				t.Errorf("%+v", e)
			}
		})
	}
	if s, err := evaluate.SummaryOf(""); s != "issue_focused" || err != nil {
		t.Errorf("the default is %q: %v", s, err)
	}
	if _, err := evaluate.SummaryOf("blame"); err == nil || !strings.Contains(err.Error(), "must be one of issue_focused") {
		t.Error(err)
	}
}

// Programs say how many steps they took.
func TestSteps(t *testing.T) {
	s := scenarioOf(t, nil)
	once := answerOf(t, s, policyOf(t, "def prioritize(request, gateway, tenant, endpoints):\n  return 1\n", evaluate.Starlark, evaluate.Program{Component: sandbox.Priority}))
	more := answerOf(t, s, policyOf(t, "def prioritize(request, gateway, tenant, endpoints):\n  x = 1\n  return x + x\n", evaluate.Starlark, evaluate.Program{Component: sandbox.Priority}))
	if once.StepsUsed <= 0 || once.StepsUsed%40 != 0 || more.StepsUsed <= once.StepsUsed || more.StepsUsed%40 != 0 {
		t.Errorf("%d and %d steps for 40 requests", once.StepsUsed, more.StepsUsed)
	}
	if a := answerOf(t, s, policyOf(t, bundleHead+"routing: {builtIn: {policy: random}}", evaluate.Bundle, evaluate.Program{})); a.StepsUsed != 0 {
		t.Errorf("%d steps of no program", a.StepsUsed)
	}
}
