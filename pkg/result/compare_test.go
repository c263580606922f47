// SPDX-License-Identifier: Apache-2.0

package result

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

func TestContrast(t *testing.T) {
	of := func(goodput, ttft, preemptions float64) map[string]float64 {
		return map[string]float64{"goodput": goodput, "ttft.p99": ttft, "preemptions": preemptions, "completionRate": 1}
	}
	first := makeRows(0, of(0.90, 0.40, 3), of(0.80, 0.50, 5), of(0.70, 0.60, 4), of(0.6, 0.7, 4))
	second := makeRows(7, of(0.95, 0.401, 5), of(0.851, 0.499, 3), of(0.749, 0.602, 4))
	second[0].Metrics = NewMetrics(map[string]float64{"goodput": 0.95, "ttft.p99": 0.401, "preemptions": 5, "completionRate": 1, "cacheHit.gpu": 0.5})
	derived, errs := NewMeasures([]Derived{{"twice", "2*goodput"}}, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	twice, _ := derived.Parse("twice", nil)
	slices.Reverse(second)
	c, err := NewContrast([2]string{"old", "new"}, first, second, []Measure{twice})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/contrast.json", indented(t, c))
	verdicts := map[string]Effect{}
	for _, d := range c.Differing {
		verdicts[d.Measure.String()] = d.Verdict
	}
	want := map[string]Effect{"goodput": Better, "twice": Differs, "ttft.p99": Undecided, "preemptions": Undecided}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("verdicts, −want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]int64{42, 43, 44}, c.Seeds); diff != "" || c.Equal != 1 {
		t.Errorf("%d equal; seeds, −want +got:\n%s", c.Equal, diff)
	}
}

func TestContrastFaults(t *testing.T) {
	rows := makeRows(0, ttft99(1, 2)...)
	later := makeRows(0, ttft99(1, 2, 3, 4)...)[2:]
	for name, second := range map[string][]Row{
		"nothing":             nil,
		"no common seed":      later,
		"several points":      slices.Concat(rows, makeRows(1, ttft99(1)...)),
		"contradictions":      slices.Concat(rows, makeRows(0, ttft99(9)...)),
		"only shortened ones": ofShare(0.5, rows),
	} {
		if c, err := NewContrast([2]string{"a", "b"}, rows, second, nil); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// What a scenario aims at comes first, in its order; the rest stays in order.
func TestContrastPutsFirstWhatIsAimedAt(t *testing.T) {
	c := &Contrast{}
	for _, text := range []string{"ttft.p99", "e2e.mean", "tpot.mean{class=a,tenant=b}", "itl.p99"} {
		c.Differing = append(c.Differing, Contrasted{Comparison: Comparison{Measure: Of(MustParseMetric(text))}})
	}
	c.PutFirst([]string{"tpot.mean{tenant=b,class=a}", "goodput", "e2e.mean"})
	var got []string
	for i := range c.Differing {
		got = append(got, c.Differing[i].Measure.String())
	}
	want := []string{"tpot.mean{class=a,tenant=b}", "e2e.mean", "ttft.p99", "itl.p99"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (−want +got):\n%s", diff)
	}
}
