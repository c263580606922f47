// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// parzen estimates a density over the unit cube from points: an equal mixture
// of a bump about each point and of the uniform density, which stands for what
// was not tried. A bump is a product over the coordinates, so that the mixture
// keeps which values go together (Falkner, Klein, Hutter: BOHB, 2018).
//
// In a coordinate that a point lacks its bump is uniform.
type parzen struct {
	cube  *cube
	bumps []bump
	width []float64 // of the bumps, by coordinate
}

// bump is a product of normal densities cut off at the ends of the axes, and of
// the probabilities of labels.
type bump struct {
	centre  []float64
	logTops []float64 // logarithms of the factors at the centre, by coordinate
}

func newParzen(c *cube, points [][]float64) *parzen {
	p := &parzen{cube: c, width: make([]float64, c.dimensions())}
	for i := range p.width {
		p.width[i] = p.bandwidth(i, points)
	}
	for _, x := range points {
		p.add(x)
	}
	return p
}

// add puts a bump about one more point.
func (p *parzen) add(x []float64) {
	tops := make([]float64, len(x))
	for i, u := range x {
		switch w := p.width[i]; {
		case math.IsNaN(u):
		case p.cube.choice(i):
			tops[i] = stats.Log(p.hit(i) / p.uniform(i))
		default:
			inside := normalCDF((1-u)/w) - normalCDF(-u/w)
			tops[i] = -stats.Log(float64(sqrtTwoPi * float64(w*inside)))
		}
	}
	p.bumps = append(p.bumps, bump{x, tops})
}

// bandwidth is the width of the bumps in a coordinate. Of numbers it is the
// normal reference rule (Scott: Multivariate Density Estimation, 1992) with a
// spread that counts the uniform density as one point more, and at least half
// of a cell. Of a choice it is the probability of another label: that of one
// uniform draw for each label in addition to the draws that the points are.
func (p *parzen) bandwidth(i int, points [][]float64) float64 {
	n, sum, squares := 1., 0.5, 1./3
	for _, x := range points {
		if u := x[i]; !math.IsNaN(u) {
			n++
			sum += u
			squares += float64(u * u)
		}
	}
	values := float64(p.cube.values(i))
	if p.cube.choice(i) {
		return values / (values + n)
	}
	mean := sum / n
	spread := math.Sqrt(math.Max(squares/n-float64(mean*mean), 0))
	width := float64(1.06 * float64(spread*stats.Pow(n, -1/float64(4+p.cube.dimensions()))))
	return math.Min(math.Max(width, math.Max(0.5/values, minWidth)), maxWidth)
}

// minWidth keeps a few points that happen to agree from closing an axis, and
// maxWidth is nearly uniform.
const minWidth, maxWidth = 0.01, 0.5

// hit and miss are the probabilities of a point's own label and of each other
// one, and uniform is that of any label where nothing is known.
func (p *parzen) hit(i int) float64     { return 1 - p.width[i] + p.miss(i) }
func (p *parzen) miss(i int) float64    { return float64(p.width[i] * p.uniform(i)) }
func (p *parzen) uniform(i int) float64 { return 1 / float64(p.cube.values(i)) }

// sample draws coordinates; those of parameters that turn out not to exist mean
// nothing.
func (p *parzen) sample(s *stats.Stream) []float64 {
	var centre []float64
	if b := s.IntN(len(p.bumps) + 1); b < len(p.bumps) {
		centre = p.bumps[b].centre
	}
	x := make([]float64, p.cube.dimensions())
	for i := range x {
		switch {
		case centre == nil || math.IsNaN(centre[i]) || p.cube.choice(i) && s.Float64() < p.width[i]:
			x[i] = s.Float64()
		case p.cube.choice(i):
			x[i] = centre[i]
		default:
			x[i] = cutNormal(s, centre[i], p.width[i])
		}
	}
	return x
}

// cutNormal draws a normal variate that lies in [0, 1], as half of them do at
// the very least where the mean does.
func cutNormal(s *stats.Stream, mean, deviation float64) float64 {
	for {
		if x := mean + float64(deviation*s.Normal()); x >= 0 && x <= 1 {
			return x
		}
	}
}

// logDensity is that of a point's coordinates, those that it lacks left out.
// Of a label it is relative to the uniform one, as it is of numbers.
func (p *parzen) logDensity(x []float64) float64 {
	logs := make([]float64, 0, len(p.bumps)+1)
	logs = append(logs, 0)
	top := 0.
	for _, b := range p.bumps {
		l := p.logBump(b, x)
		logs, top = append(logs, l), math.Max(top, l)
	}
	sum := 0.
	for _, l := range logs {
		sum += stats.Exp(l - top)
	}
	return top + stats.Log(sum/float64(len(logs)))
}

func (p *parzen) logBump(b bump, x []float64) float64 {
	sum := 0.
	for i, u := range x {
		c := b.centre[i]
		switch {
		case math.IsNaN(c) || math.IsNaN(u):
		case !p.cube.choice(i):
			z := (u - c) / p.width[i]
			sum += b.logTops[i] - float64(0.5*float64(z*z))
		case u == c:
			sum += b.logTops[i]
		default:
			sum += stats.Log(p.width[i]) // the miss, relative to the uniform probability
		}
	}
	return sum
}
