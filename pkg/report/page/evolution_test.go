// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// evolved is a sweep in which a policy came about in two generations, beside a weight.
func evolved(t testing.TB) *report.Sweep {
	t.Helper()
	r := recorded(t, "leaderboard.json")
	names := []string{"c", "b", "a"} // the best first
	for i := range r.Board.Candidates {
		c := &r.Board.Candidates[i]
		c.Parameters = []result.Assignment{{Name: "weight", Value: "1"}, {Name: "policy", Value: "other" + string(rune('0'+i))}}
		c.Origin = &result.Origin{Generation: 1, Parent: "a", Changes: []string{"a change"}}
		if i < len(names) {
			c.Parameters[1].Value = names[i]
		}
	}
	r.Board.Candidates[0].Origin = &result.Origin{Generation: 2, Parent: "b", Changes: []string{"more", "less"}}
	r.Board.Candidates[2].Origin = &result.Origin{}
	return r
}

// The policy is no axis of the charts of parameters, and the line of the best one is told.
func TestPageOfAnEvolution(t *testing.T) {
	r := evolved(t)
	d := NewSweepData(r)
	if d.Evolution == nil {
		t.Fatal("there is no evolution")
	}
	if diff := cmp.Diff([]int{2, 1, 0}, d.Evolution.Line); diff != "" || d.Parameters[d.Evolution.Parameter].Name != "policy" || *d.Evolution.Generations[0] != 2 {
		t.Errorf("%+v, line (-want +got):\n%s", d.Evolution, diff)
	}
	var rows [][]string
	for _, row := range lineage(r, "policy").Rows {
		rows = append(rows, row[:4])
	}
	want := [][]string{{"a", "0", "", ""}, {"b", "1", "a", "a change"}, {"c", "2", "b", "more; less"}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the lineage (-want +got):\n%s", diff)
	}
	text := written(t, &Sweep{Report: r})
	for want, there := range map[string]bool{`id="generations"`: true, `id="response"`: true, `id="heat"`: false, "policy: numbers": false, "weight: numbers": true} {
		if strings.Contains(text, want) != there {
			t.Errorf("%q is on the page: %t, want %t", want, !there, there)
		}
	}
}

// A policy that is its own ancestor ends the line.
func TestTheLineOfAPolicyEnds(t *testing.T) {
	r := evolved(t)
	r.Board.Candidates[2].Origin = &result.Origin{Parent: "c"}
	if n := len(NewSweepData(r).Evolution.Line); n != 3 {
		t.Errorf("the line has %d policies", n)
	}
}

func TestPageOfASweepWithSeries(t *testing.T) {
	r := recorded(t, "leaderboard.json")
	s := &Sweep{Report: r, Series: []NamedSeries{{Name: "baseline", Series: seriesOf(2, 20)}, {Name: "best", Series: seriesOf(2, 20)}}}
	text := written(t, s)
	for _, want := range []string{`id="curves"`, `id="lines"`, "baseline pool small", "best pool small"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if numbers := s.Numbers().(*SweepData); numbers.Series == nil {
		t.Error("the numbers have no series")
	}
	s.Series, s.WithoutSeries = nil, "Elsewhere"
	if text := written(t, s); strings.Contains(text, `id="lines"`) || !strings.Contains(text, "<p>Elsewhere.</p>") {
		t.Error("a page without series does not say where they are")
	}
}
