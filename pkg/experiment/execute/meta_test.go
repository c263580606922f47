// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

func runDocument(t *testing.T, edit func(*v1alpha1.Scenario)) *result.Document {
	t.Helper()
	run := experimenttest.Run(t)
	edit(&run.Spec.Scenario)
	c := experimenttest.MustCompileRun(t, run)
	_, documents := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experiment.Span{End: 1}))
	return documents[0]
}

func TestProvenanceListsCacheTiers(t *testing.T) {
	d := runDocument(t, func(s *v1alpha1.Scenario) {
		s.Pools[0].KVCache.Eviction = "LFU"
		s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{
			{Kind: "Storage", Blocks: ptr.To[int32](900), Device: "sata-ssd", Sharing: "Pool", Eviction: "Priority"},
			{Kind: "CPU", Blocks: ptr.To[int32](500)},
		}
		s.Pools[0].KVCache.Offload = &v1alpha1.Offload{Policy: "Lazy"}
	})
	pool := d.Provenance.Pools[0]
	want := []result.TierProvenance{
		{Kind: "cpu", Blocks: 500, ReadBytesPerSecond: 20e9, WriteBytesPerSecond: 20e9, LatencySeconds: 1e-6},
		{Kind: "storage", Blocks: 900, Shared: true, Eviction: "Priority", ReadBytesPerSecond: 550e6, WriteBytesPerSecond: 500e6, LatencySeconds: 150e-6},
	}
	if diff := cmp.Diff(want, pool.Tiers); diff != "" {
		t.Errorf("tiers (−want +got):\n%s", diff)
	}
	if pool.Offload != "Lazy" || pool.Eviction != "LFU" {
		t.Errorf("offloading %q, eviction %q", pool.Offload, pool.Eviction)
	}
	for _, name := range []string{"cacheHit.cpu", "cacheHit.storage", "cacheHit.total", "cpuTier.stored", "storageTier.stored", "linkUtilization.toHost"} {
		if _, ok := d.Value(result.MustParseMetric(name)); !ok {
			t.Errorf("a run with tiers has no %s", name)
		}
	}
}

func TestProvenanceDescribesTheHandoff(t *testing.T) {
	d := runDocument(t, func(s *v1alpha1.Scenario) {
		builder.SplitPools(v1alpha1.PrefillRole, v1alpha1.DecodeRole)(s)
		s.Disaggregation = &v1alpha1.Disaggregation{
			Granularity: "Block", Pipelining: &v1alpha1.Pipelining{StartShare: "0.5"}, MaxPendingHandoffs: 9,
		}
		s.Disruptions = []v1alpha1.Disruption{{At: "1s", Pool: "pdecode", Kind: "Fail"}}
	})
	want := &result.HandoffProvenance{BytesPerSecond: 50e9, LatencySeconds: 50e-6, Granularity: "Block", StartShare: 0.5, MaxPending: 9}
	if diff := cmp.Diff(want, d.Provenance.Handoff); diff != "" {
		t.Errorf("hand-over (−want +got):\n%s", diff)
	}
	if p := d.Provenance; p.Disruptions != 1 || p.Pools[0].Role != "Prefill" || p.Pools[1].Role != "Decode" {
		t.Errorf("%d disruptions, roles %q and %q", p.Disruptions, p.Pools[0].Role, p.Pools[1].Role)
	}
	for _, name := range []string{"handoffs", "handoff.p99", "handoffShare", "migrations", "failureRate", "linkUtilization.egress"} {
		if value, ok := d.Value(result.MustParseMetric(name)); !ok || name == "handoffs" && value == 0 {
			t.Errorf("%s is %v (there: %v)", name, value, ok)
		}
	}
}

func TestProvenanceDescribesTheStabilityController(t *testing.T) {
	d := runDocument(t, func(s *v1alpha1.Scenario) {
		s.Pools[0].KVCache.Stability = &v1alpha1.Stability{Controller: "QueueingSeed", Admission: "Queue", Evict: "Disabled"}
	})
	want := &result.StabilityProvenance{Controller: "QueueingSeed", Admission: "Queue"}
	if diff := cmp.Diff(want, d.Provenance.Pools[0].Stability); diff != "" {
		t.Errorf("stability (−want +got):\n%s", diff)
	}
}

func TestProvenanceDescribesStepTimes(t *testing.T) {
	provenance := func(edit func(*v1alpha1.Pool)) result.PoolProvenance {
		return runDocument(t, func(s *v1alpha1.Scenario) { edit(&s.Pools[0]) }).Provenance.Pools[0]
	}
	plain := provenance(func(p *v1alpha1.Pool) { p.RequestCost = noWay })
	if diff := cmp.Diff(result.PoolProvenance{
		Name: "llama", Model: plain.Model, Accelerator: plain.Accelerator, TensorParallelism: 1, Replicas: 2,
		LatencyModel: "roofline", KVBlocks: plain.KVBlocks, KVBlocksComputed: true, BlockTokens: 16,
	}, plain); diff != "" {
		t.Errorf("of a plain pool (−want +got):\n%s", diff)
	}
	special := provenance(func(p *v1alpha1.Pool) {
		p.Quantization.Weights, p.Quantization.KVCache = "fp8", "fp8"
		p.RequestCost = &v1alpha1.RequestCost{QueueBaseMicroseconds: "15563"}
		p.Engine.Scheduler, p.Engine.Victim = v1alpha1.PriorityScheduler, v1alpha1.MostBlocksVictim
		p.KVCache.Blocks = ptr.To[int32](5000)
		p.Latency.Roofline = &v1alpha1.RooflineCoefficients{MemoryEfficiency: "0.8", ExpertImbalance: "1"}
	})
	want := plain
	want.KVBlocks, want.KVBlocksComputed = 5000, false
	want.Given = []string{"expertImbalance", "memoryEfficiency"}
	want.Quantization = result.QuantizationProvenance{Weights: "fp8", KVCache: "fp8"}
	want.RequestCost = result.RequestCostProvenance{QueueBaseSeconds: 0.015563}
	want.Scheduler, want.Victim = "Priority", "MostBlocks"
	if diff := cmp.Diff(want, special); diff != "" {
		t.Errorf("of a special pool (−want +got):\n%s", diff)
	}
}

// noWay states that the way of a request to the engine takes no time.
var noWay = &v1alpha1.RequestCost{Preset: v1alpha1.NoRequestCost}

// Constant steps of 10 ms and prompts of one step: the median is that of a wait for a step and of
// the step itself, below 50 ms; with steps of 60 ms it is above.
func TestProvenanceWarnsOfAMissingWay(t *testing.T) {
	const missing = "without any time for tokeniser, HTTP and gateway: state requestCost"
	for name, tc := range map[string]struct {
		step v1alpha1.Microseconds
		cost *v1alpha1.RequestCost
		want bool
	}{
		"fast, and no cost":        {"10000", nil, true},
		"slow, and no cost":        {"60000", nil, false},
		"fast, and a cost":         {"10000", &v1alpha1.RequestCost{Preset: v1alpha1.DirectRequestCost}, false},
		"fast, and expressly none": {"10000", noWay, false},
	} {
		d := runDocument(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].RequestCost = tc.cost
			s.Pools[0].Latency = v1alpha1.Latency{Model: v1alpha1.LinearModel, Linear: &v1alpha1.LinearCoefficients{
				BaseMicroseconds: tc.step, PerPrefillTokenMicroseconds: "0", PerDecodeTokenMicroseconds: "0",
			}}
		})
		if caveats := strings.Join(d.Provenance.Pools[0].Caveats, "\n"); strings.Contains(caveats, missing) != tc.want {
			t.Errorf("%s: median %v s: %q", name, d.Overall.TTFT.P50, caveats)
		}
	}
}

func TestProvenanceWarnsOfUnreliableStepTimes(t *testing.T) {
	caveats := func(prompt v1alpha1.PositiveDecimal, in v1alpha1.Latency) []string {
		d := runDocument(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].Latency, s.Pools[0].RequestCost = in, noWay
			s.Workload.Clients[0].InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: prompt, Min: 1}
		})
		return d.Provenance.Pools[0].Caveats
	}
	physics := v1alpha1.Latency{Model: v1alpha1.PhysicsModel}
	if got := caveats("30000", physics); len(got) != 1 || !strings.Contains(got[0], "physics prefills") {
		t.Errorf("physics with long prompts says %q", got)
	}
	if got := caveats("100", physics); len(got) != 0 {
		t.Errorf("physics with short prompts says %q", got)
	}
	table := v1alpha1.Latency{Model: v1alpha1.TableModel, Table: &v1alpha1.TableSource{Inline: ptr.To(strings.ReplaceAll(experimenttest.StepTimeTable, "[1, 8192]", "[1, 4200]"))}}
	if got := caveats("30000", table); len(got) != 1 || !strings.Contains(got[0], "outside the measured range of the table") {
		t.Errorf("a table that is left says %q", got)
	}
	if got := caveats("100", table); len(got) != 0 {
		t.Errorf("a table that is kept to says %q", got)
	}
}
