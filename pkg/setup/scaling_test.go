// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// scaledBy has a scaler of the pool llama, which starts with two replicas.
func scaledBy(edit ...func(*v1alpha1.Scenario)) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Scalers = []v1alpha1.Scaler{{Name: "queue", Pools: []string{"llama"}, MaxReplicas: 8, Policy: "queue-length"}}
		for _, e := range edit {
			e(s)
		}
	}
}

func TestBuildScaling(t *testing.T) {
	c := mustBuild(t, scaledBy(func(s *v1alpha1.Scenario) {
		s.Pools[0].Startup = &v1alpha1.Startup{ImagePull: "10s", CoefficientOfVariation: "0.5", WarmUp: &v1alpha1.WarmUp{Duration: "1m"}}
		s.Pools[0].Drain = &v1alpha1.ReplicaDrain{Mode: v1alpha1.ImmediateDrain}
		s.Pools[0].NodePool = "h100"
		s.NodePools = []v1alpha1.NodePool{{Name: "h100", AcceleratorsPerNode: 1, MaxNodes: 5, Provisioning: "4m"}}
	}))
	p := &c.Pools[0]
	want := simulator.Startup{
		Provisioning: simulator.Delay{Variation: 0.5},
		ImagePull:    simulator.Delay{Mean: 10 * time.Second, Variation: 0.5},
		ModelLoad:    simulator.Delay{Mean: 130 * time.Second, Variation: 0.5},
		WarmUp:       simulator.WarmUp{Duration: time.Minute, Penalty: 1.5},
	}
	if diff := cmp.Diff(want, p.Startup); diff != "" {
		t.Errorf("start-up (−want +got):\n%s", diff)
	}
	if p.Ending.Mode != simulator.EndAtOnce || p.MaxReplicas != 8 || p.NodePool != 1 || p.Accelerators != 1 {
		t.Errorf("pool %+v", p)
	}
	nodes := []simulator.NodePool{{Name: "h100", Accelerators: 1, Nodes: 2, MaxNodes: 5, Provisioning: simulator.Delay{Mean: 4 * time.Minute}, IdleTimeout: 10 * time.Minute}}
	if diff := cmp.Diff(nodes, c.NodePools); diff != "" {
		t.Errorf("node pools (−want +got):\n%s", diff)
	}
	u := &c.Scaling[0]
	if u.Interval != 15*time.Second || u.Monitor.Interval != 15*time.Second || len(u.Monitor.Take(0).Engines) != 8 {
		t.Errorf("unit %+v", u)
	}
}

func TestScalingValidation(t *testing.T) {
	zero, three, one := int32(0), int32(3), int32(1)
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want string
	}{
		"no such policy": {func(s *v1alpha1.Scenario) { s.Scalers[0].Policy = "queue-lengths" },
			`spec.scenario.scalers[0].policy: Invalid value: "queue-lengths": unknown policy`},
		"a parameter of another policy": {func(s *v1alpha1.Scenario) {
			s.Scalers[0].Parameters = map[string]v1alpha1.PolicyParameter{"targetUtilization": "1"}
		}, `spec.scenario.scalers[0].parameters[targetUtilization]`},
		"no such trigger": {func(s *v1alpha1.Scenario) { s.Scalers[0].Trigger = &v1alpha1.ScalingTrigger{Name: "queues"} },
			`spec.scenario.scalers[0].trigger.name: Invalid value: "queues"`},
		"no such pool": {func(s *v1alpha1.Scenario) { s.Scalers[0].Pools[0] = "lama" },
			`spec.scenario.scalers[0].pools[0]: Unsupported value: "lama": supported values: "llama"`},
		"two scalers of one pool": {func(s *v1alpha1.Scenario) {
			again := s.Scalers[0]
			again.Name = "again"
			s.Scalers = append(s.Scalers, again)
		}, `spec.scenario.scalers[1].pools[0]: Invalid value: "llama": scaler queue scales this pool`},
		"two scalers of one pool, beside another fault": {func(s *v1alpha1.Scenario) {
			s.Scalers = append(s.Scalers, s.Scalers[0])
			s.Scalers[1].Name = "again"
			s.Disruptions = []v1alpha1.Disruption{{At: "1s", Pool: "llama", Kind: v1alpha1.FailDisruption}}
		}, `spec.scenario.scalers[1].pools[0]: Invalid value: "llama": scaler queue scales this pool`},
		"fewer replicas at the start than the minimum": {func(s *v1alpha1.Scenario) { s.Scalers[0].MinReplicas = &three },
			`spec.scenario.scalers[0].pools[0]: Invalid value: "llama": the pool starts with 2 replicas, and the scaler keeps it between 3 and 8: state replicas of the pool within these bounds`},
		"to zero without an activator": {func(s *v1alpha1.Scenario) { s.Scalers[0].MinReplicas = &zero },
			`spec.scenario.scalers[0].minReplicas: Invalid value: 0: if no replica is left`},
		"a ratio of nothing": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(v1alpha1.PrefillRole, v1alpha1.DecodeRole)(s)
			s.Scalers[0].Pools, s.Scalers[0].Policy = []string{"pprefill", "pdecode"}, "heteroscale"
			s.Scalers[0].Parameters = map[string]v1alpha1.PolicyParameter{"targetDecodeTPS": "100", "prefillShare": "0"}
		}, `spec.scenario.scalers[0].parameters[prefillShare]: Invalid value: "0": must be a whole number of at least 1`},
		"decode before prefill": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(v1alpha1.PrefillRole, v1alpha1.DecodeRole)(s)
			s.Scalers[0].Pools = []string{"pdecode", "pprefill"}
		}, `spec.scenario.scalers[0].pools: Invalid value: ["pdecode","pprefill"]: name the pool that prefills first`},
		"both before prefill": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(v1alpha1.PrefillRole, v1alpha1.DecodeRole)(s)
			s.Pools[1].Role = v1alpha1.BothRole
			s.Scalers[0].Pools = []string{"pdecode", "pprefill"}
		}, `spec.scenario.scalers[0].pools: Invalid value: ["pdecode","pprefill"]: name the pool that prefills first`},
		"two pools without roles": {func(s *v1alpha1.Scenario) {
			s.Pools = append(s.Pools, s.Pools[0])
			s.Pools[1].Name = "other"
			s.Scalers[0].Pools = []string{"llama", "other"}
		}, `spec.scenario.scalers[0].pools: Invalid value: ["llama","other"]: a policy scales one pool, or one that prefills and one that decodes: state a scaler for each of these pools`},
		"a disruption of a scaled pool": {func(s *v1alpha1.Scenario) {
			s.Disruptions = []v1alpha1.Disruption{{At: "1s", Pool: "llama", Kind: v1alpha1.FailDisruption}}
		}, `spec.scenario.disruptions[0].pool: Invalid value: "llama": scaler queue starts and ends the replicas of this pool`},
		"a start-up that nothing uses": {func(s *v1alpha1.Scenario) { s.Scalers, s.Pools[0].Startup = nil, &v1alpha1.Startup{} },
			`spec.scenario.pools[0].startup: Invalid value: "": has no effect: no scaler scales the pool`},
		"an activator that nothing uses": {func(s *v1alpha1.Scenario) { s.Scalers, s.Activator = nil, &v1alpha1.Activator{MaxWait: "1m"} },
			`spec.scenario.activator: Invalid value: "": has no effect: there are no scalers`},
		"no such node pool": {func(s *v1alpha1.Scenario) { s.Pools[0].NodePool = "a100" },
			`spec.scenario.pools[0].nodePool: Unsupported value: "a100"`},
		"a node pool that nothing uses": {func(s *v1alpha1.Scenario) { s.NodePools = []v1alpha1.NodePool{{Name: "h100", MaxNodes: 2}} },
			`spec.scenario.nodePools[0].name: Invalid value: "h100": has no effect: no pool names it as its nodePool`},
		"nodes for fewer replicas than there are": {func(s *v1alpha1.Scenario) {
			s.Pools[0].NodePool = "h100"
			s.NodePools = []v1alpha1.NodePool{{Name: "h100", AcceleratorsPerNode: 1, MaxNodes: 1}}
		}, `spec.scenario.nodePools[0].maxNodes: Invalid value: 1: the replicas of the pools need 2 nodes at the start`},
		"too few nodes at the start": {func(s *v1alpha1.Scenario) {
			s.Pools[0].NodePool = "h100"
			s.NodePools = []v1alpha1.NodePool{{Name: "h100", AcceleratorsPerNode: 1, MaxNodes: 4, Nodes: &one}}
		}, `spec.scenario.nodePools[0].nodes: Invalid value: 1: the replicas of the pools need 2 nodes at the start`},
		"a replica that no node holds": {func(s *v1alpha1.Scenario) {
			s.Pools[0].NodePool, s.Pools[0].TensorParallelism = "h100", 4
			s.NodePools = []v1alpha1.NodePool{{Name: "h100", AcceleratorsPerNode: 2, MaxNodes: 4}}
		}, `spec.scenario.pools[0].tensorParallelism: Invalid value: 4: a replica takes its accelerators on one node, and a node of h100 has 2`},
		"a warm-up that makes faster": {func(s *v1alpha1.Scenario) {
			s.Pools[0].Startup = &v1alpha1.Startup{WarmUp: &v1alpha1.WarmUp{Duration: "1m", InitialPenalty: "0.5"}}
		}, `spec.scenario.pools[0].startup.warmUp.initialPenalty: Invalid value: "0.5": must be at least 1`},
		"machines of two kinds": {func(s *v1alpha1.Scenario) {
			s.Pools[0].NodePool, s.Pools[0].Startup = "h100", &v1alpha1.Startup{Provisioning: "1m"}
			s.NodePools = []v1alpha1.NodePool{{Name: "h100", MaxNodes: 4}}
		}, `spec.scenario.pools[0].startup.provisioning: Invalid value: "1m": the pool has a nodePool`},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := build(t, scaledBy(tc.edit))
			for _, fault := range faults {
				if strings.Contains(fault, tc.want) {
					return
				}
			}
			t.Errorf("no fault with %q in %q", tc.want, faults)
		})
	}
}

// A policy is told the step times and the limits of the engines that it scales.
func TestPoliciesKnowTheEngines(t *testing.T) {
	p := &mustBuild(t, scaledBy(func(s *v1alpha1.Scenario) {
		s.Scalers[0].Policy = "dynamo-planner"
		speculate(eagle())(s)
	})).Pools[0]
	want := autoscaling.EngineModel{
		Timer: p.Timer, Accelerators: 2, KVTokens: p.KVTokens(),
		MaxNumSeqs: p.MaxNumSeqs, MaxNumBatchedTokens: p.MaxNumBatchedTokens, ContextTokens: p.MaxModelLen,
		Drafts: 2, TokensPerStep: 2.3,
	}
	if got := engineModel(&v1alpha1.Pool{TensorParallelism: 2}, p); got != want || p.Timer == nil || want.KVTokens == 0 || want.ContextTokens == 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
