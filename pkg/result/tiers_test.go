// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// makeTieredDocument is makeDocument where the small pool prefills for the
// large one, has tiers, is watched, a replica failed, flow
// control keeps requests back, and a rule finds the warm-up.
func makeTieredDocument(seed int64, bias time.Duration) *Document {
	return NewDocument(makeTieredOutcome(seed, bias))
}

// makeTieredOutcome is a simulation of a scenario that has nearly everything.
func makeTieredOutcome(seed int64, bias time.Duration) (*simulator.Result, Meta) {
	o := makeOutcome(bias)
	for i := range o.Cells {
		c := &o.Cells[i]
		if c.Pool == simulator.NoPool {
			continue
		}
		c.TierTokens = [simulator.TierKinds]int64{c.PromptTokens / 5, c.PromptTokens / 10}
		c.Handoffs, c.Migrated, c.Failed = c.Completed, 1, 1
		c.Arrived++
		c.Handoff.RecordN(int64(2*time.Millisecond), c.Completed)
		c.GatewayQueueing.RecordN(int64(3*time.Millisecond), c.Completed)
		c.AdmissionDelay.RecordN(int64(7*time.Millisecond), c.Completed/4)
		c.KVLoad.RecordN(int64(5*time.Millisecond), c.Completed/2)
		c.AdapterWait.RecordN(int64(9*time.Millisecond), c.Completed/4)
	}
	first := &o.Replicas[0]
	first.Tiers = []simulator.TierUse{
		{Kind: simulator.CPUTier, Blocks: 1000, PeakShare: 0.75, MeanShare: 0.5, StoredBlocks: 900, LoadedBlocks: 300, EvictedBlocks: 100, ThrashedBlocks: 12},
		{Kind: simulator.StorageTier, Blocks: 5000, PeakShare: 1, MeanShare: 0.9, StoredBlocks: 6000, LoadedBlocks: 50, EvictedBlocks: 1000, RefusedBlocks: 3},
	}
	for i, name := range []string{"toHost", "toGPU", "cpu.read", "cpu.write", "storage.read", "storage.write", "egress", "ingress"} {
		first.Links = append(first.Links, simulator.LinkUse{Name: name, Bytes: int64(i) << 30, Busy: time.Duration(i) * 800 * time.Millisecond, MeanConcurrency: 1.5})
	}
	for i := range o.Replicas[1:] {
		o.Replicas[1+i].Links = []simulator.LinkUse{{Name: "ingress", Bytes: 1 << 30, Busy: 400 * time.Millisecond, MeanConcurrency: 1}}
		o.Replicas[1+i].Stability = &stability.State{
			ArrivalsPerSecond: 8, ServedPerSecond: 10, Utilization: 0.8 + 0.4*float64(i), IsStable: i == 0,
			CriticalArrivalsPerSecond: 9, MinimumStableBlocks: 700, StabilityMarginPercent: 20,
		}
	}
	m := makeMeta(seed)
	m.HandsOver, m.Disrupted = true, true
	m.Adaptations = []*policy.Adaptation{makeAdaptation()}
	m.FoundWarmUp = &WarmUp{Rule: "MSER", Steady: seed == 42, Requests: 2 * (seed - 40)}
	m.Provenance.Pools[0].Role = "Prefill"
	m.Provenance.Pools[0].Tiers = []TierProvenance{
		{Kind: "cpu", Blocks: 1000, ReadBytesPerSecond: 20e9, WriteBytesPerSecond: 20e9, LatencySeconds: 1e-6},
		{Kind: "storage", Blocks: 5000, Shared: true, Eviction: "LFU", ReadBytesPerSecond: 7e9, WriteBytesPerSecond: 5e9, LatencySeconds: 80e-6},
	}
	m.Provenance.Pools[0].Offload = "Eager"
	m.Provenance.Pools[1].Role, m.Provenance.Pools[1].Eviction = "Decode", "Priority"
	m.Provenance.Pools[1].Stability = &StabilityProvenance{Controller: "Queueing", Evicts: true, Admission: "Queue"}
	m.Provenance.Handoff = &HandoffProvenance{BytesPerSecond: 50e9, LatencySeconds: 50e-6, Granularity: "Chunk", StartShare: 0.25, SingleOwner: true, MaxPending: 8}
	m.Provenance.Disruptions = 2
	return o, m
}

// makeAdaptation has 12 epochs under 4:3 and 3:3 in turn.
func makeAdaptation() *policy.Adaptation {
	a := &policy.Adaptation{Law: "bang-bang", Last: []policy.ScorerWeight{
		{Profile: "default", Scorer: "prefix", Type: "prefix-cache-scorer", Weight: 4}, {Profile: "default", Scorer: "queue", Type: "queue-scorer", Weight: 3},
	}}
	for i := range 12 {
		a.Add(policy.WeightEpoch{
			Begin: simtime.Time(i) * 1e8, End: simtime.Time(i+1) * 1e8, Arrived: 20, Rejected: int64(i % 3),
			Prefix: float64(4 - i%2), Load: 3, NoSignal: i%3 == 0, Capped: i%4 == 1,
		})
	}
	return a
}

func TestTieredDocument(t *testing.T) {
	golden.Check(t, "testdata/document-tiers.json", indented(t, makeTieredDocument(42, 0)))
}

func TestTieredDocumentsOfARunGolden(t *testing.T) {
	golden.Check(t, "testdata/run-tiers.json", indented(t, []*Document{makeTieredDocument(42, 0), makeTieredDocument(43, time.Millisecond)}))
}

// What a scenario does not have is in no result of it.
func TestMetricsAreThereWhereTheirNeedIs(t *testing.T) {
	o, m := makeTieredOutcome(42, 0)
	m.Timeouts, m.Retries = true, true
	o.Cells[0].Drafts, o.Cells[0].DraftTokens = 1, 3
	o.Replicas[0].Queue = &simulator.QueueUse{}
	o.Units = []simulator.UnitUse{{Pools: []int{0, 1}}}
	with, without := NewRow(NewDocument(o, m), 0, nil), NewRow(makeDocument(42, 0), 0, nil)
	for _, m := range RegisteredMetrics() {
		name := m.String()
		if m.NeedsTargets() || m.OnDemand() || m.Needs() == NeedsRoute { // which is of selections
			continue
		}
		needs := m.Needs()
		_, withIt := with.Metrics.Get(name)
		_, withoutIt := without.Metrics.Get(name)
		if !withIt && !strings.HasPrefix(name, "linkConcurrency.toHost") {
			t.Errorf("%s has no value in a scenario that has everything", name)
		}
		if withoutIt != (needs == NeedsNothing) {
			t.Errorf("%s needs %d; in a scenario without tiers, hand-overs and the like it has a value: %v", name, needs, withoutIt)
		}
	}
}

// Of 3 and 7 drafts with 9 and 21 tokens, 6 and 9 are accepted: 1 + 15/10 tokens a step, and
// 15/30 of the drafted tokens.
func TestSpeculationOfCells(t *testing.T) {
	o, m := makeTieredOutcome(42, 0)
	for i, of := range [][3]int64{{3, 9, 6}, {7, 21, 9}} {
		c := &o.Cells[i]
		c.Drafts, c.DraftTokens, c.AcceptedTokens = of[0], of[1], of[2]
	}
	got := NewDocument(o, m).Overall.Speculation
	if diff := cmp.Diff(&Speculation{TokensPerStep: 2.5, Acceptance: 0.5, Drafts: 10, DraftTokens: 30}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHitsAddUp(t *testing.T) {
	d := makeTieredDocument(42, 0)
	for name, want := range map[string]float64{
		"cacheHit.gpu": 0.25, "cacheHit.cpu": 0.2, "cacheHit.storage": 0.1, "cacheHit.total": 0.55, "cacheHit.computed": 0.45,
		"cacheHit.total{pool=large}": 0.55, "cacheHit.computed{class=critical}": 0.45,
		"migrations": 3, "handoffs": 200,
		"cpuTier.thrashed": 12, "storageTier.refused{pool=small}": 3, "storageTier.mean": 0.9,
		"linkUtilization.toGPU": 0.1, "linkUtilization.ingress": (0.7 + 0.05 + 0.05) / 3, "linkConcurrency.ingress{pool=large}": 1,
		"stability.rho": 1, "stability.margin": 0, "stability.unstable": 0.5, "stability.criticalRate": 9,
	} {
		if got, ok := d.Value(MustParseMetric(name)); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v (there: %v), want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"cpuTier.thrashed{pool=large}", "linkUtilization.toGPU{pool=large}", "stability.rho{pool=small}"} {
		if got, ok := d.Value(MustParseMetric(name)); ok {
			t.Errorf("%s is %v, and the pool has none", name, got)
		}
	}
}

func TestHandoffShareIsOfTimeToFirstToken(t *testing.T) {
	d := makeTieredDocument(42, 0)
	got, _ := d.Value(MustParseMetric("handoffShare"))
	want := 0.002 * float64(d.Overall.Handoffs.Count) / (d.Overall.TTFT.Mean * float64(d.Overall.TTFT.Count))
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("share %v, want %v", got, want)
	}
}

func TestStabilityWithoutAnEstimate(t *testing.T) {
	o := makeOutcome(0)
	o.Replicas[0].Stability = &stability.State{Insufficient: true, ArrivalsPerSecond: 1}
	o.Replicas[1].Stability = &stability.State{IsStable: true, CriticalArrivalsPerSecond: math.Inf(1), ServedPerSecond: math.Inf(1)}
	d := NewDocument(o, makeMeta(42))
	if got, want := d.Pools[0].Replicas.Stability, (&Stability{Watched: 1, Insufficient: 1}); !cmp.Equal(got, want) {
		t.Errorf("nothing known: %+v, want %+v", got, want)
	}
	if got := d.Pools[1].Replicas.Stability; got.Watched != 1 || got.CriticalRate != nil || got.Rho == nil {
		t.Errorf("a replica whose requests hold nothing: %+v", got)
	}
	indented(t, d) // no infinity is in the way
}

func TestDocumentsHoldTheStatesOfReplicas(t *testing.T) {
	var got []string
	for _, r := range makeTieredDocument(42, 0).Stability {
		got = append(got, fmt.Sprintf("%s/%d %.1f", r.Pool, r.Replica, r.State.Utilization))
	}
	if diff := cmp.Diff([]string{"large/0 0.8", "large/1 1.2"}, got); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
}
