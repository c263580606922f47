// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/fence"
)

// TestMain lets the program of the tests be the child of its fences.
func TestMain(m *testing.M) {
	fence.Serve(nil)
	m.Run()
}

// The mutator understands four words and the names of knobs, and nothing else.
func TestSuggestions(t *testing.T) {
	knobs := []string{"waiting", "prefix_affinity", "number"}
	for name, tc := range map[string]struct {
		text string
		want [][]mutation
	}{
		"no section":        {"## Outcome\n- more `endpoints.waiting`\n", nil},
		"more and against":  {"## Suggested focus\n- x: more weight for `endpoints.prefix_affinity` against `endpoints.waiting`, `endpoints.running`\n", [][]mutation{{{1, 1}, {0, -1}}}},
		"less, then more":   {"## Suggested focus\n- x: less weight for `endpoints.prefix_affinity`, more for `endpoints.waiting`\n", [][]mutation{{{1, -1}, {0, 1}}}},
		"either":            {"## Suggested focus\n- x: `pools[].kvCache.blocks` hold too little; weight of `endpoints.prefix_affinity`\n", [][]mutation{{{1, 1}, {1, -1}}}},
		"a field of others": {"## Suggested focus\n- x: `pools[].engine.scheduler`\n\n## More\n- more `endpoints.number`\n", [][]mutation{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			got := suggested(tc.text, knobs)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(mutation{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Each mutation of a parent comes once, the suggested ones first.
func TestNextTriesEachMutationOnce(t *testing.T) {
	names := knobs()
	g := flawed(names)
	text := "## Suggested focus\n- x: less for `endpoints.waiting`\n- y: more for `endpoints.kv_usage`\n"
	tried := map[mutation]bool{}
	var order []mutation
	rng := rand.New(rand.NewPCG(1, 0))
	for {
		m, ok := next(g, text, names, tried, rng)
		if !ok {
			break
		}
		tried[m] = true
		order = append(order, m)
	}
	want := []mutation{{slices.Index(names, "waiting"), -1}, {slices.Index(names, "kv_usage"), 1}}
	if len(order) != len(possible(g)) || len(tried) != len(order) || !slices.Equal(order[:2], want) {
		t.Errorf("%v, want %v first, of %d", order, want, len(possible(g)))
	}
}

// The flawed program is far from the target, its summary names a knob first, and the loops of
// all doors are the same.
func TestASmallStudy(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	p, err := find(t.Context(), scale{seeds: 1, most: 6}, "../../python", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.contests[1:] {
		if got, want := fmt.Sprint(c.with, c.without), fmt.Sprint(p.contests[0].with, p.contests[0].without); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
	s, err := readScenario(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, stop := newEvaluator()
	defer stop()
	names := knobs()
	score, text, err := (&goDoor{e, s}).evaluate(t.Context(), flawed(names).source(names), 1, true)
	if lines := suggested(text, names); err != nil || score > 0.8*target || len(lines) == 0 || len(lines[0]) == 0 {
		t.Errorf("score %v, suggestions %v, %v", score, lines, err)
	}
	if text := p.table(); strings.Count(text, "\n") != 9 {
		t.Errorf("the table is\n%s", text)
	}
}
