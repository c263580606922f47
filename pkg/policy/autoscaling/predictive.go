// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// predictive sizes the pools for the greatest rate that is forecast until replicas that are
// asked for now serve, and at least for the present rate: taking replicas away takes no time,
// so there is no reason to do it ahead.
//
// It counts arrivals by steps of time.
type predictive struct {
	capacity
	forecaster
	*score
	step  time.Duration
	ahead int // steps from the last one that ended to that of the forecast
	// seen is the time up to which steps ended, arrived what had arrived by then, and rate
	// that of the last step.
	seen    simtime.Time
	arrived int64
	rate    float64
	started bool
}

// maxSteps bounds the steps that a policy keeps.
const maxSteps = 1 << 20

func readPredictive(l *loader) func() Scaler {
	method := l.Choice("method", "how the rate is forecast: by level, trend and season, or as the rate one period ago", "holt-winters", "seasonal")
	lead := readLead(l)
	step := l.window("step", time.Minute, "the time over which each rate is taken that the forecast rests on")
	period := l.OptionalDuration("period", "the time after which the rates repeat, such as 24h; without it holt-winters has no season")
	alpha := l.Between("alpha", 0, 1, 0.5, "the weight of a new rate in the level, of holt-winters")
	beta := l.Between("beta", 0, 1, 0.1, "the weight of a new slope in the trend, of holt-winters")
	gamma := l.Between("gamma", 0, 1, 0.3, "the weight of a new difference from the level in the season, of holt-winters with a period")
	switch {
	case method == "seasonal":
		l.noEffect("with method=seasonal: it takes the rate one period ago as it was", "alpha", "beta", "gamma")
	case !l.stated("period"):
		l.noEffect("without period: there is no season", "gamma")
	}
	c := readCapacity(l)
	seasons, ahead := int(period/step), 1+int((lead+step-1)/step)
	switch {
	case period%step != 0 || period > 0 && seasons < 2:
		l.Invalid("period", fmt.Sprintf("must be a multiple of step, %s, and at least twice as long", step))
	case seasons > maxSteps || ahead > maxSteps:
		l.Invalid("step", fmt.Sprintf("must be longer: period and lead have %d and %d steps, and there may be %d", seasons, ahead, maxSteps))
	case method == "seasonal" && period == 0:
		l.Require("period", "state the time after which the rates repeat, such as 24h")
	}
	return func() Scaler {
		p := &predictive{capacity: c, step: step, ahead: ahead, score: newScore(ahead)}
		if method == "seasonal" {
			p.forecaster = &seasonal{rates: make([]float64, seasons)}
		} else {
			p.forecaster = &holtWinters{alpha: alpha, beta: beta, gamma: gamma, season: make([]float64, seasons)}
		}
		return p
	}
}

func (p *predictive) Scale(view *View, wanted []int) Reason {
	s := view.Monitor.Latest(view.Now)
	if s == nil {
		return Reason(fmt.Sprintf("stays at %s: no signal: there is no sample yet", listed(wanted)))
	}
	p.catchUp(s)
	if !p.started {
		return Reason(fmt.Sprintf("stays at %s: no signal: no step of %s has ended", listed(wanted), p.step))
	}
	now := p.rate
	if recent, ok := view.ArrivalRate(p.step); ok {
		now = recent
	}
	view.Note("arrival rate", now)
	if share, ok := p.mape(); ok {
		view.Note("MAPE of forecasts", share)
	}
	forecast, ok := p.greatest()
	if !ok {
		return p.settle(view, wanted, now, reasonf("%.4g requests/s arrive, and there is no forecast before a period has passed", now))
	}
	view.Note("forecast rate", forecast)
	until := p.seen.Add(time.Duration(p.ahead) * p.step)
	return p.settle(view, wanted, max(now, forecast), reasonf("%.4g requests/s arrive and at most %.4g are forecast until %s", now, forecast, until))
}

// greatest returns the greatest rate that is forecast until replicas that are asked for now
// serve: what has been asked for ahead of a burst is not to be taken away before it.
func (p *predictive) greatest() (rate float64, ok bool) {
	for steps := 1; steps <= p.ahead; steps++ {
		if forecast, known := p.forecaster.ahead(steps); known {
			rate, ok = max(rate, forecast), true
		}
	}
	return rate, ok
}

// catchUp observes the steps that have ended by a sample. If several have, as no sample
// lies between, they have the same rate.
func (p *predictive) catchUp(s *Sample) {
	n := int(s.At.Sub(p.seen) / p.step)
	if n == 0 {
		return
	}
	p.rate = float64(s.Gateway.Arrived-p.arrived) / s.At.Sub(p.seen).Seconds()
	for range n {
		p.observeStep()
	}
	// A sample may be later than the end of the step. What arrived between belongs to the
	// next one.
	end := p.seen.Add(time.Duration(n) * p.step)
	p.arrived = s.Gateway.Arrived - int64(math.Round(p.rate*s.At.Sub(end).Seconds()))
	p.seen, p.started = end, true
}

func (p *predictive) observeStep() {
	p.forecaster.observe(p.rate)
	forecast, ok := p.forecaster.ahead(p.ahead)
	if !ok {
		forecast = math.NaN()
	}
	p.score.observe(p.rate, forecast)
}
