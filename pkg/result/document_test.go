// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func TestDocumentGolden(t *testing.T) {
	golden.Check(t, "testdata/document.json", indented(t, makeDocument(42, 0)))
}

func TestDocumentReadsBack(t *testing.T) {
	want := makeDocument(42, 0)
	raw := jsontest.Encode(t, want)
	got := jsontest.Decode[*Document](t, raw)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document, −want +got:\n%s", diff)
	}
}

// A quantile of the cluster is over all of its requests, which is neither the
// largest nor the mean of the pools' quantiles.
func TestQuantilesAreOverAllRequests(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	o := &simulator.Result{
		Labels: workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}},
		Pools:  []string{"a", "b", "c"},
	}
	var all []float64
	for pool, n := range []int{5000, 300, 40} {
		cell := simulator.Cell{Pool: pool}
		for range n {
			ns := int64(r.ExpFloat64() * 1e8 * float64(pool+1))
			cell.TTFT.Record(ns)
			all = append(all, float64(ns)/1e9)
		}
		o.Cells = append(o.Cells, cell)
	}
	slices.Sort(all)
	d := NewDocument(o, Meta{})
	for _, tc := range []struct {
		metric string
		q      float64
	}{{"ttft.p50", 0.5}, {"ttft.p90", 0.9}, {"ttft.p95", 0.95}, {"ttft.p99", 0.99}, {"ttft.max", 1}} {
		position := tc.q * float64(len(all)-1)
		low := int(position)
		want := all[low]
		if low+1 < len(all) {
			want += (position - float64(low)) * (all[low+1] - all[low])
		}
		got, ok := d.Value(MustParseMetric(tc.metric))
		if !ok || math.Abs(got-want) > want/512 {
			t.Errorf("%s is %v, %v; over all requests it is %v", tc.metric, got, ok, want)
		}
	}
	got, _ := d.Value(MustParseMetric("ttft.p99"))
	largest, _ := d.Value(MustParseMetric("ttft.p99{pool=c}"))
	if got >= largest {
		t.Errorf("p99 of the cluster %v is not below that of its slowest pool %v", got, largest)
	}
}

func TestValues(t *testing.T) {
	meta := makeMeta(42)
	meta.Metrics = []Metric{
		MustParseMetric("goodput{class=critical,pool=large}"),
		MustParseMetric("ttft.p99{class=critical,pool=large}"),
		MustParseMetric("completionRate{tenant=acme,class=sheddable}"),
	}
	d := NewDocument(makeOutcome(0), meta)
	nothing := math.NaN()
	cases := map[string]struct {
		metric string
		want   float64
	}{
		"goodput is over the arrivals of classes with targets": {"goodput", 158. / 160},
		"goodput of a class":                                    {"goodput{class=critical}", 158. / 160},
		"goodput of a class without targets":                    {"goodput{class=sheddable}", nothing},
		"goodput of a tenant whose class has no targets":        {"goodput{tenant=blue}", nothing},
		"goodput of a pool":                                     {"goodput{pool=large}", 59. / 60},
		"goodput of a class on a pool":                          {"goodput{pool=large,class=critical}", 59. / 60},
		"attainment of a target":                                {"attainment.ttft", 158. / 160},
		"attainment of a target that no class has":              {"attainment.tpot", nothing},
		"attainment of a target met by all":                     {"attainment.e2e", 1},
		"completed ÷ arrived is over all classes":               {"completionRate", 200. / 206},
		"requests that reached no pool are rejected":            {"rejectionRate", 4. / 206},
		"no pool rejected them":                                 {"rejectionRate{pool=large}", 0},
		"a class's rejections count those that reached no pool": {"rejectionRate{class=sheddable}", 4. / 46},
		"what was in flight at the end":                         {"unfinishedRate{pool=large}", 2. / 102},
		"throughput is over the measured span":                  {"throughput.requests", 200. / 8},
		"input tokens":                                          {"throughput.inputTokens", 20000. / 8},
		"output tokens of a pool":                               {"throughput.outputTokens{pool=small}", 1000. / 8},
		"cached prompt tokens ÷ prompt tokens":                  {"cacheHit.gpu", 0.25},
		"preemptions":                                           {"preemptions", 3},
		"preemptions of a class without any":                    {"preemptions{class=critical}", 0},
		"recomputed tokens":                                     {"recomputedTokens{tenant=blue}", 330},
		"fairness of served tokens":                             {"fairness.tokens", (17600. + 4400) * (17600 + 4400) / (2 * (17600.*17600 + 4400.*4400))},
		"fairness of completions":                               {"fairness.completions", (1 + 40./46) * (1 + 40./46) / (2 * (1 + 40./46*40./46))},
		"fairness where there is one tenant":                    {"fairness.tokens{class=critical}", nothing},
		"utilization is over replicas and span":                 {"utilization", 12. / 24},
		"utilization of a pool":                                 {"utilization{pool=large}", 8. / 16},
		"mean KV usage":                                         {"kvUsage.mean", 0.5},
		"peak KV usage of a pool":                               {"kvUsage.peak{pool=small}", 0.5},
		"evictions":                                             {"evictions", 12},
		"replica-hours":                                         {"replicaHours", 3 * 8. / 3600},
		"cost per good request: those of the critical class":    {"costPerGoodRequest", 3 * 8. / 3600 * 2.5 / 158},
		"cost per good request of a pool":                       {"costPerGoodRequest{pool=small}", 8. / 3600 * 2.5 / 99},
		"cost of a pool":                                        {"cost{pool=large}", 2 * 8. / 3600 * 2.5},
		"a latency of a group":                                  {"ttft.max{pool=small}", 0.119},
		"a latency of two labels":                               {"ttft.max{pool=large,class=critical}", 0.089},
		"two labels that were asked for, without requests":      {"completionRate{tenant=acme,class=sheddable}", nothing},
		"an unknown class":                                      {"ttft.p99{class=none}", nothing},
		"an unknown pool":                                       {"utilization{pool=none}", nothing},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := d.Value(MustParseMetric(tc.metric))
			switch {
			case ok == math.IsNaN(tc.want):
				t.Errorf("%s is %v, %v; want %v", tc.metric, got, ok, tc.want)
			case ok && math.Abs(got-tc.want) > 1e-12:
				t.Errorf("%s is %v, want %v", tc.metric, got, tc.want)
			}
		})
	}
}

func TestCostNeedsEveryPrice(t *testing.T) {
	meta := makeMeta(42)
	meta.CostPerReplicaHour = meta.CostPerReplicaHour[:1]
	d := NewDocument(makeOutcome(0), meta)
	for text, want := range map[string]bool{"cost": false, "cost{pool=small}": true, "cost{pool=large}": false} {
		if _, ok := d.Value(MustParseMetric(text)); ok != want {
			t.Errorf("%s has a value: %v, want %v", text, ok, want)
		}
	}
}

// A run that measured nothing says nothing.
func TestNothingMeasuredIsAbsent(t *testing.T) {
	o := &simulator.Result{
		Labels:   workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}},
		Pools:    []string{"p"},
		Replicas: []simulator.ReplicaUse{{Pool: 0}},
	}
	d := NewDocument(o, Meta{Targets: []simulator.Target{{TTFT: time.Second}}})
	if row := NewRow(d, 0, nil); row.Metrics.Len() > 0 {
		t.Errorf("metrics of a run without requests: %v", row.Metrics)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}

// The outcome's histograms are the simulator's: documents only read them.
func TestDocumentLeavesTheOutcome(t *testing.T) {
	o := makeOutcome(0)
	first := indented(t, NewDocument(o, makeMeta(42)))
	if second := indented(t, NewDocument(o, makeMeta(42))); string(first) != string(second) {
		t.Error("a second document of one outcome differs from the first")
	}
}

func BenchmarkNewDocument(b *testing.B) {
	o, m := makeOutcome(0), makeMeta(42)
	b.ReportAllocs()
	for b.Loop() {
		NewRow(NewDocument(o, m), 0, nil)
	}
}
