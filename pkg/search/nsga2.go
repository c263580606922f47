// SPDX-License-Identifier: Apache-2.0

package search

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// nsga2 breeds a population towards the front of several objectives and spreads
// it along the front: of parents and children together those survive that
// fewest dominate, and of these the loneliest (Deb, Pratap, Agarwal, Meyarivan:
// A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II, 2002). Here a
// child is always a new point, and a choice is inherited or drawn.
type nsga2 struct {
	generations
	population []individual // ranked
}

func newNSGA2(p *problem) (Algorithm, field.ErrorList) {
	return &nsga2{generations: newGenerations(p, min(max(p.Settings.MaxTrials/24, 12), 100))}, nil
}

// Ask returns children of the present population.
func (n *nsga2) Ask() []Proposal {
	if len(n.population) == 0 {
		return n.ask(nil)
	}
	return n.ask(n.tournament)
}

// tournament returns the better of two members drawn at random.
func (n *nsga2) tournament(s *stats.Stream) Values {
	a, b := s.IntN(len(n.population)), s.IntN(len(n.population))
	return n.population[min(a, b)].Point // they are ranked
}

// Tell has parents and children compete.
func (n *nsga2) Tell(trials []Trial) {
	n.tell(trials)
	n.population = ranked(append(n.population, individuals(trials, n.problem.Objectives)...))
	n.population = n.population[:min(n.size, len(n.population))]
}
