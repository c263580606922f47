// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/studies/study"
)

// The grid is of routing alone, on a lower rung of the benchmark's ladder and by
// the time to first token: there the cheap trials that SuccessiveHalving begins
// with are poor judges.
const (
	gridRate     = v1alpha1.PositiveDecimal("20") // requests/s
	gridRequests = int64(1350)
	gridMetric   = "ttft.mean"
)

// finite are the values of the sample's parameters on the grid, in the order of
// the page. Other parameters stay what the scenario has.
var finite = []struct {
	parameter string
	values    []string
}{
	{"prefix", []string{"1", "3", "6", "10"}},
	{"queue", []string{"0", "1", "3", "6"}},
	{"kvCache", []string{"0", "1", "4"}},
	{"indexBlocks", []string{"1000", "4000", "16000"}},
	{"matchBlocks", []string{"32", "96", "256"}},
}

// gridSeeds are those of a full trial on the grid.
const gridSeeds = 9

// fidelities are what SuccessiveHalving begins with less of.
var fidelities = []v1alpha1.Fidelity{v1alpha1.RequestsFidelity, v1alpha1.SeedsFidelity}

// gridFound is what the whole grid has, and what SuccessiveHalving finds of it by
// each fidelity.
type gridFound struct {
	all    *found
	halved []*found
}

// searchGrid tries all points of the finite space in full, and by
// SuccessiveHalving.
func (s *sample) searchGrid() (*gridFound, error) {
	sweep, points, err := s.onGrid()
	if err != nil {
		return nil, err
	}
	ways := []v1alpha1.Search{{Algorithm: v1alpha1.GridSearch}}
	for _, fidelity := range fidelities {
		ways = append(ways, v1alpha1.Search{
			Algorithm: v1alpha1.SuccessiveHalvingSearch, Halving: &v1alpha1.Halving{Fidelity: fidelity, Reduction: 3},
		})
	}
	results := make([]*found, len(ways))
	err = study.ForEach(len(ways), func(i int) (err error) {
		ways[i].MaxTrials, ways[i].Seed = int32(points), 1
		results[i], err = s.conduct(sweep, ways[i])
		return err
	})
	return &gridFound{results[0], results[1:]}, err
}

// onGrid returns the sweep over the finite space, and its number of points.
func (s *sample) onGrid() (*v1alpha1.PolicySweep, int, error) {
	sweep := s.sweep.DeepCopy()
	sweep.Spec.Baseline = nil
	requests := gridRequests
	sweep.Spec.Scenario.Horizon.Requests = &requests
	for i := range sweep.Spec.Scenario.Workload.Clients {
		sweep.Spec.Scenario.Workload.Clients[i].Arrivals.Rate = gridRate
	}
	sweep.Spec.Objectives = []v1alpha1.Objective{{Metric: gridMetric, Direction: v1alpha1.Minimize}}
	given := map[string]v1alpha1.Parameter{}
	for _, p := range sweep.Spec.Parameters {
		given[p.Name] = p
	}
	sweep.Spec.Parameters = nil
	points := 1
	for _, f := range finite {
		p, ok := given[f.parameter]
		if !ok {
			return nil, 0, fmt.Errorf("the sample has no parameter %s", f.parameter)
		}
		p.Range, p.Values = nil, f.values
		sweep.Spec.Parameters = append(sweep.Spec.Parameters, p)
		points *= len(f.values)
	}
	seeds := int32(gridSeeds)
	sweep.Spec.Replications.Count = &seeds
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.GridSearch, MaxTrials: int32(points)}
	return sweep, points, nil
}
