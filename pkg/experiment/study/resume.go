// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// Resume returns the round that work is of, and the numbers of the simulations
// to run.
func Resume(p *experiment.Plan, w experiment.Work) (*experiment.Round, []int, error) {
	round, err := roundOf(p, w)
	if err != nil {
		return nil, nil, err
	}
	var which []int
	next := 0
	for _, skip := range append(w.Skip, [2]int{round.Simulations(), round.Simulations()}) {
		if skip[0] < next || skip[1] < skip[0] || skip[1] > round.Simulations() {
			return nil, nil, fmt.Errorf("round %d: simulations %d to %d are none of its %d", w.Round, skip[0], skip[1], round.Simulations())
		}
		for ; next < skip[0]; next++ {
			which = append(which, next)
		}
		next = skip[1]
	}
	return round, which, nil
}

func roundOf(p *experiment.Plan, w experiment.Work) (*experiment.Round, error) {
	if w.Round == 0 && len(w.Trials) == 0 {
		study, err := New(p)
		if err != nil {
			return nil, err
		}
		return study.Round(), nil
	}
	trials := make([]experiment.Trial, len(w.Trials))
	for i, t := range w.Trials {
		if p.IsSweep() && len(t.Values) != len(p.Parameters) {
			return nil, fmt.Errorf("round %d: point %d has %d values, and there are %d parameters", w.Round, t.Point, len(t.Values), len(p.Parameters))
		}
		trials[i] = experiment.Trial{Point: experiment.Point{ID: t.Point, Policy: t.Policy}, Share: t.Share, Seeds: t.Seeds}
		for j, value := range t.Values {
			trials[i].Point.Values = append(trials[i].Point.Values, v1alpha1.Assignment{Name: p.Parameters[j].Name, Value: value})
		}
	}
	return p.NewRound(w.Round, trials), nil
}
