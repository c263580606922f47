// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// ranked has two replicas of a model with experts, each of four ranks.
func ranked(edit ...func(*v1alpha1.Scenario)) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		p := &s.Pools[0]
		p.Model, p.Replicas, p.DataParallelism, p.ExpertParallelism = "Qwen/Qwen3-30B-A3B", 2, 4, v1alpha1.Enabled
		for _, e := range edit {
			e(s)
		}
	}
}

func TestBuildBalancingOfRanks(t *testing.T) {
	internal := func(s *v1alpha1.Scenario) { s.Pools[0].DataParallelBalancing = v1alpha1.InternalBalancing }
	if !buildValid(t, ranked(internal)).config.Pools[0].OnePort || buildValid(t, ranked()).config.Pools[0].OnePort {
		t.Error("the balancing of ranks is not the scenario's")
	}
	external := func(s *v1alpha1.Scenario) { s.Pools[0].DataParallelBalancing = v1alpha1.ExternalBalancing }
	for _, edit := range []func(*v1alpha1.Scenario){internal, external} {
		_, faults := build(t, edit)
		wantFault(t, faults, "spec.scenario.pools[0].dataParallelBalancing", "needs dataParallelism of at least 2")
	}
}

func TestBuildRanks(t *testing.T) {
	m := buildValid(t, ranked(func(s *v1alpha1.Scenario) {
		s.Disruptions = []v1alpha1.Disruption{{At: "1s", Pool: "llama", Replica: 1, Kind: "Fail"}}
	}))
	p := &m.config.Pools[0]
	if p.Replicas != 8 || p.Ranks != 4 {
		t.Errorf("%d endpoints, %d of a replica, want 8 and 4", p.Replicas, p.Ranks)
	}
	// A step of one rank with work, and of all.
	one := latency.Step{Sequences: 1, PrefillTokens: 100, AttentionPairs: 5050, ContextTokens: 100, SampledTokens: 1}
	if alone, together := p.Timer.StepTime(one), p.LockStep.GroupStepTime([]latency.Step{{}, one, {}, {}}); alone != together {
		t.Errorf("a step of one rank takes %v by itself and %v among the others", alone, together)
	}
	names := []string{
		"llama/0-rank-0", "llama/0-rank-1", "llama/0-rank-2", "llama/0-rank-3",
		"llama/1-rank-0", "llama/1-rank-1", "llama/1-rank-2", "llama/1-rank-3",
	}
	cluster, _ := Cluster(m.in, nil)
	if diff := cmp.Diff(names, cluster.Names); diff != "" {
		t.Errorf("what the router calls the endpoints (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff(names, p.EndpointNames()); diff != "" {
		t.Errorf("what results call the endpoints (−want +got):\n%s", diff)
	}
	if got := AllPlaces(m.in); got != 8 {
		t.Errorf("%d places, want 8", got)
	}
	want := []simulator.Disruption{{At: simtime.Time(time.Second), Endpoint: 4, Kind: simulator.Fail}}
	if diff := cmp.Diff(want, m.config.Disruptions); diff != "" {
		t.Errorf("disruptions (−want +got):\n%s", diff)
	}
	provenance := poolProvenance(&m.in.Pools[0], p)
	if provenance.Replicas != 2 || provenance.DataParallelism != 4 || !provenance.ExpertParallelism {
		t.Errorf("provenance %+v", provenance)
	}
}

// Ranks of a dense model step on their own, under any model of step times.
func TestRanksOfADenseModel(t *testing.T) {
	for _, model := range []v1alpha1.LatencyModel{v1alpha1.RooflineModel, v1alpha1.PhysicsModel} {
		c := mustBuild(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].DataParallelism, s.Pools[0].Latency.Model = 2, model
		})
		if p := &c.Pools[0]; p.Replicas != 4 || p.Ranks != 2 || p.LockStep != nil {
			t.Errorf("%s: %d endpoints, %d of a replica, in lock-step: %v", model, p.Replicas, p.Ranks, p.LockStep != nil)
		}
	}
}

// A rank has the KV cache of its own GPUs beside its share of the experts.
func TestKVBlocksOfRanks(t *testing.T) {
	blocks := func(ranks int32) int {
		return mustBuild(t, ranked(func(s *v1alpha1.Scenario) { s.Pools[0].DataParallelism, s.Pools[0].ExpertParallelism = ranks, "" })).Pools[0].KVBlocks
	}
	// Of 2 ranks, each GPU has half of the 57 982 058 496 bytes of experts; so with 4 there is room for another
	// quarter of them in its KV cache, in blocks of 16 tokens of 98 304 bytes.
	if got, want := blocks(4)-blocks(2), 57982058496/4/(16*98304); got < want || got > want+1 {
		t.Errorf("%d more blocks with 4 ranks than with 2, want %d", got, want)
	}
}

func TestRanksValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want string
	}{
		"more GPUs than a machine has": {
			func(s *v1alpha1.Scenario) { s.Pools[0].TensorParallelism = 4 },
			"spec.scenario.pools[0].dataParallelism: Invalid value: 4: with tensorParallelism 4 a replica has 16 GPUs, more than the 8 of one machine",
		},
		"experts that cannot be dealt out": {
			func(s *v1alpha1.Scenario) { s.Pools[0].DataParallelism = 3 },
			`spec.scenario.pools[0].expertParallelism: Invalid value: "Enabled": dataParallelism × tensorParallelism is 3 GPUs, which must divide the 128 experts`,
		},
		"no experts": {
			func(s *v1alpha1.Scenario) { s.Pools[0].Model = "meta-llama/Llama-3.1-8B-Instruct" },
			`spec.scenario.pools[0].expertParallelism: Invalid value: "Enabled": meta-llama/Llama-3.1-8B-Instruct has no experts`,
		},
		"step times of one engine": {
			func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Model = v1alpha1.PhysicsModel },
			`spec.scenario.pools[0].latency.model: Invalid value: "physics": must be roofline with dataParallelism 4`,
		},
		"a scaler": {
			scaledBy(),
			"spec.scenario.pools[0].dataParallelism: Invalid value: 4: scaler queue scales this pool, and scalers of replicas with several ranks are not simulated",
		},
		"a replica that there is none of": {
			func(s *v1alpha1.Scenario) {
				s.Disruptions = []v1alpha1.Disruption{{At: "1s", Pool: "llama", Replica: 2, Kind: "Fail"}}
			},
			"spec.scenario.disruptions[0].replica: Invalid value: 2: pool llama has 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := build(t, ranked(tc.edit))
			if len(faults) != 1 || !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, tc.want) }) {
				t.Errorf("faults %q, want one of %q", faults, tc.want)
			}
		})
	}
}

func TestStepTimesOfRanks(t *testing.T) {
	m := buildValid(t, ranked(func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator = "h20" }))
	lines, warnings := new(Builder).StepTimes(m.in, spec)
	want := []string{"llama on h20, TP 1, DP 4: shares of peak published (one MFU for both phases), fitted to no engine; " +
		"dispatch and combine of experts: a formula (a latency and a share of the link's rate); " +
		"unchecked: no measurement of models with experts at DP 4, so calibrate before you rely on absolute times"}
	if diff := cmp.Diff(want, lines); diff != "" || len(warnings) > 0 {
		t.Errorf("lines (−want +got):\n%s\nwarnings: %q", diff, warnings)
	}
}
