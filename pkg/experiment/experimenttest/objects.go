// SPDX-License-Identifier: Apache-2.0

package experimenttest

import (
	"bytes"
	_ "embed" // the objects of testdata
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

var (
	//go:embed testdata/sweep.yaml
	sweepManifest []byte
	//go:embed testdata/run.yaml
	runManifest []byte
)

// StepTimeTable is a table of step times, in place of a latency model.
const StepTimeTable = `prefill:
  newTokens: [1, 8192]
  contextTokens: [0, 131072]
  microseconds: [[6000, 9000], [200000, 400000]]
decode:
  sequences: [1, 256]
  contextTokens: [1, 131072]
  microseconds: [[6000, 7000], [12000, 90000]]
`

// ReadSet returns the objects of manifests.
func ReadSet(t testing.TB, raw []byte) *manifest.Set {
	t.Helper()
	set, err := manifest.Read(bytes.NewReader(raw), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Sweep is a grid over a weight and a plugin's parameter, with a baseline. It replays
// the trace of [TraceInputs].
func Sweep(t testing.TB) *v1alpha1.PolicySweep {
	t.Helper()
	return ReadSet(t, sweepManifest).Sweeps[0]
}

// SearchSweep is [Sweep] with one weight over a range, 12 trials of an algorithm and no
// baseline.
func SearchSweep(t testing.TB, algorithm v1alpha1.SearchAlgorithm, edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	t.Helper()
	sweep := Sweep(t)
	sweep.Spec.Parameters = sweep.Spec.Parameters[:1]
	sweep.Spec.Parameters[0].Values = nil
	sweep.Spec.Parameters[0].Range = &v1alpha1.Range{Min: "0", Max: "10"}
	sweep.Spec.Baseline = nil
	sweep.Spec.Search = v1alpha1.Search{Algorithm: algorithm, MaxTrials: 12, Seed: 1}
	for _, edit := range edits {
		edit(sweep)
	}
	return sweep
}

// Run is a run of one client with two seeds. It needs no inputs.
func Run(t testing.TB) *v1alpha1.SimulationRun {
	t.Helper()
	return ReadSet(t, runManifest).Runs[0]
}

// Profile is a named EPP configuration of some plugins.
func Profile(name string, plugins ...string) v1alpha1.Profile {
	text := "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n"
	for _, plugin := range plugins {
		text += "- type: " + plugin + "\n"
	}
	return v1alpha1.Profile{Name: name, EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Version: "router-v0.10", Inline: &text}}
}

// AddProfiles adds the parameter "profile" and removes the baseline, which has no value
// for it.
func AddProfiles(profiles ...v1alpha1.Profile) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters = append(s.Spec.Parameters, v1alpha1.Parameter{
			Name: "profile", Path: "router.endpointPickerConfig", Profiles: profiles,
		})
		s.Spec.Baseline = nil
	}
}

// Large is the second model of [ServeTwoModels].
const Large = "meta-llama/Llama-3.1-70B-Instruct"

// ServeTwoModels has a scenario serve a second model in addition to its own, by a router with the
// same configuration, and a client that asks for it. The trace, if there is one, asks for
// the first model.
func ServeTwoModels(s *v1alpha1.Scenario) {
	small := s.Pools[0].Model
	s.Pools = append(s.Pools, v1alpha1.Pool{Name: "large", Model: Large, Accelerator: "h100-sxm", TensorParallelism: 4, Replicas: 2})
	s.Routers = []v1alpha1.ModelRouter{{Model: small, Router: *s.Router.DeepCopy()}, {Model: Large, Router: s.Router}}
	s.Router = v1alpha1.Router{}
	for i := range s.Workload.Clients {
		s.Workload.Clients[i].Model = small
	}
	for _, t := range setup.Traces(&s.Workload, nil) {
		t.Model = small
	}
	s.Workload.Clients = append(s.Workload.Clients, v1alpha1.Client{
		Name: "agents", Tenant: "default", Class: "default", Model: Large,
		Arrivals:     v1alpha1.Arrivals{Process: "Poisson", Rate: "2"},
		InputTokens:  v1alpha1.Lengths{Distribution: "Constant", Mean: "900", Min: 1},
		OutputTokens: v1alpha1.Lengths{Distribution: "Constant", Mean: "50", Min: 1},
	})
}

// EvolvingSweep evolves the policy of [Run] from a decision tree that is the same for all
// replicas, on two islands.
func EvolvingSweep(t testing.TB, edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	t.Helper()
	text := "{apiVersion: sim.windtunnel.dev/v1alpha1, kind: PolicyBundle, metadata: {name: poor}, routing: {signals: [prefix-affinity, in-flight], decisionTree: {root: {value: 0}}}}"
	size := int32(6)
	sweep := Sweep(t)
	spec := &sweep.Spec
	spec.Scenario = *Run(t).Spec.Scenario.DeepCopy()
	spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{Bundle: &v1alpha1.ManifestSource{Inline: &text}}}
	spec.Parameters = []v1alpha1.Parameter{{Name: "policy", Path: "router.policies.bundle", Evolve: &v1alpha1.Evolution{MaxNodes: 9}}}
	spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: "policy", Value: "scenario"}}}
	spec.Search = v1alpha1.Search{
		Algorithm: v1alpha1.MAPElitesSearch, MaxTrials: 30, Seed: 1, GenerationSize: &size,
		Features: []v1alpha1.Feature{{Metric: "ttft.p99", Min: "0", Max: "1", Bins: 3}},
		Islands:  &v1alpha1.Islands{Count: 2, MigrateEvery: 2},
	}
	for _, edit := range edits {
		edit(sweep)
	}
	return sweep
}
