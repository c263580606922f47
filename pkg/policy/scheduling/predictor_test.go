// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"math"
	"testing"
)

// The mean of predicted ÷ true length is 1, and its standard deviation is what the
// distribution says of the error.
func TestPredictionsHaveTheirError(t *testing.T) {
	const requests, tokens = 200_000, 1_000_000
	for name, tc := range map[string]struct {
		shape ErrorShape
		error float64
		want  float64 // the standard deviation
	}{
		"log-normal errors":       {LogNormalErrors, 0.5, 0.5},
		"great log-normal errors": {LogNormalErrors, 1, 1},
		"uniform errors":          {UniformErrors, 0.5, 0.5 / math.Sqrt(3)},
		"uniform errors of 1":     {UniformErrors, 1, 1 / math.Sqrt(3)},
	} {
		t.Run(name, func(t *testing.T) {
			predict := NewPredictor(1, tc.shape, tc.error)
			sum, squares := 0.0, 0.0
			for request := range requests {
				x := float64(predict(request, tokens)) / tokens
				sum += x
				squares += x * x
			}
			mean := sum / requests
			deviation := math.Sqrt(squares/requests - mean*mean)
			if math.Abs(mean-1) > 0.02 || math.Abs(deviation/tc.want-1) > 0.03 {
				t.Errorf("mean %v and standard deviation %v, want 1 and %v", mean, deviation, tc.want)
			}
		})
	}
}

func TestPredictionsDependOnTheRequestAlone(t *testing.T) {
	one, other := NewPredictor(1, LogNormalErrors, 0.5), NewPredictor(1, LogNormalErrors, 0.5)
	first := one(5, 1000)
	for request := range 10 {
		other(request, 1000)
	}
	if again := other(5, 1000); again != first || one(5, 1000) != first {
		t.Errorf("the prediction is %d once, and %d another time", first, again)
	}
	if seeded := NewPredictor(2, LogNormalErrors, 0.5)(5, 1000); seeded == first {
		t.Error("another seed gives the same prediction")
	}
}

func TestAnAnswerHasAToken(t *testing.T) {
	for request := range 1000 {
		if got := NewPredictor(1, UniformErrors, 1)(request, 1); got < 1 {
			t.Fatalf("request %d has a prediction of %d tokens", request, got)
		}
	}
}
