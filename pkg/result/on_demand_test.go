// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// asking is a document that metrics are asked of.
func asking(change func(*simulator.Result), metrics ...string) *Document {
	o, m := makeOutcome(0), makeMeta(42)
	change(o)
	for _, name := range metrics {
		m.Metrics = append(m.Metrics, MustParseMetric(name))
	}
	return NewDocument(o, m)
}

func checkValues(t *testing.T, d *Document, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		got, ok := d.Value(MustParseMetric(name))
		if ok != !math.IsNaN(value) || ok && math.Abs(got-value) > 1e-12 {
			t.Errorf("%s is %v (there: %v), want %v", name, got, ok, value)
		}
	}
}

// Results are the same to the byte where nothing asks for what is measured on demand.
func TestMetricsOnDemandAreThereWhereTheyAreAskedFor(t *testing.T) {
	believe := func(o *simulator.Result) {
		o.Cells[1].BelievedPromptTokens, o.Cells[1].PromisedTokens = 100, 50
	}
	same := func(*simulator.Result) {}
	if diff := cmp.Diff(asking(same), asking(believe)); diff != "" {
		t.Errorf("a document that nothing asks for beliefs (−without +with):\n%s", diff)
	}
	row := NewRow(asking(believe, "kvBelief.falseHit{pool=small}"), 0, nil)
	for name, want := range map[string]bool{"kvBelief.falseHit": true, "kvBelief.falseMiss": true, "imbalance.tokens": false, BacklogGrowth: false} {
		if _, ok := row.Metrics.Get(name); ok != want {
			t.Errorf("the row has %s: %v, want %v", name, ok, want)
		}
	}
}

func TestKVBelief(t *testing.T) {
	d := asking(func(o *simulator.Result) {
		small, large := &o.Cells[1], &o.Cells[2]
		small.BelievedPromptTokens, small.PromisedTokens, small.FoundTokens, small.KeptTokens = 1000, 500, 300, 200
		large.BelievedPromptTokens, large.PromisedTokens, large.FoundTokens, large.KeptTokens = 3000, 0, 900, 0
	}, "kvBelief.falseHit")
	checkValues(t, d, map[string]float64{
		"kvBelief.falseHit": 0.075, "kvBelief.falseMiss": 0.25,
		"kvBelief.falseHit{pool=small}": 0.3, "kvBelief.falseMiss{pool=small}": 0.1,
		"kvBelief.falseHit{pool=large}": 0, "kvBelief.falseMiss{pool=large}": 0.3,
		"kvBelief.falseHit{tenant=blue}": math.NaN(), // none of the cells with beliefs
	})
}

func TestImbalance(t *testing.T) {
	tokens := func(served ...int64) func(*simulator.Result) {
		return func(o *simulator.Result) {
			for i, n := range served {
				o.Replicas[i].ServedTokens = n
			}
		}
	}
	// 60 and 40 requests: the mean is 50, the deviation 10.
	checkValues(t, asking(tokens(5, 900, 100), "imbalance.tokens"), map[string]float64{
		"imbalance.requests": 0.2, "imbalance.tokens": 0.8,
		"imbalance.requests{pool=large}": 0.2, "imbalance.tokens{pool=large}": 0.8,
		"imbalance.requests{pool=small}": math.NaN(), // it has one replica
	})
	checkValues(t, asking(tokens(5, 700, 700), "imbalance.requests"), map[string]float64{"imbalance.tokens": 0})
	idle := func(o *simulator.Result) { o.Replicas[1].Served, o.Replicas[2].Served = 0, 0 }
	checkValues(t, asking(idle, "imbalance.requests"), map[string]float64{"imbalance.requests": math.NaN()})
	all := func(o *simulator.Result) {
		o.Replicas[1].Served, o.Replicas[1].ServedTokens = 0, 0
		o.Replicas[2].ServedTokens = 9
		o.Replicas = append(o.Replicas, o.Replicas[1], o.Replicas[1])
	}
	checkValues(t, asking(all, "imbalance.requests"), map[string]float64{"imbalance.requests": math.Sqrt(3), "imbalance.tokens": math.Sqrt(3)})
}

// Of 100 requests 98 have their first token after 1 s, and two after 8 s: the median is 1 s, and
// the 99th percentile 8 s, within the 1 % of the histogram's buckets. All end after 10 s. None has
// a second token, so there are no gaps.
func TestTailBlowup(t *testing.T) {
	d := asking(func(o *simulator.Result) {
		o.Cells[1], o.Cells[2] = simulator.Cell{}, simulator.Cell{}
		for i := range 100 {
			first := int64(1e9)
			if i >= 98 {
				first = 8e9
			}
			o.Cells[1].TTFT.Record(first)
			o.Cells[1].E2E.Record(10e9)
		}
	}, "tailBlowup.ttft")
	ttft, _ := d.Value(MustParseMetric("tailBlowup.ttft{pool=small}"))
	if math.Abs(ttft-8) > 0.16 {
		t.Errorf("tailBlowup.ttft is %v, want 8", ttft)
	}
	checkValues(t, d, map[string]float64{"tailBlowup.e2e{pool=small}": 1, "tailBlowup.itl{pool=small}": math.NaN()})
}
