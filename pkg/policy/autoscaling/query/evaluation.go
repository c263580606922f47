// SPDX-License-Identifier: Apache-2.0

package query

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// lookback is how old the newest sample of a series may be for an instant selector.
const lookback = 5 * time.Minute

// element is a series of an instant vector.
type element struct {
	labels *labels
	value  float64
}

// vectorNode evaluates to an instant vector. The caller may change it, and the next call
// overwrites it.
type vectorNode interface{ vector(*evaluation) []element }

// scalarNode evaluates to a number.
type scalarNode interface{ scalar(*evaluation) float64 }

// evaluation is what the nodes of a query share while the query is evaluated.
type evaluation struct {
	now     simtime.Time
	monitor *autoscaling.Monitor
	problem Problem
}

// fail notes the first problem.
func (x *evaluation) fail(p Problem) {
	if x.problem == None {
		x.problem = p
	}
}

// newest returns the newest readable sample and the one before; nil without such a sample.
func (x *evaluation) newest() (now, before *autoscaling.Sample) {
	for n := 0; ; n++ {
		s := x.monitor.Back(n)
		switch {
		case s == nil || s.At.Add(lookback) <= x.now:
			return nil, nil
		case s.At.Add(x.monitor.Delay) <= x.now:
			return s, x.monitor.Back(n + 1)
		}
	}
}

// span appends the readable samples within a window, the oldest first, after the one before
// them, which is nil for the first sample.
func (x *evaluation) span(all []*autoscaling.Sample, window time.Duration) []*autoscaling.Sample {
	newest, oldest := 0, 0
	for ; ; oldest++ {
		s := x.monitor.Back(oldest)
		if s == nil || s.At.Add(window) <= x.now {
			break
		}
		if s.At.Add(x.monitor.Delay) > x.now {
			newest++
		}
	}
	for n := oldest; n >= newest; n-- {
		all = append(all, x.monitor.Back(n))
	}
	return all
}

// number is a constant.
type number float64

func (n number) scalar(*evaluation) float64 { return float64(n) }

// selector is an instant selector.
type selector struct {
	series []series
	out    []element
}

func (n *selector) vector(x *evaluation) []element {
	n.out = n.out[:0]
	now, before := x.newest()
	if now == nil {
		return n.out
	}
	for i := range n.series {
		if value, ok := n.series[i].read(now, before); ok {
			n.out = append(n.out, element{n.series[i].labels, value})
		}
	}
	return n.out
}
