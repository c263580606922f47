// SPDX-License-Identifier: Apache-2.0

package autoscaling

// kalman is a Kalman filter of a level and its trend, both of which change by noise, of
// which the level is observed with noise.
type kalman struct {
	qLevel, qTrend, r float64 // variances: of a step of level and trend, of an observation
	level, trend      float64
	// levels, both and trends are the covariance of the estimates.
	levels, both, trends float64
	started              bool
}

// firstVariance is that of the first estimates.
const firstVariance = 1000

func (k *kalman) observe(value float64) {
	if !k.started {
		k.started, k.level, k.levels, k.trends = true, value, firstVariance, firstVariance
		return
	}
	// Foresee.
	k.level += k.trend
	k.levels += 2*k.both + k.trends + k.qLevel
	k.both += k.trends
	k.trends += k.qTrend
	// Correct.
	forLevel, forTrend := k.levels/(k.levels+k.r), k.both/(k.levels+k.r)
	off := value - k.level
	k.level += float64(forLevel * off)
	k.trend += float64(forTrend * off)
	k.trends -= float64(forTrend * k.both)
	k.both -= float64(forLevel * k.both)
	k.levels -= float64(forLevel * k.levels)
}

func (k *kalman) ahead(steps int) (value float64, ok bool) {
	return max(k.level+float64(float64(steps)*k.trend), 0), k.started
}

// last forecasts what was observed last.
type last struct {
	value   float64
	started bool
}

func (l *last) observe(value float64) { l.value, l.started = value, true }

func (l *last) ahead(int) (value float64, ok bool) { return l.value, l.started }
