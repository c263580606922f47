// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// selecting returns a selection among endpoints of which these headrooms, shares of
// the prompt in tenths and requests are known.
func selecting(at version.Release, predictions []predicted, tenths ...int) *headroomSelection {
	parameters := &predictedLatencyScorerParameters{}
	parameters.Defaults(at)
	prediction := scheduler.NewLatencyPrediction(len(predictions))
	for e, p := range predictions {
		prediction.Known[e] = true
		prediction.TtftHeadroom[e], prediction.TpotHeadroom[e] = p.ttft, p.tpot
		prediction.Ttft[e] = 10000 - p.ttft
	}
	match := &scheduler.PrefixMatch{TotalBlocks: 10, Blocks: make([]int, len(predictions))}
	copy(match.Blocks, tenths)
	return &headroomSelection{
		predictedLatencyScorerParameters: parameters,
		at:                               at,
		prediction:                       prediction,
		match:                            match,
		running:                          func(e int) int { return predictions[e].dispatched },
		random:                           stats.NewStream(1, "selection"),
	}
}

func all(n int) []int {
	endpoints := make([]int, n)
	for e := range endpoints {
		endpoints[e] = e
	}
	return endpoints
}

// What the endpoints weigh, from 2 to 101 by headroom, and to 82 by deficit.
func TestWeightsOfHeadroomSelection(t *testing.T) {
	wide := []predicted{{100, 10, 1}, {300, 30, 1}, {200, 20, 1}, {300, 10, 1}}
	missing := []predicted{{-100, -10, 1}, {-300, -30, 1}, {-100, 5, 1}, {-200, 50, 1}, {5, -10, 1}, {500, -20, 1}}
	for name, tc := range map[string]struct {
		predictions []predicted
		change      func(s *headroomSelection)
		want        []int
	}{
		"the least room weighs most":             {wide, func(*headroomSelection) {}, []int{101, 2, 51, 21}},
		"the most":                               {wide, func(s *headroomSelection) { s.HeadroomSelectionStrategy = mostHeadroom }, []int{2, 100, 51, 81}},
		"the first token only":                   {wide, func(s *headroomSelection) { s.StreamingMode = false }, []int{101, 2, 51, 2}},
		"no range is half of one":                {wide[:1], func(*headroomSelection) {}, []int{51}},
		"deficits by what is missed, not by how": {missing, func(*headroomSelection) {}, []int{82, 2, 82, 18, 82, 66}},
	} {
		s := selecting(version.GIE13, tc.predictions)
		tc.change(s)
		choices, total := s.byHeadroom(all(len(tc.predictions)))
		if tc.predictions[0].ttft < 0 {
			choices, total = s.byDeficit(all(len(tc.predictions)))
		}
		got := make([]int, len(tc.predictions))
		sum := 0
		for _, choice := range choices {
			got[choice.endpoint] = choice.weight
			sum += choice.weight
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if sum != total {
			t.Errorf("%s: weights of %d, total %d", name, sum, total)
		}
	}
}

// Who may be chosen, and how often of a hundred, within 2.
func TestHeadroomSelection(t *testing.T) {
	const maximal = "max"
	good, better, late, slow := predicted{100, 10, 1}, predicted{200, 20, 1}, predicted{-100, 10, 1}, predicted{100, -10, 1}
	idleLate := predicted{-5000, -10, 0}
	for name, tc := range map[string]struct {
		at          version.Release
		predictions []predicted
		tenths      []int
		mode        string
		strategy    string
		scrapes     []policy.Scrape
		want        []float64
	}{
		"one that meets both, but for one in a hundred": {version.GIE13, []predicted{late, good}, nil, maximal, "", nil, []float64{1, 99}},
		"by weight, 101 to 2":                           {version.GIE13, []predicted{good, better}, nil, "linear", "", nil, []float64{98, 2}},
		"one that runs nothing, however late":           {version.GIE13, []predicted{late, idleLate, slow}, nil, maximal, "", nil, []float64{0, 100, 0}},
		"what holds nearly all goes before all":         {version.GIE13, []predicted{good, late, good}, []int{0, 10, 9}, maximal, "", nil, []float64{0.01, 99, 1}},
		"what holds much goes before its like":          {version.GIE13, []predicted{good, better, late}, []int{0, 8, 9}, maximal, "", nil, []float64{1, 98, 1}},
		"but not much less":                             {version.GIE13, []predicted{good, better}, []int{0, 7}, maximal, "", nil, []float64{100, 0}},
		"however late it is":                            {version.GIE14, []predicted{good, {-5000, 1, 1}}, []int{0, 10}, maximal, "", nil, []float64{1, 99}},
		"but for so late, since gie-v1.5":               {version.GIE15, []predicted{good, {-5000, 1, 1}}, []int{0, 10}, maximal, "", nil, []float64{99, 1}},
		"and not a bit earlier":                         {version.GIE15, []predicted{good, {-4900, 1, 1}}, []int{0, 10}, maximal, "", nil, []float64{1, 99}},
		"memory and queues, as it is told": {version.GIE13, []predicted{late, good}, nil, maximal, compositeOnly,
			[]policy.Scrape{{Waiting: 1}, {Waiting: 2}}, []float64{100, 0}},
		"among those that meet both": {version.GIE13, []predicted{good, better, late}, nil, maximal, compositeLeast,
			[]policy.Scrape{{Waiting: 1, KVUsage: 0.1}, {Waiting: 5, KVUsage: 0.5}, {}}, []float64{0, 99, 1}},
		"least was most among others": {version.GIE14, []predicted{late, late}, nil, maximal, compositeLeast,
			[]policy.Scrape{{Waiting: 1, KVUsage: 0.1}, {Waiting: 5, KVUsage: 0.5}}, []float64{100, 0}},
		"and is least": {version.GIE15, []predicted{late, late}, nil, maximal, compositeLeast,
			[]policy.Scrape{{Waiting: 1, KVUsage: 0.1}, {Waiting: 5, KVUsage: 0.5}}, []float64{0, 100}},
		// Both weigh 67 of 134, and inverted 34.
		"inverted weights leave the rest to the first": {version.GIE13, []predicted{good, better}, nil, "linear", compositeLeast,
			[]policy.Scrape{{}, {}}, []float64{74.6, 25.4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := selecting(tc.at, tc.predictions, tc.tenths...)
			s.SelectionMode = tc.mode
			if tc.strategy != "" {
				s.HeadroomSelectionStrategy = tc.strategy
			}
			c := &scheduler.Cycle{Scrapes: tc.scrapes}
			chosen := make([]float64, len(tc.predictions))
			for range 10000 {
				chosen[s.choose(c, all(len(tc.predictions)))] += 0.01
			}
			for e := range chosen {
				if d := chosen[e] - tc.want[e]; d < -2 || d > 2 || tc.want[e] == 0 && chosen[e] > 0 {
					t.Fatalf("chosen %v times of 100, want %v", chosen, tc.want)
				}
			}
		})
	}
}
