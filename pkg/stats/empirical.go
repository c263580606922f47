// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
	"sort"
)

// WeightedValue is a number and how often it comes, relative to its
// neighbours'.
type WeightedValue struct{ Value, Weight float64 }

// Empirical draws from a list of numbers, each as often as its weight says.
// [NewEmpirical] makes one.
type Empirical struct {
	values     []float64
	cumulative []float64 // of the weights, up to and with this value's
	mean       float64
}

// NewEmpirical returns the distribution over these values, in this order. It is
// an error where there are none, a value or weight is not finite, a weight is
// negative, or all are 0.
func NewEmpirical(points []WeightedValue) (*Empirical, error) {
	d := &Empirical{}
	total, weighted := 0.0, 0.0
	for i, p := range points {
		if !isFinite(p.Value) || !isFinite(p.Weight) || p.Weight < 0 {
			return nil, fmt.Errorf("value %d: %v with weight %v: both must be finite and the weight 0 or more", i, p.Value, p.Weight)
		}
		total += p.Weight
		weighted += float64(p.Value * p.Weight)
		d.values = append(d.values, p.Value)
		d.cumulative = append(d.cumulative, total)
	}
	if !(total > 0) || !isFinite(total) {
		return nil, fmt.Errorf("the sum of all weights is %v: it must be finite and above 0", total)
	}
	d.mean = weighted / total
	return d, nil
}

// Sample takes one draw. A value of weight 0 never comes.
func (d *Empirical) Sample(s *Stream) float64 {
	last := len(d.cumulative) - 1
	at := s.Float64() * d.cumulative[last]
	i := sort.Search(last, func(i int) bool { return at < d.cumulative[i] })
	return d.values[i]
}

// Expectation returns the weighted mean.
func (d *Empirical) Expectation() float64 { return d.mean }

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
