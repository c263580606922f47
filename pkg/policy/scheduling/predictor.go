// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"math"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Predictor guesses the length of a request's answer. The engine owns the truth and
// shows it to the predictor alone: jobs carry the guess. request is the request's number
// among those for its model, in order of arrival: the guess depends on nothing else, so
// that it is the same on each engine, and whichever other models are served.
type Predictor func(request, tokens int) int

// ErrorShape is the distribution of predicted ÷ true length.
type ErrorShape string

const (
	// LogNormalErrors have the mean 1 and the relative error as standard deviation.
	LogNormalErrors ErrorShape = "logNormal"
	// UniformErrors are between 1 − error and 1 + error.
	UniformErrors ErrorShape = "uniform"
)

// NewPredictor returns a predictor with a relative error greater than 0. Each request
// has a random stream of its own, named by its number.
func NewPredictor(seed int64, shape ErrorShape, relativeError float64) Predictor {
	stream := &stats.Stream{}
	name := []byte("prediction/")
	prefix := len(name)
	factor := logNormalFactor(relativeError)
	if shape == UniformErrors {
		factor = func(s *stats.Stream) float64 { return 1 + float64(relativeError*float64(2*s.Float64()-1)) }
	}
	return func(request, tokens int) int {
		name = strconv.AppendInt(name[:prefix], int64(request), 10)
		stream.Reset(seed, name)
		return max(1, int(math.Round(float64(float64(tokens)*factor(stream)))))
	}
}

// logNormalFactor draws exp(σZ − σ²/2) with σ² = ln(1 + e²): the mean is 1 and the
// standard deviation e.
func logNormalFactor(e float64) func(*stats.Stream) float64 {
	variance := stats.Log1p(e * e)
	sigma := math.Sqrt(variance)
	return func(s *stats.Stream) float64 {
		return stats.Exp(float64(sigma*s.Normal()) - variance/2)
	}
}
