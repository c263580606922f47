// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the page says in words holds with a seed that the page does not have alone.
func TestProtectionsDoWhatThePageSays(t *testing.T) {
	s, err := readSample("../../config/samples/policysweep-fairness.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := fullScale()
	all.seeds = 2
	f, err := find(t.Context(), s, all)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		of          protection
		workload    string
		least, most float64 // of the others' requests in time
	}{
		"the calm meets its target":                           {unprotected, calm, 0.99, 1},
		"rapid fire does harm":                                {unprotected, "rapid-fire", 0, 0.2},
		"huge prompts do harm":                                {unprotected, "huge-prompts", 0, 0.2},
		"long answers do harm":                                {unprotected, "long-answers", 0, 0.7},
		"a budget in requests catches rapid fire":             {protection{"epp", "requests", "fcfs"}, "rapid-fire", 0.9, 1},
		"a budget in requests misses huge prompts":            {protection{"epp", "requests", "fcfs"}, "huge-prompts", 0, 0.5},
		"a budget in tokens misses rapid fire":                {protection{"epp", "tokens", "fcfs"}, "rapid-fire", 0, 0.8},
		"a fair queue catches rapid fire":                     {protection{"epp", "none", "fair"}, "rapid-fire", 0.99, 1},
		"a fair queue misses huge prompts":                    {protection{"epp", "none", "fair"}, "huge-prompts", 0, 0.3},
		"a rate with chunks catches rapid fire":               {protection{"epp", "rate", "fair-in-chunks"}, "rapid-fire", 0.99, 1},
		"a rate with chunks catches huge prompts":             {protection{"epp", "rate", "fair-in-chunks"}, "huge-prompts", 0.99, 1},
		"a rate with chunks catches long answers":             {protection{"epp", "rate", "fair-in-chunks"}, "long-answers", 0.99, 1},
		"flow control by turns is unfair to the large tenant": {protection{"flow-control", "none", "fcfs"}, "rapid-fire", 0, 0.7},
	} {
		score, err := f.at(tc.of.router, tc.of.admission, tc.of.engine, tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		if got := score.good.Mean; got < tc.least || got > tc.most {
			t.Errorf("%s: %.3f of the requests are in time, want %v to %v", name, got, tc.least, tc.most)
		}
	}
	for _, s := range allSignals() {
		shown, byShare := 0, 0
		for _, abuse := range abuses {
			if f.apart(s, abuse, false) >= visible {
				shown++
			}
			if f.apart(s, abuse, true) >= visible {
				byShare++
			}
		}
		inFlight, arriving := s.name == "prompt tokens in flight", s.name == "prompt tokens that arrive per second"
		if (shown == len(abuses)) != inFlight || (byShare == len(abuses)) != (inFlight || arriving) {
			t.Errorf("%s: shows %d of the abuses, and %d by share", s.name, shown, byShare)
		}
	}
	page := filepath.Join(t.TempDir(), "fairness.md")
	if err := f.write(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"](fairness.svg)", "| rate in tokens + fair queue, chunks |", "| KV blocks in use |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestJain(t *testing.T) {
	all := &tenants{tenants: map[string]*tenant{}}
	for name, tokens := range map[string]int64{"a": 1, "b": 2, "c": 3} {
		of := &tenant{}
		of.cells.OutputTokens = tokens
		all.tenants[name] = of
	}
	if got, want := all.jain((*tenant).tokens), 36.0/42; math.Abs(got-want) > 1e-12 {
		t.Errorf("the index is %v, want %v", got, want)
	}
}
