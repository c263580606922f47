// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

func runDocument(t *testing.T, edit func(*v1alpha1.Scenario)) *result.Document {
	t.Helper()
	_, documents := split(mustSimulate(t, mustCompileRun(t, edit), Span{End: 1}))
	return documents[0]
}

func TestAResultSaysWhatLiesBelowItsCache(t *testing.T) {
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

func TestAResultSaysHowKVIsHandedOver(t *testing.T) {
	d := runDocument(t, func(s *v1alpha1.Scenario) {
		splitPools(s, v1alpha1.PrefillRole, v1alpha1.DecodeRole)
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

func TestAResultSaysWhoWatchesTheCache(t *testing.T) {
	d := runDocument(t, func(s *v1alpha1.Scenario) {
		s.Pools[0].KVCache.Stability = &v1alpha1.Stability{Controller: "QueueingSeed", Admission: "Queue", Evict: "Disabled"}
	})
	want := &result.StabilityProvenance{Controller: "QueueingSeed", Admission: "Queue"}
	if diff := cmp.Diff(want, d.Provenance.Pools[0].Stability); diff != "" {
		t.Errorf("stability (−want +got):\n%s", diff)
	}
}
