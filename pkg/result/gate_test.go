// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// TestGatesOfSeveralPoints: the point that decides is the one furthest beyond the
// bound.
func TestGatesOfSeveralPoints(t *testing.T) {
	gate, errs := Measures{}.Gate(GateText{Name: "g", Metric: "ttft.p99", Operator: "AtMost", Value: "500ms", Confidence: "0.95"}, field.NewPath("gates"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	at := func(name string, values ...float64) Contender {
		var metrics []map[string]float64
		for _, v := range values {
			metrics = append(metrics, map[string]float64{"ttft.p99": v})
		}
		return Contender{Name: name, Rows: makeRows(0, metrics...)}
	}
	low, high, bad, worse, open := at("low", 0.1, 0.11), at("high", 0.2, 0.21), at("bad", 0.7, 0.71), at("worse", 0.9, 0.91), at("open", 0.3)
	for name, tc := range map[string]struct {
		of    []Contender
		want  verdict.Outcome
		words string
	}{
		"all pass, the nearest to the bound is named": {[]Contender{low, high}, verdict.Pass, "high: ttft.p99 ≤ 500 ms passes: 205 ms, below 236.6 ms with 95 % (2 seeds) (of 2 points 2 pass, 0 fail, 0 undecided)"},
		"one fails":                         {[]Contender{low, bad, high}, verdict.Fail, "bad: ttft.p99 ≤ 500 ms fails: 705 ms, above 673.4 ms with 95 % (2 seeds) (of 3 points 2 pass, 1 fail, 0 undecided)"},
		"the worst is named":                {[]Contender{bad, worse, open}, verdict.Fail, "worse: ttft.p99 ≤ 500 ms fails: 905 ms, above 873.4 ms with 95 % (2 seeds) (of 3 points 0 pass, 2 fail, 1 undecided)"},
		"one is open":                       {[]Contender{high, open}, verdict.Undecided, "open: ttft.p99 ≤ 500 ms is undecided: 300 ms, one seed, which does not show the spread (of 2 points 1 pass, 0 fail, 1 undecided)"},
		"one alone is not counted":          {[]Contender{low}, verdict.Pass, "low: ttft.p99 ≤ 500 ms passes: 105 ms, below 136.6 ms with 95 % (2 seeds)"},
		"a point without rows is not known": {[]Contender{low, {Name: "lost"}}, verdict.Undecided, "lost: ttft.p99 ≤ 500 ms: it has no measurement (of 2 points 1 pass, 0 fail, 1 undecided)"},
		"no other point":                    {nil, verdict.Undecided, "ttft.p99 ≤ 500 ms: there is no point except the baseline"},
	} {
		t.Run(name, func(t *testing.T) {
			got := gate.JudgeEach(tc.of, &Contender{})
			if got.Verdict != tc.want {
				t.Errorf("verdict %s, want %s", got.Verdict, tc.want)
			}
			if diff := cmp.Diff(tc.words, got.Message); diff != "" {
				t.Errorf("words, −want +got:\n%s", diff)
			}
		})
	}
}

func TestGates(t *testing.T) {
	gate := func(metric string, o Operator, value string) GateText {
		return GateText{Name: "g", Metric: metric, Operator: string(o), Value: value, Confidence: "0.95"}
	}
	versus := func(metric string, o Operator, change string) GateText {
		return GateText{Name: "g", Metric: metric, Operator: string(o), VersusBaseline: change, Confidence: "0.95"}
	}
	of := func(name string, values ...float64) []Row {
		var metrics []map[string]float64
		for _, v := range values {
			m := map[string]float64{}
			if v >= 0 {
				m[name] = v
			}
			metrics = append(metrics, m)
		}
		return makeRows(0, metrics...)
	}
	cases := map[string]struct {
		gate                GateText
		candidate, baseline []Row
		want                verdict.Outcome
		words               string
	}{
		"well below": {
			gate("ttft.p99", AtMost, "500ms"), of("ttft.p99", 0.40, 0.41, 0.42), nil,
			verdict.Pass, "ttft.p99 ≤ 500 ms passes: 410 ms, below 426.9 ms with 95 % (3 seeds)",
		},
		"well above": {
			gate("ttft.p99", AtMost, "500ms"), of("ttft.p99", 0.60, 0.61, 0.62), nil,
			verdict.Fail, "ttft.p99 ≤ 500 ms fails: 610 ms, above 593.1 ms with 95 % (3 seeds)",
		},
		"the mean keeps to it, but nobody knows": {
			gate("ttft.p99", AtMost, "500ms"), of("ttft.p99", 0.40, 0.49, 0.58), nil,
			verdict.Undecided, "ttft.p99 ≤ 500 ms is undecided: 490 ms, below 641.7 ms with 95 % (3 seeds)",
		},
		// The two-sided interval at 95 %, ±2.48 ms, still holds the bound.
		"one side is enough": {
			gate("ttft.p99", AtMost, "412ms"), of("ttft.p99", 0.409, 0.410, 0.411), nil,
			verdict.Pass, "ttft.p99 ≤ 412 ms passes: 410 ms, below 411.7 ms with 95 % (3 seeds)",
		},
		"one seed": {
			gate("goodput", AtLeast, "99%"), of("goodput", 1), nil,
			verdict.Undecided, "goodput ≥ 99 % is undecided: 100 %, one seed, which does not show the spread",
		},
		"equal seeds": {
			gate("goodput", AtLeast, "99%"), of("goodput", 1, 1, 1), nil,
			verdict.Pass, "goodput ≥ 99 % passes: 100 %, the same under all 3 seeds",
		},
		"equal seeds at the bound": {
			gate("goodput", AtLeast, "0.99"), of("goodput", 0.99, 0.99), nil,
			verdict.Pass, "goodput ≥ 99 % passes: 99 %, the same under all 2 seeds",
		},
		"nothing measured": {
			gate("goodput", AtLeast, "99%"), of("goodput", -1, -1), nil,
			verdict.Undecided, "goodput ≥ 99 %: it has no measurement",
		},
		"nothing measured under one seed does not pass": {
			gate("ttft.p99", AtMost, "500ms"), of("ttft.p99", 0.40, 0.41, 0.42, -1), nil,
			verdict.Undecided, "ttft.p99 ≤ 500 ms is undecided: 410 ms, below 426.9 ms with 95 % (3 seeds), no value under 1 of 4 seeds",
		},
		// Unpaired, the seeds' spread of 0.05 would hide what is 0.5 % everywhere.
		"not worse than the baseline": {
			versus("goodput", AtLeast, "-1%"), of("goodput", 0.796, 0.8455, 0.8954), of("goodput", 0.80, 0.85, 0.90), verdict.Pass,
			"goodput ≥ baseline -1 % passes: -0.5137 %, above -0.5375 % with 95 % (3 seeds)",
		},
		"worse than the baseline": {
			versus("goodput", AtLeast, "-1%"), of("goodput", 0.72, 0.77, 0.81), of("goodput", 0.80, 0.85, 0.90), verdict.Fail,
			"goodput ≥ baseline -1 % fails: -9.804 %, below -9.226 % with 95 % (3 seeds)",
		},
		"a baseline of 0 is kept to": {
			versus("preemptions", AtMost, "+5%"), of("preemptions", 0, 0), of("preemptions", 0, 0), verdict.Pass,
			"preemptions ≤ baseline +5 % passes: the same under all 2 seeds",
		},
		"a baseline that may be 0": {
			versus("preemptions", AtMost, "+5%"), of("preemptions", 0, 9, 4), of("preemptions", 0, 1, 12), verdict.Undecided,
			"preemptions ≤ baseline +5 % is undecided: +0 %, the baseline does not differ from 0 with confidence (3 seeds)",
		},
		"other seeds are no pairs": {
			versus("goodput", AtLeast, "-1%"), of("goodput", 0.9, 0.9), of("goodput", -1, 0.9), verdict.Undecided,
			"goodput ≥ baseline -1 % is undecided: +0 %, one seed, which does not show the spread, no value under 1 of 2 seeds",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := Measures{}.Gate(tc.gate, field.NewPath("gates"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			got := g.Judge(tc.candidate, tc.baseline)
			if got.Verdict != tc.want {
				t.Errorf("verdict %s, want %s", got.Verdict, tc.want)
			}
			if diff := cmp.Diff(tc.words, got.Message); diff != "" {
				t.Errorf("words, −want +got:\n%s", diff)
			}
		})
	}
}

func TestPassed(t *testing.T) {
	result := func(name string, v verdict.Outcome) GateResult {
		return GateResult{Gate: Gate{Name: name}, Verdict: v, Message: "words of " + name}
	}
	cases := map[string]struct {
		results []GateResult
		want    verdict.Outcome
		words   string
	}{
		"all pass":                     {[]GateResult{result("a", verdict.Pass), result("b", verdict.Pass)}, verdict.Pass, "all 2 gates pass"},
		"the only one passes":          {[]GateResult{result("a", verdict.Pass)}, verdict.Pass, "the gate passes"},
		"one that fails outweighs all": {[]GateResult{result("a", verdict.Undecided), result("b", verdict.Fail), result("c", verdict.Pass)}, verdict.Fail, "gate b: words of b"},
		"several fail":                 {[]GateResult{result("a", verdict.Fail), result("b", verdict.Fail), result("c", verdict.Fail)}, verdict.Fail, "gate a: words of a; 2 more: b, c"},
		"one is not decided":           {[]GateResult{result("a", verdict.Pass), result("b", verdict.Undecided)}, verdict.Undecided, "gate b: words of b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := Judge(tc.results)
			got, words := v.Outcome, v.Message
			if got != tc.want || words != tc.words {
				t.Errorf("%s, %q; want %s, %q", got, words, tc.want, tc.words)
			}
		})
	}
}

func TestGateFaults(t *testing.T) {
	good := GateText{Name: "g", Metric: "ttft.p99", Operator: "AtMost", Value: "500ms", Confidence: "0.95"}
	cases := map[string]struct {
		change func(*GateText)
		want   []string
	}{
		"none":                            {func(*GateText) {}, nil},
		"no such metric":                  {func(g *GateText) { g.Metric = "ttft.p98" }, []string{"gates[0].metric"}},
		"no such operator":                {func(g *GateText) { g.Operator = "Below" }, []string{"gates[0].operator"}},
		"a bound of another unit":         {func(g *GateText) { g.Value = "99%" }, []string{"gates[0].value"}},
		"no confidence":                   {func(g *GateText) { g.Confidence = "" }, []string{"gates[0].confidence"}},
		"a confidence of a coin":          {func(g *GateText) { g.Confidence = "0.5" }, []string{"gates[0].confidence"}},
		"certainty":                       {func(g *GateText) { g.Confidence = "1" }, []string{"gates[0].confidence"}},
		"no bound":                        {func(g *GateText) { g.Value = "" }, []string{"gates[0]"}},
		"two bounds":                      {func(g *GateText) { g.VersusBaseline = "1%" }, []string{"gates[0]"}},
		"a change by more than all of it": {func(g *GateText) { g.Value, g.VersusBaseline = "", "-150%" }, []string{"gates[0].versusBaseline"}},
		"a limit below 0":                 {func(g *GateText) { g.Value = "-5ms" }, []string{"gates[0].value"}},
		"a change without percent":        {func(g *GateText) { g.Value, g.VersusBaseline = "", "1" }, []string{"gates[0].versusBaseline"}},
		"everything":                      {func(g *GateText) { *g = GateText{Value: "x"} }, []string{"gates[0].metric", "gates[0].operator", "gates[0].confidence"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := good
			tc.change(&in)
			_, errs := Measures{}.Gate(in, field.NewPath("gates").Index(0))
			var got []string
			for _, e := range errs {
				got = append(got, e.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("errors %v, −want +got:\n%s", errs, diff)
			}
		})
	}
}
