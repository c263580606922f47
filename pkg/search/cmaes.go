// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// cmaes draws populations of samples from a normal distribution over the unit
// cube that moves to where the better ones lie. Once it has come to rest it
// starts anew elsewhere, with populations twice as large (Auger, Hansen: A
// Restart CMA Evolution Strategy With Increasing Population Size, 2005). It
// starts about the baseline, or without one in the middle.
//
// Beyond its ends an axis is reflected. Values are rounded, and a sample that
// rounds to a known point counts with what is known, at no cost. So do labels,
// whose order means nothing: where choices matter most, TPE is at home.
type cmaes struct {
	problem *problem
	tried   *untried
	known   map[string]Trial
	asked   []Values

	evolution   *evolution
	runs        int
	populations int // of all runs
	samples     []sampled
	flat        int // populations in a row without a difference
}

// sampled is a sample and the standard normal vector that it comes from. Its
// point is nil where the rules left none to be found.
type sampled struct {
	point Values
	z     []float64
}

const (
	// firstDeviation is such that an axis ends three of them from its middle
	// (Hansen's advice in the tutorial that evolution follows). Where the next
	// runs start is no guess at the best, so that they begin wider. A run is at
	// rest once no coordinate is wider than restDeviation or a number of populations
	// were flat.
	firstDeviation = 1. / 6
	nextDeviation  = 0.3
	restDeviation  = 1e-4
	maxFlat        = 5
	// leastOfACell is the least deviation of a discrete coordinate, as a share of a cell.
	leastOfACell = 0.25
	// maxStale is the number of populations in a row without a new point after which a run
	// ends. After maxDry such runs the next points are random.
	maxStale = 10
	maxDry   = 4
	// maxResamples is how often a sample is drawn again if rules forbid it.
	maxResamples = 64
)

// newCMAES returns the search by covariance matrix adaptation.
func newCMAES(p *problem) (Algorithm, field.ErrorList) {
	c := &cmaes{problem: p, tried: newUntried(p.cube), known: map[string]Trial{}}
	c.start(c.firstMean())
	c.advance()
	return c, nil
}

func (c *cmaes) Ask() []Proposal { return c.problem.inFull(c.asked) }

func (c *cmaes) Tell(trials []Trial) {
	c.tried.note(trials)
	for _, t := range trials {
		c.known[t.Point.key()] = t
	}
	c.advance()
}

func (c *cmaes) firstMean() []float64 {
	mean := make([]float64, c.problem.cube.dimensions())
	if c.problem.Baseline != nil {
		copy(mean, c.problem.cube.encode(c.problem.Baseline))
	} else {
		for i := range mean {
			mean[i] = 0.5
		}
	}
	for i := range mean {
		mean[i] = middleIfMissing(mean[i])
	}
	return mean
}

// start begins a run: the first with as many samples as are usual or as are
// asked for at a time, each further one with twice as many.
func (c *cmaes) start(mean []float64) {
	population := 4 + int(3*stats.Log(float64(len(mean))))
	population = max(population, c.problem.Settings.Generation) << min(c.runs, maxDoublings)
	least := make([]float64, len(mean))
	for i := range least {
		least[i] = leastOfACell / float64(c.problem.cube.values(i))
	}
	deviation := firstDeviation
	if c.runs > 0 {
		deviation = nextDeviation
	}
	c.evolution = newEvolution(mean, deviation, least, population)
	c.runs++
	c.flat = 0
	c.populate()
}

// maxDoublings bounds populations.
const maxDoublings = 10

// populate draws the samples of the next population.
func (c *cmaes) populate() {
	s := c.problem.stream(c.populations)
	c.populations++
	c.samples = c.samples[:0]
	for range c.evolution.population {
		c.samples = append(c.samples, c.sample(s))
	}
}

func (c *cmaes) sample(s *stats.Stream) sampled {
	var z []float64
	for range maxResamples {
		var x []float64
		x, z = c.evolution.sample(s)
		for i := range x {
			x[i] = fold(x[i])
		}
		if p := c.problem.cube.decode(x); c.problem.cube.allows(p) {
			return sampled{p, z}
		}
	}
	return sampled{nil, z}
}

// advance moves on until there are points to try, or none are left.
func (c *cmaes) advance() {
	left := c.problem.Settings.MaxTrials - len(c.known)
	stale, dry := 0, 0
	for c.asked = c.unknown(); len(c.asked) == 0 && left > 0; c.asked = c.unknown() {
		if dry == maxDry {
			c.asked = c.drawn(min(left, c.problem.generation(c.evolution.population)))
			return
		}
		if c.evolve() && stale < maxStale {
			stale++
			c.populate()
		} else {
			stale, dry = 0, dry+1
			c.start(c.otherMean())
		}
	}
	c.asked = c.asked[:min(len(c.asked), max(left, 0), c.problem.generation(len(c.asked)))]
}

// unknown returns the population's points that were not told, each once.
func (c *cmaes) unknown() []Values {
	var points []Values
	seen := map[string]bool{}
	for _, s := range c.samples {
		if s.point == nil || seen[s.point.key()] {
			continue
		}
		seen[s.point.key()] = true
		if _, known := c.known[s.point.key()]; !known {
			points = append(points, s.point)
		}
	}
	return points
}

// evolve moves the distribution by the population, all of which is known, and
// says whether the run is to go on.
func (c *cmaes) evolve() bool {
	trials := make([]Trial, len(c.samples))
	for i, s := range c.samples {
		if s.point != nil {
			trials[i] = c.known[s.point.key()]
		}
	}
	ranked := order(trials)
	zs := make([][]float64, len(ranked))
	for place, i := range ranked {
		zs[place] = c.samples[i].z
	}
	c.flat++
	if better(trials[ranked[0]], trials[ranked[len(ranked)-1]]) {
		c.flat = 0
	}
	return c.evolution.evolve(zs) && c.flat < maxFlat && c.evolution.widest() > restDeviation
}

// otherMean is where the next run starts.
func (c *cmaes) otherMean() []float64 {
	s := stats.NewStream(c.problem.Settings.Seed, fmt.Sprintf("search/CMAES/run/%d", c.runs))
	mean := make([]float64, c.problem.cube.dimensions())
	for i := range mean {
		mean[i] = s.Float64()
	}
	return mean
}

// drawn returns n random points, or what is left of the space.
func (c *cmaes) drawn(n int) []Values {
	s := c.problem.stream(c.populations)
	c.populations++
	var points []Values
	for range n {
		p := c.tried.draw(s)
		if p == nil {
			break
		}
		points = append(points, p)
	}
	return points
}
