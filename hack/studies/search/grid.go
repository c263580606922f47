// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/hack/studies/study"
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

// gridFound is what the whole grid has and what SuccessiveHalving finds of it.
type gridFound struct{ all, halved *found }

// searchGrid tries all points of the finite space in full, and then by
// SuccessiveHalving.
func (s *sample) searchGrid() (*gridFound, error) {
	sweep, points, err := s.onGrid()
	if err != nil {
		return nil, err
	}
	results := make([]*found, 2)
	err = study.ForEach(2, func(i int) (err error) {
		algorithm := []v1alpha1.SearchAlgorithm{v1alpha1.GridSearch, v1alpha1.SuccessiveHalvingSearch}[i]
		results[i], err = s.conduct(sweep, v1alpha1.Search{Algorithm: algorithm, MaxTrials: int32(points), Seed: 1})
		return err
	})
	return &gridFound{results[0], results[1]}, err
}

// onGrid returns the sweep over the finite space, and its number of points.
func (s *sample) onGrid() (*v1alpha1.PolicySweep, int, error) {
	sweep := s.sweep.DeepCopy()
	sweep.Spec.Baseline = nil
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
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.GridSearch, MaxTrials: int32(points)}
	return sweep, points, nil
}
