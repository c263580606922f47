// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

// candidate is the input of a report of two seeds, with 10 s of one request per second each.
func candidate(t *testing.T) Input {
	t.Helper()
	sum := &Summary{}
	var rows []result.Row
	for seed := range int64(2) {
		var requests []result.RequestRow
		for i := range 10 {
			requests = append(requests, completed(float64(i), 1, 100, 10))
		}
		sum.Merge(&record(t, requests...).Summary)
		rows = append(rows, result.Row{Key: "k", Seed: seed, Share: 1, Metrics: result.NewMetrics(map[string]float64{
			"throughput.requests": 1, "throughput.inputTokens": 100, "throughput.outputTokens": 10,
			"itl.mean": 0.01 + float64(seed)*0.002, "itl.p99": 0.05, "itl.max": 0.1 + float64(seed),
			"kvUsage.mean": 0.25, "kvUsage.peak": 0.5 + 0.25*float64(seed),
		})})
	}
	return Input{
		Name: "run", Experiment: "plan", Rows: rows, Requests: sum,
		Scenario: &v1alpha1.Scenario{Pools: []v1alpha1.Pool{{Name: "llama", Replicas: 2}}, Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{{Name: "chat"}}}},
		Tree:     map[string]any{"pools": []any{map[string]any{"name": "llama"}}, "router": map[string]any{"policies": map[string]any{"routing": "random"}}},
	}
}

func mustNew(t *testing.T, in Input) *Report {
	t.Helper()
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	return mustRead(t, mustEncode(t, r))
}

func TestAReportIsOverAllSeeds(t *testing.T) {
	r := mustNew(t, candidate(t))
	if diff := cmp.Diff(&RunTime{Start: "1970-01-01T00:00:00Z", End: "1970-01-01T00:00:10Z", Duration: "PT10S"}, r.Run.Time); diff != "" {
		t.Errorf("time (−want +got):\n%s", diff)
	}
	a := r.Results.RequestPerformance.Aggregate
	if a.Requests.Total != 20 || a.Throughput.TotalTokenRate.Mean != 110 || *r.Scenario.Load.Standardized.RateQPS != 1 {
		t.Errorf("requests %v, tokens %v, rate %v", a.Requests.Total, a.Throughput.TotalTokenRate.Mean, *r.Scenario.Load.Standardized.RateQPS)
	}
	// Of several seeds there are no percentiles of gaps.
	want := &Statistics{Units: "s/token", Mean: 0.011, Quantiles: Quantiles{Max: new(1.1)}}
	if diff := cmp.Diff(want, a.Latency.InterTokenLatency, approximately); diff != "" {
		t.Errorf("gaps (−want +got):\n%s", diff)
	}
	if c := r.Results.Observability.Components; len(c) != 1 || *c[0].Aggregate.KVCacheUsage.Max != 0.75 || c[0].Aggregate.CacheHitRate != nil {
		t.Errorf("components %+v", c)
	}
	if r.Results.SessionPerformance != nil || r.Results.ComponentHealth != nil || r.Results.Observability.DropRate != nil {
		t.Error("the report has what was not measured")
	}
	if e := r.Engines()[0]; e.Model.Name != unstated || e.Role != "replica" || e.Replicas != 2 {
		t.Errorf("engine %+v", e)
	}
}

func TestCandidatesShareTheExperiment(t *testing.T) {
	a, b := candidate(t), candidate(t)
	b.Point, b.Parameters = 3, []result.Assignment{{Name: "weight", Value: "2"}}
	ra, rb := mustNew(t, a), mustNew(t, b)
	if ra.Run.EID != rb.Run.EID || ra.Run.UID == rb.Run.UID || len(ra.Run.UID) != 32 {
		t.Errorf("experiments %s and %s, reports %s and %s", ra.Run.EID, rb.Run.EID, ra.Run.UID, rb.Run.UID)
	}
	if want := "run weight=2 (simulated by windtunnel, 2 seeds)"; rb.Run.Description != want {
		t.Errorf("the label is %s, want %s", rb.Run.Description, want)
	}
}

func TestLoadsByTheirClients(t *testing.T) {
	loop := v1alpha1.Client{Name: "users", ClosedLoop: &v1alpha1.ClosedLoop{Concurrency: 8}, Copies: &v1alpha1.Copies{Count: 3}}
	for name, tc := range map[string]struct {
		workload          v1alpha1.Workload
		source            string
		rate, concurrency float64
	}{
		"an open loop":       {v1alpha1.Workload{Clients: []v1alpha1.Client{{Name: "a"}}}, "random", 1, 0},
		"a closed loop":      {v1alpha1.Workload{Clients: []v1alpha1.Client{loop}}, "random", 0, 24},
		"both":               {v1alpha1.Workload{Clients: []v1alpha1.Client{loop, {Name: "a"}}}, "random", 0, 0},
		"a trace":            {v1alpha1.Workload{Trace: &v1alpha1.Trace{}}, "sampled", 1, 0},
		"a trace and a loop": {v1alpha1.Workload{Trace: &v1alpha1.Trace{}, Clients: []v1alpha1.Client{loop}}, "unknown", 0, 0},
	} {
		in := candidate(t)
		in.Scenario.Workload = tc.workload
		l := mustNew(t, in).Scenario.Load.Standardized
		value := func(v *float64) float64 {
			if v == nil {
				return 0
			}
			return *v
		}
		if l.Source != tc.source || value(l.RateQPS) != tc.rate || value(l.Concurrency) != tc.concurrency {
			t.Errorf("%s: source %s, rate %v, concurrency %v", name, l.Source, value(l.RateQPS), value(l.Concurrency))
		}
	}
}

func TestFailuresAreThoseOfTheScenario(t *testing.T) {
	in := candidate(t)
	at := func(at v1alpha1.Duration, replica int32, kind v1alpha1.DisruptionKind) v1alpha1.Disruption {
		return v1alpha1.Disruption{At: at, Pool: "llama", Replica: replica, Kind: kind}
	}
	in.Scenario.Disruptions = []v1alpha1.Disruption{
		at("1s", 0, v1alpha1.FailDisruption), at("2s", 0, v1alpha1.RecoverDisruption),
		at("3s", 1, v1alpha1.FailDisruption), at("4s", 0, v1alpha1.DrainDisruption),
		at("1h", 1, v1alpha1.RecoverDisruption), // after the last request
	}
	want := []ComponentHealth{{
		ComponentLabel: "llama", TotalRestarts: new(int64(1)), FailedReplicas: new(int64(2)),
		ReplicaHealth: []ReplicaHealth{
			{ReplicaID: "llama/0", Restarts: new(int64(1)), Healthy: new(true)},
			{ReplicaID: "llama/1", Restarts: new(int64(0)), Healthy: new(false)},
		},
	}}
	if diff := cmp.Diff(want, mustNew(t, in).Results.ComponentHealth); diff != "" {
		t.Errorf("health (−want +got):\n%s", diff)
	}
}

func TestRowsWithoutRequestsAreRefused(t *testing.T) {
	in := candidate(t)
	in.Rows = in.Rows[:1]
	if _, err := New(in); err == nil {
		t.Error("a report of one row and two summaries")
	}
}
