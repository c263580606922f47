// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// three is the profile of prefix, queue and KV with some weights.
func three(mode string, weights ...float64) Spec {
	s := Spec{Policy: "weighted", Mode: mode}
	for i, name := range []string{"prefix-affinity", "queue-depth", "kv-utilization"} {
		s.Scorers = append(s.Scorers, Scorer{Name: name, Weight: weights[i]})
	}
	return s
}

// decisions routes random requests of a few texts among four endpoints.
func decisions(t *testing.T, spec Spec) []int {
	r, stream := mustNew(t, spec, 4), stats.NewStream(1, "test")
	var chosen []int
	for id := range 400 {
		scrapes := make([]policy.Scrape, 4)
		for e := range scrapes {
			scrapes[e] = policy.Scrape{Waiting: stream.IntN(10), KVUsage: stream.Float64()}
		}
		chosen = append(chosen, route(t, r, view(scrapes...), request(id, text(uint64(stream.IntN(5)), 160), text(uint64(100+id), 40))))
	}
	return chosen
}

// Only ratios of weights matter to who has the greatest sum.
func TestNormalisedWeightsAreRatios(t *testing.T) {
	same(t, "3:2:2 and 6:4:4", decisions(t, three(ModeNormalised, 3, 2, 2)), decisions(t, three(ModeNormalised, 6, 4, 4)))
	same(t, "normalised or not", decisions(t, three(ModeEPP, 3, 2, 2)), decisions(t, three(ModeNormalised, 3, 2, 2)))
	// What two digits make of 3:2:2 is another ratio.
	a, b := decisions(t, three(ModeNormalised, 3, 2, 2)), decisions(t, three(ModeNormalised, 0.43, 0.29, 0.29))
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	t.Logf("0.43:0.29:0.29 decides otherwise than 3:2:2 in %d of %d cases", differ, len(a))
}

func TestTheSumIsOfClampedScores(t *testing.T) {
	for mode, want := range map[string][]float64{ModeEPP: {2 * 1, 2*0.5 + 6*1}, ModeNormalised: {0.25, 0.875}} {
		t.Run(mode, func(t *testing.T) {
			spec := Spec{Policy: "weighted", Mode: mode, Scorers: []Scorer{{Name: "load-balance", Weight: 2}, {Name: "kv-utilization", Weight: 6}}}
			// A KV usage of 1.5 makes -0.5, which counts as 0, and one of -1 makes 2.
			v := view(policy.Scrape{KVUsage: 1.5}, policy.Scrape{Waiting: 1, KVUsage: -1})
			same(t, mode, want, scores(t, mustNew(t, spec, 2), v, request(0)))
		})
	}
}

func TestWeightsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		mode   string
		weight float64
		want   string
	}{
		"0, as it is":          {ModeEPP, 0, ""},
		"negative, as it is":   {ModeEPP, -1, ""},
		"0, normalised":        {ModeNormalised, 0, `routing.scorers[0].weight: Invalid value: 0: must be greater than 0, as weights are normalised`},
		"negative, normalised": {ModeNormalised, -1, `routing.scorers[0].weight: Invalid value: -1: must be greater than 0, as weights are normalised`},
		"no number":            {ModeEPP, math.NaN(), `routing.scorers[0].weight: Invalid value: "NaN": must be a number`},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, name, tc.want, errorOf(Spec{Policy: "weighted", Mode: tc.mode, Scorers: []Scorer{{Name: "queue-depth", Weight: tc.weight}}}))
		})
	}
}

// errorOf is the only error of a spec, or "".
func errorOf(spec Spec) string {
	_, errs := Load(spec, field.NewPath("routing"))
	text := ""
	for _, err := range errs {
		text += err.Error()
	}
	return text
}

// Negative weights turn a preference round, and 0 takes it away.
func TestNegativeAndNoWeights(t *testing.T) {
	for name, tc := range map[string]struct {
		weight float64
		want   int
	}{"positive": {1, 0}, "negative": {-1, 1}, "none": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Policy: "weighted", TieBreak: tieFirst, Scorers: []Scorer{{Name: "queue-depth", Weight: tc.weight}}}
			same(t, name, tc.want, route(t, mustNew(t, spec, 2), view(policy.Scrape{}, policy.Scrape{Waiting: 3}), request(0)))
		})
	}
}
