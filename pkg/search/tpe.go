// SPDX-License-Identifier: Apache-2.0

package search

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// treeParzen models which points are good: it estimates the density of the best
// trials and that of the others, and proposes where the first is greatest by
// the second (Bergstra et al.: Algorithms for Hyper-Parameter Optimization,
// 2011). Only ranks count, so that failed and infeasible trials and losses of
// any scale are equal to it; and the densities speak of choices and of
// parameters that exist only at times as well as of numbers.
type treeParzen struct{ cube *cube }

// newTPE returns the search by tree-structured Parzen estimators, with
// densities over all parameters at once.
func newTPE(p *problem) (Algorithm, field.ErrorList) {
	return newModelled(p, treeParzen{p.cube}), nil
}

// Of the trials the best goodShare are good, maxGood at most.
const (
	goodShare = 0.1
	maxGood   = 25
)

// candidatesPerCoordinate is the number of candidates for each coordinate, of which a
// proposal is the best. Two coordinates have 24, as in Bergstra's paper. More coordinates
// span more space around the good trials, where 24 candidates would hardly leave the middle.
const candidatesPerCoordinate = 12

func (m treeParzen) propose(n int, trials []Trial, tried *untried, s *stats.Stream) []Values {
	good, others := m.split(trials)
	likely, unlikely := newParzen(m.cube, good), newParzen(m.cube, others)
	taken := map[string]bool{}
	candidates := candidatesPerCoordinate * max(m.cube.dimensions(), 2)
	var points []Values
	for range n {
		best, p := 0., Values(nil)
		for range candidates {
			q := m.cube.decode(likely.sample(s))
			if taken[q.key()] || !tried.free(q) {
				continue
			}
			x := m.cube.encode(q)
			if ratio := likely.logDensity(x) - unlikely.logDensity(x); p == nil || ratio > best {
				best, p = ratio, q
			}
		}
		if p == nil {
			break
		}
		taken[p.key()] = true
		points = append(points, p)
		// What is being tried counts as no good, which spreads the generation.
		unlikely.add(m.cube.encode(p))
	}
	return points
}

// split returns the coordinates of the good trials and of the others. A trial
// that failed is never good.
func (m treeParzen) split(trials []Trial) (good, others [][]float64) {
	n := min(int(goodShare*float64(len(trials)))+1, maxGood)
	for place, i := range order(trials) {
		x := m.cube.encode(trials[i].Point)
		if place < n && !trials[i].Failed() {
			good = append(good, x)
		} else {
			others = append(others, x)
		}
	}
	return good, others
}
