// SPDX-License-Identifier: Apache-2.0

package stats

// WeightedValues are numbers, of which each has a weight. [WeightedValuesOf] makes them.
type WeightedValues struct {
	values, cumulative []float64
	mean               float64
}

// WeightedValuesOf returns the distribution over one number or more. weights[i], above 0,
// is that of values[i] relative to the others.
func WeightedValuesOf(values, weights []float64) WeightedValues {
	w := WeightedValues{values: values}
	sum, weighted := 0.0, 0.0
	for i, weight := range weights {
		sum += weight
		weighted += float64(weight * values[i])
		w.cumulative = append(w.cumulative, sum)
	}
	w.mean = weighted / sum
	return w
}

// Sample takes one draw.
func (w WeightedValues) Sample(s *Stream) float64 { return w.values[pickCumulative(w.cumulative, s)] }

// Expectation returns the weighted mean.
func (w WeightedValues) Expectation() float64 { return w.mean }
