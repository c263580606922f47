// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// turns routes to one endpoint after the other and refuses every eighth
// request.
type turns struct{ endpoints, seen int }

func (r *turns) Route(*policy.View, *policy.Request) (policy.Route, error) {
	r.seen++
	if r.seen%8 == 0 {
		return policy.Route{}, policy.ErrNoEndpoint
	}
	return policy.To(r.seen % r.endpoints), nil
}

// simulate runs an overloaded cluster whose drain is cut short, so that
// requests end in every way.
func simulate(t *testing.T, seed int64, targets []simulator.Target) *Document {
	t.Helper()
	client := func(name, tenant, class string, rate, tokens float64) workload.Client {
		return workload.Client{
			Name: name, Tenant: tenant, Class: class,
			Arrivals:    workload.Arrivals{Process: workload.Poisson, RatePerSecond: rate},
			Input:       workload.Lengths{Distribution: stats.Exponential{Mean: tokens}, Min: 1},
			Output:      workload.Lengths{Distribution: stats.Exponential{Mean: 40}, Min: 1},
			PrefixGroup: tenant, PrefixTokens: 128,
		}
	}
	pool := func(name string, replicas int, base float64) simulator.Pool {
		return simulator.Pool{
			Name: name, Replicas: replicas, Timer: latency.Linear{BaseMicroseconds: base, PerPrefillTokenMicroseconds: 20, PerDecodeTokenMicroseconds: 50},
			BlockTokens: 16, KVBlocks: 200, PrefixCaching: true, MaxNumSeqs: 16, MaxNumBatchedTokens: 512,
		}
	}
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{pool("fast", 2, 5000), pool("slow", 1, 20000)},
		Policies: policy.RoutedBy(&turns{endpoints: 3}),
		Source: workload.NewClients([]workload.Client{
			client("chat", "acme", "critical", 40, 200), client("batch", "acme", "sheddable", 10, 800), client("other", "blue", "critical", 20, 300),
		}, seed),
		Horizon: simulator.Horizon{Requests: 600, WarmUp: time.Second, Drain: 100 * time.Millisecond},
		Targets: targets,
		Seed:    seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	return NewDocument(o, Meta{Seed: seed, WarmUp: time.Second, Targets: targets})
}

// What holds of every simulation, whatever it is of.
func TestLawsOfResults(t *testing.T) {
	targets := []simulator.Target{{TTFT: 200 * time.Millisecond, TPOT: 30 * time.Millisecond}}
	d := simulate(t, 42, targets)
	all := d.Overall.Requests
	if all.Rejected == 0 || all.Unfinished == 0 || all.Completed == 0 {
		t.Fatalf("the scenario no longer ends requests in every way: %+v", all)
	}
	for name, groups := range map[string][]Group{"classes": d.Classes, "tenants": d.Tenants} {
		var arrived, completed int64
		for _, g := range groups {
			arrived += g.Requests.Arrived
			completed += g.Requests.Completed
		}
		if arrived != all.Arrived || completed != all.Completed {
			t.Errorf("%s add up to %d and %d requests, overall there are %d and %d", name, arrived, completed, all.Arrived, all.Completed)
		}
	}
	unrouted := all.Arrived
	for _, g := range d.Pools {
		unrouted -= g.Requests.Arrived
	}
	if unrouted == 0 || unrouted > all.Rejected {
		t.Errorf("%d requests reached no pool, %d were rejected", unrouted, all.Rejected)
	}
	for _, groups := range [][]Group{{d.Overall}, d.Classes, d.Tenants, d.Pools} {
		for i := range groups {
			checkLaws(t, d, groups[i].Selector)
		}
	}
}

func checkLaws(t *testing.T, d *Document, s Selector) {
	t.Helper()
	ordered := func(names ...string) {
		t.Helper()
		last := 0.0
		for _, name := range names {
			value, ok := d.Value(Metric{Name: MustParseMetric(name).Name, Statistic: MustParseMetric(name).Statistic, Selector: s})
			if ok && value < last {
				t.Errorf("%s%s is %v, which must be at least %v", name, s.suffix(), value, last)
			}
			if ok {
				last = value
			}
		}
	}
	for _, latency := range []string{"ttft", "tpot", "itl", "e2e", "queueing"} {
		ordered(latency+".p50", latency+".p90", latency+".p95", latency+".p99", latency+".max")
		ordered(latency+".mean", latency+".max")
	}
	ordered("queueing.mean", "ttft.mean", "e2e.max")
	ordered("goodput", "attainment.ttft")
	ordered("goodput", "attainment.tpot")
	if g := d.Group(s); g.Replicas != nil {
		if u := g.Replicas.Utilization; u.Min < 0 || u.Min > u.Mean || u.Mean > u.Max || u.Max > 1 {
			t.Errorf("utilization%s %+v", s.suffix(), u)
		}
	}
	for _, m := range RegisteredMetrics() {
		value, ok := d.Value(Metric{Name: m.Name, Statistic: m.Statistic, Selector: s})
		if share := m.Unit() == Share || m.Unit() == Index; ok && (value < 0 || share && value > 1) {
			t.Errorf("%s%s is %v", m, s.suffix(), value)
		}
	}
}

func TestGoodputNeedsTargets(t *testing.T) {
	with := NewRow(simulate(t, 42, []simulator.Target{{TTFT: time.Second}}), 0, nil)
	without := NewRow(simulate(t, 42, nil), 0, nil)
	for name := range with.Metrics.All() {
		_, there := without.Metrics.Get(name)
		if needs := MustParseMetric(name).NeedsTargets(); there == needs {
			t.Errorf("%s needs targets: %v; without them it has a value: %v", name, needs, there)
		}
	}
}

func TestOneSeedGivesTheSameBytes(t *testing.T) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		row := NewRow(simulate(t, 7, nil), 0, nil)
		row.Key = "k"
		if err := WriteRows(b, []Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Errorf("first %s, then %s", first.String(), second.String())
	}
}
