// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// decidedRow is a row with a figure and decisions; the digest 0 is of a row without them.
func decidedRow(seed int64, key string, ttft float64, digest uint64) Row {
	r := Row{Key: key, Seed: seed, Share: 1, Metrics: NewMetrics(map[string]float64{"ttft.p99": ttft, "replicaHours": float64(digest)})}
	if digest != 0 {
		r.Decisions = NewDecisions(1000, digest, nil, []string{"prefix-cache-scorer"})
	}
	return r
}

func TestWhatOfAChangeWasExercised(t *testing.T) {
	ttft, hours := Of(MustParseMetric("ttft.p99")), Of(MustParseMetric("replicaHours"))
	two := func(key string, ttft float64, first, second uint64) []Row {
		return []Row{decidedRow(1, key+"1", ttft, first), decidedRow(2, key+"2", ttft, second)}
	}
	otherHours := func(rows []Row) []Row {
		for i := range rows {
			rows[i].Metrics = NewMetrics(map[string]float64{"ttft.p99": 1, "replicaHours": 99})
		}
		return rows
	}
	for name, tc := range map[string]struct {
		candidate, baseline []Row
		gated               []Measure
		blind               bool
		words               string
	}{
		"no decision differs":                {two("b", 1, 7, 8), two("a", 1, 7, 8), []Measure{ttft}, true, "0 of 2,000 decisions differ over 2 seeds"},
		"some do under one seed":             {two("b", 1, 7, 9), two("a", 1, 7, 8), []Measure{ttft}, false, "decisions differ under 1 of 2 seeds (2,000 decisions)"},
		"one configuration":                  {two("a", 1, 7, 8), two("a", 1, 7, 8), []Measure{ttft}, false, "both sides have the same effective configuration"},
		"a figure that is judged differs":    {otherHours(two("b", 1, 7, 8)), two("a", 1, 7, 8), []Measure{ttft, hours}, false, "0 of 2,000 decisions differ over 2 seeds"},
		"a figure that nobody judges":        {otherHours(two("b", 1, 7, 8)), two("a", 1, 7, 8), []Measure{ttft}, true, "0 of 2,000 decisions differ over 2 seeds"},
		"old rows with equal figures":        {two("b", 1, 0, 0), two("a", 1, 0, 0), []Measure{ttft}, true, "every figure is the same over 2 seeds"},
		"old rows with other figures":        {two("b", 2, 0, 0), two("a", 1, 0, 0), []Measure{ttft}, false, "figures differ under 2 of 2 seeds"},
		"an old row beside a new one":        {two("b", 1, 7, 8), two("a", 1, 0, 0), []Measure{ttft}, false, "figures differ under 2 of 2 seeds"},
		"seeds of one side alone count none": {append(two("b", 1, 7, 8), decidedRow(3, "b3", 5, 5)), two("a", 1, 7, 8), []Measure{ttft}, true, "0 of 2,000 decisions differ over 2 seeds"},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewChange(tc.candidate, tc.baseline, tc.gated)
			if c.IsBlind() != tc.blind || c.String() != tc.words {
				t.Errorf("blind: %v, %s; want %v, %s", c.IsBlind(), c, tc.blind, tc.words)
			}
		})
	}
	if c := NewChange(two("b", 1, 7, 8)[:1], two("a", 1, 7, 8)[1:], nil); c != nil {
		t.Errorf("%s without a common seed", c)
	}
}

// A claim against the baseline is not decided by a change that nothing exercised. A limit
// holds or does not, whatever changed, but does not make the change one that passes.
func TestGatesOfAChangeThatNothingExercised(t *testing.T) {
	gate := func(text GateText) Gate {
		text.Name, text.Metric, text.Confidence = "g", "ttft.p99", "0.95"
		g, errs := Measures{}.Gate(text, field.NewPath("gates"))
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		return g
	}
	relative, absolute := gate(GateText{Operator: "AtMost", VersusBaseline: "5%"}), gate(GateText{Operator: "AtMost", Value: "2s"})
	better, broken := gate(GateText{Operator: "AtMost", VersusBaseline: "-10%"}), gate(GateText{Operator: "AtMost", Value: "10ms"})
	candidate := []Row{decidedRow(1, "b1", 1, 7), decidedRow(2, "b2", 1, 8)}
	baseline := []Row{decidedRow(1, "a1", 1, 7), decidedRow(2, "a2", 1, 8)}
	for name, tc := range map[string]struct {
		gates []Gate
		want  []verdict.Outcome
		all   verdict.Outcome
	}{
		"against the baseline":             {[]Gate{relative}, []verdict.Outcome{verdict.Undecided}, verdict.Undecided},
		"better than the baseline":         {[]Gate{better}, []verdict.Outcome{verdict.Undecided}, verdict.Undecided},
		"a limit that holds":               {[]Gate{absolute}, []verdict.Outcome{verdict.Pass}, verdict.Undecided},
		"a limit that does not":            {[]Gate{broken}, []verdict.Outcome{verdict.Fail}, verdict.Fail},
		"a limit that does not beside one": {[]Gate{relative, broken}, []verdict.Outcome{verdict.Undecided, verdict.Fail}, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			var results []GateResult
			for i, g := range tc.gates {
				c := NewChange(candidate, baseline, nil)
				c.Unexercised = "the reason"
				r := g.Judge(candidate, baseline).With(c)
				if r.Verdict != tc.want[i] || r.SeedsToTry() != 0 {
					t.Errorf("%s: %s, %d more seeds", r.Verdict, r.Message, r.SeedsToTry())
				}
				results = append(results, r)
			}
			v := Judge(results)
			got, words := v.Outcome, v.Message
			if got != tc.all || (got == verdict.Undecided) != (words == "the reason") {
				t.Errorf("%s: %s", got, words)
			}
		})
	}
}

func TestDecisionsAreReadAsTheyAreWritten(t *testing.T) {
	rows := []Row{
		decidedRow(1, "a", 1, 7),
		decidedRow(2, "a", 1, 0),
		{Key: "b", Share: 1, Decisions: NewDecisions(3, 1<<63+5, []string{ShownSessions, ShownAdapters}, nil)},
		{Key: "c", Share: 1, Decisions: NewDecisions(0, 0, nil, []string{`a "quoted" scorer`, "b"})},
	}
	var text bytes.Buffer
	if err := WriteRows(&text, rows); err != nil {
		t.Fatal(err)
	}
	again, err := ReadRows(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if again[i].Decisions != rows[i].Decisions || !again[i].Metrics.Equal(rows[i].Metrics) {
			t.Errorf("%+v, want %+v", again[i], rows[i])
		}
	}
	if !again[2].Decisions.Shows(ShownAdapters) || again[2].Decisions.Shows(ShownHeaders) {
		t.Errorf("%+v", again[2].Decisions.listed())
	}
	for _, bad := range []string{
		`{"key":"a","point":0,"seed":1,"decisions":{"requests":1,"digest":"7"},"metrics":{}}`,
		`{"key":"a","point":0,"seed":1,"decisions":{"requests":-1,"digest":"0000000000000007"},"metrics":{}}`,
		`{"key":"a","point":0,"seed":1,"decisions":{"requests":1,"digest":"000000000000000A"},"metrics":{}}`,
		`{"key":"a","point":0,"seed":1,"decisions":{"requests":1,"digest":"0000000000000007","idle":["b","a"]},"metrics":{}}`,
		`{"key":"a","point":0,"seed":1,"decisions":{"requests":1,"digest":"0000000000000007"},"error":"e"}`,
	} {
		if _, err := ReadRows(strings.NewReader(bad + "\n")); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// The rows of workloads together decide alike where each does, and were idle in what each was.
func TestDecisionsOfWorkloads(t *testing.T) {
	of := func(digest uint64, shown, idle []string) Row {
		return Row{Key: "k", Share: 1, Decisions: NewDecisions(10, digest, shown, idle)}
	}
	first, second := of(1, []string{ShownSessions}, []string{"a", "b"}), of(2, []string{ShownSessions, ShownHeaders}, []string{"b", "c"})
	got := MergeWorkloads([]Row{first, second}, nil).Decisions
	if got.Requests != 20 || got.Digest == MergeWorkloads([]Row{second, first}, nil).Decisions.Digest {
		t.Errorf("%+v", got)
	}
	if want := NewDecisions(20, got.Digest, []string{ShownHeaders, ShownSessions}, []string{"b"}); got != want {
		t.Errorf("%+v, want %+v", got.listed(), want.listed())
	}
}
