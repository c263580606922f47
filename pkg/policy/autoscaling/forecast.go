// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "math"

// A forecaster forecasts a rate some steps of time ahead.
type forecaster interface {
	// observe takes in the rate of the next step.
	observe(rate float64)
	// ahead returns the rate of the step that comes the given number of steps after the last one
	// that was observed, from 1. ok is false where nothing is known of it.
	ahead(steps int) (rate float64, ok bool)
}

// holtWinters smooths level, trend and season exponentially; the season adds. Without
// seasons it is Holt's method.
type holtWinters struct {
	alpha, beta, gamma float64
	level, trend       float64
	season             []float64 // by step of the period
	steps              int
}

func (h *holtWinters) observe(rate float64) {
	season := 0.0
	if len(h.season) > 0 {
		season = h.season[h.steps%len(h.season)]
	}
	if h.steps == 0 {
		h.level = rate
	}
	before := h.level
	h.level = float64(h.alpha*(rate-season)) + float64((1-h.alpha)*(h.level+h.trend))
	h.trend = float64(h.beta*(h.level-before)) + float64((1-h.beta)*h.trend)
	if len(h.season) > 0 {
		h.season[h.steps%len(h.season)] = float64(h.gamma*(rate-h.level)) + float64((1-h.gamma)*season)
	}
	h.steps++
}

func (h *holtWinters) ahead(steps int) (rate float64, ok bool) {
	if h.steps == 0 {
		return 0, false
	}
	rate = h.level + float64(float64(steps)*h.trend)
	if len(h.season) > 0 {
		rate += h.season[(h.steps-1+steps)%len(h.season)]
	}
	return max(rate, 0), true
}

// seasonal forecasts the rate of the same step of the period before.
type seasonal struct {
	rates []float64 // by step of the period
	steps int
}

func (s *seasonal) observe(rate float64) {
	s.rates[s.steps%len(s.rates)] = rate
	s.steps++
}

func (s *seasonal) ahead(steps int) (rate float64, ok bool) {
	at := s.steps - 1 + steps
	for at >= s.steps {
		at -= len(s.rates)
	}
	if at < 0 {
		return 0, false
	}
	return s.rates[at%len(s.rates)], true
}

// score is how far forecasts for a fixed number of steps ahead were from what came.
type score struct {
	// due are the forecasts for the next steps, as many as it looks ahead; NaN where
	// there is none.
	due   []float64
	steps int
	sum   float64
	count int
}

func newScore(ahead int) *score {
	s := &score{due: make([]float64, ahead)}
	for i := range s.due {
		s.due[i] = math.NaN()
	}
	return s
}

// observe compares the forecast for a step with its rate, and takes in the forecast for
// the step as many later as it looks ahead.
func (s *score) observe(rate, forecast float64) {
	due := &s.due[s.steps%len(s.due)]
	if rate > 0 && !math.IsNaN(*due) {
		s.sum += math.Abs(*due-rate) / rate
		s.count++
	}
	*due = forecast
	s.steps++
}

// mape returns the mean of the absolute errors as shares of the rates; ok is false where
// none has been compared.
func (s *score) mape() (share float64, ok bool) {
	if s.count == 0 {
		return 0, false
	}
	return s.sum / float64(s.count), true
}
