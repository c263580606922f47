// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// point is a sample of a series, at a time of a window.
type point struct {
	at    time.Duration // since the window's beginning
	value float64
}

// seconds is exact where d.Seconds() rounds twice.
func seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// rangeNode applies a function to a range of each series.
type rangeNode struct {
	series    []series
	names     *projection // nil where the function keeps names
	window    time.Duration
	parameter scalarNode // nil where the function has none
	of        rangeFunction

	samples []*autoscaling.Sample
	points  []point
	out     []element
}

// rangeFunction returns the value of a function of at least one point of a window.
type rangeFunction func(points []point, window time.Duration, parameter float64) (value float64, ok bool)

func (n *rangeNode) vector(x *evaluation) []element {
	n.out = n.out[:0]
	n.samples = x.span(n.samples[:0], n.window)
	parameter := 0.0
	if n.parameter != nil {
		parameter = n.parameter.scalar(x)
	}
	for i := range n.series {
		if !n.gather(x, &n.series[i]) {
			continue
		}
		if value, ok := n.of(n.points, n.window, parameter); ok {
			l := n.series[i].labels
			if n.names != nil {
				l = n.names.of(l)
			}
			n.out = append(n.out, element{l, value})
		}
	}
	return n.out
}

// gather collects the points of a series, and reports whether there are any.
func (n *rangeNode) gather(x *evaluation, s *series) bool {
	n.points = n.points[:0]
	for k := 1; k < len(n.samples); k++ {
		if value, ok := s.read(n.samples[k], n.samples[k-1]); ok {
			n.points = append(n.points, point{n.samples[k].At.Sub(x.now) + n.window, value})
		}
	}
	return len(n.points) > 0
}

// rangeFunctions are the functions of ranges.
var rangeFunctions = map[string]rangeFunction{
	"rate": func(p []point, window time.Duration, _ float64) (float64, bool) {
		return extrapolated(p, window, true, true)
	},
	"increase": func(p []point, window time.Duration, _ float64) (float64, bool) {
		return extrapolated(p, window, true, false)
	},
	"delta": func(p []point, window time.Duration, _ float64) (float64, bool) {
		return extrapolated(p, window, false, false)
	},
	"irate":              instantRate,
	"avg_over_time":      func(p []point, _ time.Duration, _ float64) (float64, bool) { return total(p) / float64(len(p)), true },
	"sum_over_time":      func(p []point, _ time.Duration, _ float64) (float64, bool) { return total(p), true },
	"count_over_time":    func(p []point, _ time.Duration, _ float64) (float64, bool) { return float64(len(p)), true },
	"last_over_time":     func(p []point, _ time.Duration, _ float64) (float64, bool) { return p[len(p)-1].value, true },
	"max_over_time":      func(p []point, _ time.Duration, _ float64) (float64, bool) { return extreme(p, 1), true },
	"min_over_time":      func(p []point, _ time.Duration, _ float64) (float64, bool) { return extreme(p, -1), true },
	"quantile_over_time": quantileOverTime,
}

func total(points []point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.value
	}
	return sum
}

// extreme returns the largest value, or with a sign of −1 the smallest.
func extreme(points []point, sign float64) float64 {
	best := points[0].value
	for _, p := range points[1:] {
		if p.value*sign > best*sign || math.IsNaN(best) {
			best = p.value
		}
	}
	return best
}

func quantileOverTime(points []point, _ time.Duration, q float64) (float64, bool) {
	slices.SortFunc(points, func(a, b point) int { return compare(a.value, b.value) })
	return quantile(q, len(points), func(i int) float64 { return points[i].value }), true
}

// quantile returns the q-quantile of n values in order, linear between two of them.
func quantile(q float64, n int, value func(int) float64) float64 {
	switch {
	case n == 0 || math.IsNaN(q):
		return math.NaN()
	case q < 0:
		return math.Inf(-1)
	case q > 1:
		return math.Inf(1)
	}
	rank := float64(q * float64(n-1))
	lower := math.Floor(rank)
	weight := rank - lower
	if weight == 0 {
		return value(int(lower)) // and no infinity times 0
	}
	upper := min(float64(n-1), lower+1)
	return float64(value(int(lower))*(1-weight)) + float64(value(int(upper))*weight)
}
