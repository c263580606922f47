// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

const samplePath = "../../config/samples/policysweep-search.yaml"

// smallSample is the sample with few requests.
func smallSample(t *testing.T) *sample {
	t.Helper()
	s, err := readSample(samplePath)
	if err != nil {
		t.Fatal(err)
	}
	requests := int64(90)
	s.sweep.Spec.Scenario.Horizon.Requests = &requests
	return s
}

func TestTheBestSoFarIsThatOfTheEffort(t *testing.T) {
	c := curve{{1, 9}, {3, 5}, {33.3333333333, 2}}
	for effort, want := range map[float64]float64{1: 9, 2.9: 9, 3: 5, 33: 5, 33.33333333: 2, 100: 2} {
		if got, ok := c.at(effort); !ok || got != want {
			t.Errorf("at %v: %v, %v, want %v", effort, got, ok, want)
		}
	}
	if _, ok := c.at(0.5); ok || c.best() != 2 {
		t.Errorf("there is a best before the first trial, or the last is %v", c.best())
	}
}

func TestTrialsAreCutWhereAnotherBegins(t *testing.T) {
	rows := []result.Row{
		{Point: 0, Share: 0.5, Seed: 1}, {Point: 0, Share: 0.5, Seed: 2},
		{Point: 1, Share: 0.5, Seed: 1}, {Point: 1, Share: 0.5, Seed: 2},
		{Point: 1, Share: 1, Seed: 1}, {Point: 1, Share: 1, Seed: 2},
		{Point: 1, Share: 1, Seed: 1},
		{Point: 1, Share: 1, Seed: 3}, {Point: 1, Share: 1, Seed: 4},
	}
	var got []int
	for trial := range trials(rows, func(row *result.Row) bool { return row.Seed > 2 }) {
		got = append(got, len(trial))
	}
	if diff := cmp.Diff([]int{2, 2, 2, 1, 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSearchesCountWhatTheySimulateAndNotTheBaseline(t *testing.T) {
	s := smallSample(t)
	entries, err := s.compete([]contestant{
		{v1alpha1.Search{Algorithm: v1alpha1.RandomSearch, MaxTrials: 6}, 2},
		{v1alpha1.Search{Algorithm: v1alpha1.SuccessiveHalvingSearch, MaxTrials: 9}, 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	random, halving := entries[0].found[0], entries[1].found[0]
	if random.requests != 6*3*90 || random.effort != 6 || len(random.losses) != 6 {
		t.Errorf("Random took %d requests, %v trials, and knows %d points", random.requests, random.effort, len(random.losses))
	}
	// A ninth of nine points, a third of three, and one.
	if halving.requests != 3*3*90 || len(halving.losses) != 1 || len(halving.rungs) != 3 {
		t.Errorf("SuccessiveHalving took %d requests, knows %d points and has %d rungs", halving.requests, len(halving.losses), len(halving.rungs))
	}
	if _, early := halving.curve.at(2.9); early {
		t.Error("SuccessiveHalving has a best before its last rung")
	}
	if !(random.baseline > 0) || random.baseline != halving.baseline {
		t.Errorf("under fresh seeds the baseline has %v, and %v", random.baseline, halving.baseline)
	}
	if slices.Equal(entries[0].found[0].curve, entries[0].found[1].curve) {
		t.Error("two seeds of Random try the same points")
	}
}

func TestASearchThatTakesTooMuchIsRefused(t *testing.T) {
	if err := withinBudget("Random", &found{effort: budget}); err != nil {
		t.Error(err)
	}
	if withinBudget("Random", &found{effort: budget + 1}) == nil {
		t.Error("101 full trials are within a budget of 100")
	}
}

func TestTheReferenceIsNotComparedWithItself(t *testing.T) {
	of := func(losses ...float64) entry {
		e := entry{contestant: contestant{v1alpha1.Search{Algorithm: v1alpha1.GPSearch}, len(losses)}}
		for _, loss := range losses {
			e.found = append(e.found, &found{curve: curve{{1, loss}}})
		}
		return e
	}
	ps := against([]entry{of(5, 6, 7, 8, 9), of(1, 2, 3, 4), of(9, 9, 9, 9)}, (*entry).bests)
	// One way of 9 choose 4, twice by Holm; and the other tends to lie above.
	if len(ps) != 2 || ps[0] < 2./126-1e-12 || ps[0] > 2./126+1e-12 || ps[1] < 0.9 {
		t.Errorf("p are %v", ps)
	}
}

func TestTheGridIsOfTheSamplesParameters(t *testing.T) {
	s := smallSample(t)
	sweep, points, err := s.onGrid()
	if err != nil || points != 432 || len(sweep.Spec.Parameters) != len(finite) || sweep.Spec.Baseline != nil {
		t.Errorf("%d points of %d parameters, %v", points, len(sweep.Spec.Parameters), err)
	}
	clients, objectives := sweep.Spec.Scenario.Workload.Clients, sweep.Spec.Objectives
	if len(clients) != 1 || clients[0].Arrivals.Rate != gridRate || *sweep.Spec.Scenario.Horizon.Requests != gridRequests || len(objectives) != 1 || objectives[0].Metric != gridMetric {
		t.Errorf("the grid's clients are %+v, and its objectives %+v", clients, objectives)
	}
	s.sweep.Spec.Parameters = s.sweep.Spec.Parameters[1:]
	if _, _, err := s.onGrid(); err == nil {
		t.Error("a sample without the parameter is accepted")
	}
}

func TestWordsOfAVerdict(t *testing.T) {
	for want, names := range map[string][]string{"none": nil, "a": {"a"}, "a, b and c": {"a", "b", "c"}} {
		if got := list(names); got != want {
			t.Errorf("%v: %q", names, got)
		}
	}
	if got := median([]float64{3, 1, 2, 10}); got != 2.5 {
		t.Errorf("median is %v", got)
	}
}
