// SPDX-License-Identifier: Apache-2.0

package dynamo

import "windtunnel.dev/windtunnel/pkg/stats"

// PredictorConfig says how a figure of the traffic is forecast.
type PredictorConfig struct {
	// Kalman takes a Kalman filter of level and trend from MinPoints intervals on; else, and before, the
	// figure of the last interval counts. Log1p filters its logarithm.
	Kalman, Log1p bool
	// QLevel, QTrend and R are variances: of a step of level and trend, and of an observation.
	QLevel, QTrend, R float64
	MinPoints         int
}

// forecast forecasts the traffic of the next interval.
type forecast struct{ requests, input, output predictor }

func newForecast(c *PredictorConfig) forecast {
	return forecast{requests: predictor{config: c}, input: predictor{config: c}, output: predictor{config: c}}
}

// next takes an interval in, and returns the forecast of the next one. Without requests, lengths are those
// that were known last.
func (f *forecast) next(t Traffic, hits, accepted float64) Traffic {
	f.requests.observe(t.Requests)
	f.input.length(t.Input, t.Requests > 0)
	f.output.length(t.Output, t.Requests > 0)
	return Traffic{t.Seconds, f.requests.next(), f.input.next(), f.output.next(), hits, accepted}
}

// predictor forecasts a figure.
type predictor struct {
	config *PredictorConfig
	filter kalman
	// points are the intervals since the first that was not 0, and last is the figure of the last one.
	points int
	last   float64
}

// length takes the mean length of requests in, where there are any and it is known; without requests, the
// last one again.
func (p *predictor) length(tokens float64, requests bool) {
	if !requests {
		tokens = p.last
	}
	if tokens > 0 {
		p.observe(tokens)
	}
}

func (p *predictor) observe(value float64) {
	if value == 0 && p.points == 0 {
		return
	}
	p.points, p.last = p.points+1, value
	if p.config.Log1p {
		value = stats.Log1p(max(0, value))
	}
	p.filter.observe(value, p.config)
}

func (p *predictor) next() float64 {
	if !p.config.Kalman || p.points < p.config.MinPoints {
		return p.last
	}
	next := p.filter.level + p.filter.trend
	if p.config.Log1p {
		return max(0, stats.Exp(next)-1)
	}
	return next
}

// kalman is a Kalman filter of a level and its trend, both of which change by noise, of which the level
// is observed with noise.
type kalman struct {
	level, trend float64
	// levels, both and trends are the covariance of the estimates.
	levels, both, trends float64
	started              bool
}

// firstVariance is that of the first estimates.
const firstVariance = 1000

func (k *kalman) observe(value float64, c *PredictorConfig) {
	if !k.started {
		k.started, k.level, k.levels, k.trends = true, value, firstVariance, firstVariance
		return
	}
	// Foresee.
	k.level += k.trend
	k.levels += 2*k.both + k.trends + c.QLevel
	k.both += k.trends
	k.trends += c.QTrend
	// Correct.
	forLevel, forTrend := k.levels/(k.levels+c.R), k.both/(k.levels+c.R)
	off := value - k.level
	k.level += float64(forLevel * off)
	k.trend += float64(forTrend * off)
	k.trends -= float64(forTrend * k.both)
	k.both -= float64(forLevel * k.both)
	k.levels -= float64(forLevel * k.levels)
}
