// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// linearPool is eight replicas with coefficients of Llama 3.1 8B on two H100.
func linearPool(s *v1alpha1.Scenario) {
	s.Pools[0].Replicas = 8
	s.Pools[0].Engine.MaxNumSeqs, s.Pools[0].Engine.MaxNumBatchedTokens = 256, 2048
	s.Pools[0].KVCache.Blocks = ptr.To[int32](132139)
	s.Pools[0].Latency.Model = v1alpha1.LinearModel
	s.Pools[0].Latency.Linear = &v1alpha1.LinearCoefficients{
		BaseMicroseconds: "6910.42", PerPrefillTokenMicroseconds: "17.67057", PerDecodeTokenMicroseconds: "2.83775",
	}
}

// hot is requests that begin with one of so many prefixes of 320 tokens, which
// are half of a prompt.
func hot(perSecond string, groups int32) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		linearPool(s)
		s.Horizon = v1alpha1.Horizon{Requests: ptr.To[int64](4000), Drain: s.Horizon.Drain}
		client := &s.Workload.Clients[0]
		client.Arrivals.Rate = v1alpha1.PositiveDecimal(perSecond)
		client.Copies = &v1alpha1.Copies{Count: groups, Prefixes: "Own", Adapters: "Own", Arrivals: v1alpha1.OwnArrivals}
		client.Prefix.Tokens = 320
		client.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "320", Min: 1}
		client.OutputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "128", Min: 1}
	}
}

// affine is hot with a policy that adds up two scores.
func affine(prefix, load string, perSecond string, groups int32) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		hot(perSecond, groups)(s)
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
		s.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{
			Policy: "weighted",
			Scorers: []v1alpha1.RoutingScorer{
				{Name: "prefix-affinity", Weight: v1alpha1.Decimal(prefix)}, {Name: "load-seed", Weight: v1alpha1.Decimal(load)},
			},
		}}
	}
}

// spread has prompts of 512 to 960 tokens.
func spread(s *v1alpha1.Scenario) {
	s.Workload.Clients[0].InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.UniformLengths, Min: 192, Max: ptr.To[int32](640)}
}

func boundFindings(p *experiment.Plan) []experiment.Finding {
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f experiment.Finding) bool { return f.Rule != compile.PrefixOverLoad })
}

func TestPrefixOverLoad(t *testing.T) {
	type edits = []func(*v1alpha1.Scenario)
	for name, tc := range map[string]struct {
		edits    edits
		severity lint.Severity // empty for no finding
		says     []string
	}{
		"one hot prefix, weights beyond the bound": {
			edits{affine("3", "1", "400", 1)}, lint.Warning,
			[]string{"prefix weights of 3 over load weights of 1 are 3.", "m = 0.5 of their blocks", "Below prefix/load = 2 (1/m)", "come at 399/s", "Keep prefix/load below 2."},
		},
		"one hot prefix, at the bound": {edits{affine("4", "2", "400", 1)}, lint.Warning, []string{"are 2."}},
		"one hot prefix, below it":     {edits{affine("3.9", "2", "400", 1)}, "", nil},
		"no scorer of load":            {edits{affine("1", "0", "400", 1)}, lint.Warning, []string{"stand against none of load"}},
		"in between": {
			edits{affine("2", "1", "400", 1), spread}, lint.Info,
			[]string{"m = 0.3333 to 0.625", "Below prefix/load = 1.6", "above 3 for none", "In between", "Keep prefix/load below 1.6."},
		},
		"beyond all of them": {edits{affine("3", "1", "400", 1), spread}, lint.Warning, []string{"m = 0.3333 to 0.625"}},
		"below all of them":  {edits{affine("1.5", "1", "400", 1), spread}, "", nil},
		"many prefixes, each of which a replica serves": {
			edits{affine("3", "1", "400", 8)}, lint.Info, []string{"come at 5", "as it should be"},
		},
		"hardly any traffic":  {edits{affine("3", "1", "5", 1)}, "", nil},
		"nothing in common":   {edits{affine("3", "1", "400", 1), func(s *v1alpha1.Scenario) { s.Workload.Clients[0].Prefix = nil }}, "", nil},
		"less than a block":   {edits{affine("3", "1", "400", 1), func(s *v1alpha1.Scenario) { s.Workload.Clients[0].Prefix.Tokens = 15 }}, "", nil},
		"one replica":         {edits{affine("3", "1", "400", 1), func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 1 }}, "", nil},
		"a policy of no sums": {edits{affine("3", "1", "400", 1), func(s *v1alpha1.Scenario) { s.Router.Policies.Routing = v1alpha1.RoutingPolicy{Policy: "round-robin"} }}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			plan := mustCompileRun(t, func(s *v1alpha1.Scenario) {
				for _, edit := range tc.edits {
					edit(s)
				}
			}).Plan
			found := boundFindings(plan)
			if tc.severity == "" {
				if len(found) > 0 {
					t.Errorf("found %v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Severity != tc.severity || found[0].Path != "spec.scenario.router" {
				t.Fatalf("found %+v, want one %s", found, tc.severity)
			}
			for _, text := range tc.says {
				if !strings.Contains(found[0].Message, text) {
					t.Errorf("does not say %q: %s", text, found[0].Message)
				}
			}
		})
	}
}

// The finding of a sweep gives the bound as an expression over its parameters.
func TestPrefixOverLoadOfASweep(t *testing.T) {
	weights := func(profile string, parameters ...v1alpha1.Parameter) func(*v1alpha1.PolicySweep) {
		return func(s *v1alpha1.PolicySweep) {
			s.Spec.Scenario.Router.EndpointPickerConfig.Inline = ptr.To(profile)
			s.Spec.Parameters, s.Spec.Baseline = parameters, nil
		}
	}
	const at = "router.endpointPickerConfig.schedulingProfiles[default].plugins[%s].weight"
	profile := `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins: [{type: queue-scorer}, {type: kv-cache-utilization-scorer}, {type: prefix-cache-scorer}]
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
`
	prefix := v1alpha1.Parameter{Name: "prefix", Path: fmt.Sprintf(at, "prefix-cache-scorer"), Range: &v1alpha1.Range{Min: "0", Max: "6", Step: "1"}}
	queue := v1alpha1.Parameter{Name: "queue", Path: fmt.Sprintf(at, "queue-scorer"), Values: []string{"1", "2"}}
	for name, tc := range map[string]struct {
		edit     func(*v1alpha1.PolicySweep)
		severity lint.Severity
		says     string
	}{
		"weights that stay":         {weights(profile, queue), lint.Info, `"3 < 2 * (queue + 2)"`},
		"a weight":                  {weights(profile, prefix), lint.Info, `"prefix < 8"`},
		"a weight of each":          {weights(profile, prefix, queue), lint.Warning, `takes prefix/load up to 2. `},
		"as a rule over parameters": {weights(profile, prefix, queue), lint.Warning, `add to spec.rules the expression "prefix < 2 * (queue + 2)".`},
	} {
		t.Run(name, func(t *testing.T) {
			sweep := experimenttest.Sweep(t)
			sweep.Spec.Scenario = experimenttest.Run(t).Spec.Scenario
			hot("400", 1)(&sweep.Spec.Scenario)
			tc.edit(sweep)
			found := boundFindings(experimenttest.MustCompileSweep(t, sweep).Plan)
			if len(found) != 1 || found[0].Severity != tc.severity || !strings.Contains(found[0].Message, tc.says) {
				t.Errorf("found %+v, want %s with %q", found, tc.severity, tc.says)
			}
		})
	}
}

// The estimate is near the rate of a simulation in which the replica always has
// requests.
func TestServedPerSecondIsNearTheSimulatedRate(t *testing.T) {
	for name, edit := range map[string]func(*v1alpha1.Scenario){
		"as many sequences as it may have": func(*v1alpha1.Scenario) {},
		"a small budget of tokens":         func(s *v1alpha1.Scenario) { s.Pools[0].Engine.MaxNumBatchedTokens = 512 },
		"little memory":                    func(s *v1alpha1.Scenario) { s.Pools[0].KVCache.Blocks = ptr.To[int32](1500) },
		"a roofline":                       func(s *v1alpha1.Scenario) { s.Pools[0].Latency = v1alpha1.Latency{Model: v1alpha1.RooflineModel} },
	} {
		t.Run(name, func(t *testing.T) {
			c := mustCompileRun(t, func(s *v1alpha1.Scenario) {
				affine("3", "1", "1000", 1)(s)
				edit(s)
			})
			config, err := execute.Config(c.Plan, nil, experimenttest.FirstRound(t, c.Plan).At(0))
			if err != nil {
				t.Fatal(err)
			}
			estimate := setup.TypicalRequest{Prompt: 640, Cached: 320, Output: 128}.ServedPerSecond(&config.Pools[0])
			// The weights send all requests to one replica.
			outcome, err := simulation.Run(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			served := 4000 / outcome.End.Seconds()
			if estimate < 0.85*served || estimate > 1.2*served {
				t.Errorf("estimate %.4g/s, served %.4g/s", estimate, served)
			}
		})
	}
}
