// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// gaussian models scores by a Gaussian process, and proposes where the expected
// improvement is greatest (Jones, Schonlau, Welch: Efficient Global
// Optimization of Expensive Black-Box Functions, 1998).
type gaussian struct{ cube *cube }

// newGP returns the search by a Gaussian process.
func newGP(p *problem) (Algorithm, field.ErrorList) {
	return newModelled(p, gaussian{p.cube}), nil
}

// maxModelled bounds the trials that a process is made of, since its time grows
// with their cube: of more it takes the best half and the latest half.
const maxModelled = 300

func (m gaussian) propose(n int, trials []Trial, tried *untried, s *stats.Stream) []Values {
	trials = modelledTrials(trials)
	inputs := make([][]float64, len(trials))
	for i := range trials {
		inputs[i] = m.cube.encode(trials[i].Point)
	}
	choice := make([]bool, m.cube.dimensions())
	for i := range choice {
		choice[i] = m.cube.choice(i)
	}
	process := fitGaussianProcess(choice, inputs, scores(trials))
	if process == nil {
		return nil
	}
	var points []Values
	search := &acquisition{cube: m.cube, tried: tried, taken: map[string]bool{}, stream: s, process: process}
	for range n {
		p := search.best()
		if p == nil {
			break
		}
		points = append(points, p)
		search.taken[p.key()] = true
		process.believe(m.cube.encode(p))
	}
	return points
}

// modelledTrials returns those that the process is made of, in their order.
func modelledTrials(trials []Trial) []Trial {
	if len(trials) <= maxModelled {
		return trials
	}
	keep := make([]bool, len(trials))
	for i := range maxModelled / 2 {
		keep[len(trials)-1-i] = true
	}
	left := maxModelled / 2
	for _, i := range order(trials) {
		if left > 0 && !keep[i] {
			keep[i] = true
			left--
		}
	}
	var kept []Trial
	for i, t := range trials {
		if keep[i] {
			kept = append(kept, t)
		}
	}
	return kept
}

// acquisition looks for the point of the greatest expected improvement: among
// points drawn all over the cube and about the best inputs, and from the best
// of these uphill by ever smaller random steps. It looks at points, not at
// coordinates, so that it is the improvement of what will be tried.
type acquisition struct {
	cube    *cube
	tried   *untried
	taken   map[string]bool // by this generation
	stream  *stats.Stream
	process *gaussianProcess
	lowest  float64
}

// The effort of one proposal.
const (
	wideDraws  = 300
	nearInputs = 5
	nearDraws  = 20
	climbs     = 3
	climbDraws = 12 // and twice the number of coordinates, for each step
)

// site is a point with its coordinates and the logarithm of its expected
// improvement.
type site struct {
	point       Values
	x           []float64
	improvement float64
}

// best returns nil where all points that were looked at are taken.
func (a *acquisition) best() Values {
	a.lowest = a.process.lowest()
	sites := a.survey()
	slices.SortStableFunc(sites, func(s, t site) int {
		if s.improvement > t.improvement {
			return -1
		}
		return 1
	})
	if len(sites) == 0 {
		return nil
	}
	best := sites[0]
	for _, s := range sites[:min(climbs, len(sites))] {
		if s = a.climb(s); s.improvement > best.improvement {
			best = s
		}
	}
	return best.point
}

// survey looks all over the cube and about the best inputs.
func (a *acquisition) survey() []site {
	var sites []site
	x := make([]float64, a.cube.dimensions())
	for range wideDraws {
		for i := range x {
			x[i] = a.stream.Float64()
		}
		sites = a.visit(sites, x)
	}
	for _, i := range a.bestInputs() {
		for draw := range nearDraws {
			sites = a.visit(sites, a.near(a.process.inputs[i], []float64{0.1, 0.02}[draw%2]))
		}
	}
	return sites
}

func (a *acquisition) bestInputs() []int {
	inputs := make([]int, len(a.process.inputs))
	for i := range inputs {
		inputs[i] = i
	}
	slices.SortStableFunc(inputs, func(i, j int) int {
		if a.process.outputs[i] < a.process.outputs[j] {
			return -1
		}
		if a.process.outputs[i] > a.process.outputs[j] {
			return 1
		}
		return 0
	})
	return inputs[:min(nearInputs, len(inputs))]
}

func (a *acquisition) climb(s site) site {
	for _, step := range []float64{0.1, 0.03, 0.01, 0.003, 0.001} {
		for range climbDraws + 2*len(s.x) {
			for _, next := range a.visit(nil, a.near(s.x, step)) {
				if next.improvement > s.improvement {
					s = next
				}
			}
		}
	}
	return s
}

// near draws coordinates about others: each moves with a chance of a half, and
// a choice is drawn anew with a chance of one in eight. What is missing is
// drawn, in case that it comes to exist.
func (a *acquisition) near(x []float64, step float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		switch u := a.stream.Float64(); {
		case math.IsNaN(y[i]) || a.cube.choice(i) && u < 0.125:
			y[i] = a.stream.Float64()
		case !a.cube.choice(i) && u < 0.5:
			y[i] = fold(y[i] + float64(step*a.stream.Normal()))
		}
	}
	return y
}

// visit appends the point at some coordinates, if it may be proposed.
func (a *acquisition) visit(sites []site, coordinates []float64) []site {
	p := a.cube.decode(coordinates)
	if a.taken[p.key()] || !a.tried.free(p) {
		return sites
	}
	x := a.cube.encode(p)
	mean, deviation := a.process.predict(x)
	return append(sites, site{p, x, logImprovement(mean, deviation, a.lowest)})
}

// fold reflects a coordinate at 0 and at 1 until it lies between them.
func fold(x float64) float64 {
	x = math.Abs(math.Mod(x, 2))
	if x > 1 {
		return 2 - x
	}
	return x
}
