// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// dynamoPlanner is in kind the planner of NVIDIA Dynamo (ai-dynamo/dynamo,
// components/src/dynamo/planner, read in November 2026). Its throughput loop forecasts the
// traffic of the next interval, and counts the engines that serve it within the targets by a
// model of an engine. Its load loop adds or takes away one replica by what engines hold, and
// keeps to what the throughput loop wants at least. While a replica is not ready, the planner only
// observes: its connector to Kubernetes ignores decisions then (connectors/kubernetes.py), so that
// replicas for which there are no machines keep the others from being removed.
//
// The planner fits the model to measured steps; here it is that of the simulated engine,
// without error. It knows how many tokens wait in an engine; here these are the waiting
// requests times the mean prompt. In an interval without requests it takes the lengths for 0
// and decides nothing; here the lengths are those that were known last.
type dynamoPlanner struct {
	ttft, itl float64 // targets in seconds
	interval  time.Duration
	models    []EngineModel // by pool
	names     []string
	// forecast is nil without the throughput loop, load without the load loop.
	forecast *trafficForecast
	load     loadRule
	// due is when the throughput loop runs next, least what it wanted last, and why.
	due   simtime.Time
	least [2]int
	why   string
	// recent is the last traffic whose lengths are known.
	recent traffic
	known  bool
}

func readDynamoPlanner(l *loader) func() Scaler {
	d := dynamoPlanner{names: l.names()}
	goal := l.Choice("optimizationTarget", "what the planner goes by: the targets of latencies, by the throughput loop; or thresholds of the load for high throughput or for low latency, by the load loop alone", "sla", "throughput", "latency")
	ttft := l.Duration("ttft", 500*time.Millisecond, "the target of the time to first token, with optimizationTarget=sla")
	itl := l.Duration("itl", 50*time.Millisecond, "the target of the time between tokens, with optimizationTarget=sla")
	d.ttft, d.itl = ttft.Seconds(), itl.Seconds()
	d.interval = l.window("throughputInterval", 3*time.Minute, "the time between two forecasts, and over which traffic is measured")
	create := readPredictor(l)
	byLatency := l.Choice("loadLoop", "whether the load loop runs in addition to the throughput loop, with optimizationTarget=sla", "false", "true") == "true"
	spare := l.Between("scaleDownSensitivity", 0, 1, 0.8, "the share of a target that the latencies which the load loop foresees with one replica fewer must stay below")
	for _, p := range l.world.Pools {
		d.models = append(d.models, p.Model)
	}
	if goal != "sla" {
		for _, name := range []string{"ttft", "itl", "predictor", "qLevel", "qTrend", "r", "loadLoop", "scaleDownSensitivity"} {
			l.Forbid(name, "has no effect with optimizationTarget="+goal)
		}
	} else if !byLatency {
		l.Forbid("scaleDownSensitivity", "has no effect without loadLoop=true")
	}
	d.due = simtime.Time(d.interval)
	return func() Scaler {
		one := d
		switch {
		case goal != "sla":
			one.load = thresholdLoad[goal]
		case byLatency:
			one.load = latencyLoad{d.ttft, d.itl, spare}
		}
		if goal == "sla" {
			one.forecast = newTrafficForecast(create)
		}
		return &one
	}
}

// readPredictor returns how a forecaster of one figure is made.
func readPredictor(l *loader) func() forecaster {
	method := l.Choice("predictor", "how requests, lengths and hits are forecast: by a Kalman filter of level and trend, as those of the last interval, or by Holt's smoothing of level and trend", "kalman", "constant", "holt-winters")
	k := kalman{
		qLevel: l.Between("qLevel", 0, 1e9, 1, "the variance of a step of the level, of kalman"),
		qTrend: l.Between("qTrend", 0, 1e9, 0.1, "the variance of a step of the trend, of kalman"),
		r:      l.Positive("r", 10, "the variance of an observation, of kalman"),
	}
	h := holtWinters{
		alpha: l.Between("alpha", 0, 1, 0.5, "the weight of a new figure in the level, of holt-winters"),
		beta:  l.Between("beta", 0, 1, 0.1, "the weight of a new slope in the trend, of holt-winters"),
	}
	for _, one := range []struct{ of, name string }{
		{"kalman", "qLevel"}, {"kalman", "qTrend"}, {"kalman", "r"}, {"holt-winters", "alpha"}, {"holt-winters", "beta"},
	} {
		if one.of != method {
			l.Forbid(one.name, "is of predictor="+one.of)
		}
	}
	return func() forecaster {
		switch method {
		case "constant":
			return &last{}
		case "holt-winters":
			one := h
			return &one
		}
		one := k
		return &one
	}
}

func (d *dynamoPlanner) Scale(view *View, wanted []int) Reason {
	t, known, ok := observeTraffic(view, d.interval)
	if !ok {
		return Reason(fmt.Sprintf("stays at %s: no signal: fewer than two samples in %s", listed(wanted), d.interval))
	}
	if known {
		d.recent, d.known = t, true
	}
	ticks := d.forecast != nil && view.Now >= d.due
	if ticks {
		d.due = view.Now.Add(d.interval)
		d.count(view, t, known)
	}
	switch {
	case !d.known:
		return Reason(fmt.Sprintf("stays at %s: no signal: the lengths of requests are not known, as none has ended", listed(wanted)))
	case d.load != nil:
		return d.settleLoad(view, wanted)
	case !ticks:
		return Reason(fmt.Sprintf("stays at %s until the forecast at %s", listed(wanted), d.due))
	case d.why == "":
		return Reason(fmt.Sprintf("stays at %s: there is no forecast yet", listed(wanted)))
	}
	if k := notReady(view); k >= 0 {
		p := &view.Pools[k]
		return Reason(fmt.Sprintf("stays at %s: %d of %d replicas of %s are ready, and until all are, no decision is applied: %s", listed(wanted), p.Ready(), p.Wanted, d.names[k], d.why))
	}
	return d.settle(view, wanted, d.least, d.why)
}

// notReady is the first pool of which some replica that is wanted is not ready; -1 where all are.
func notReady(view *View) int {
	return slices.IndexFunc(view.Pools, func(p Pool) bool { return p.Ready() < p.Wanted })
}

// count is the throughput loop: it notes how many replicas the traffic that is forecast needs
// at least.
func (d *dynamoPlanner) count(view *View, t traffic, known bool) {
	d.forecast.observe(t, known, d.interval)
	next, ok := d.forecast.next(d.interval)
	if !ok {
		return
	}
	l := next.lengths()
	view.Note("forecast rate", next.perSecond)
	view.Note("forecast prompt tokens", next.prompt)
	view.Note("forecast answer tokens", next.answer)
	view.Note("forecast hit rate", next.hits)
	d.why = reasonf("%.4g requests/s of %d prompt and %d answer tokens are forecast, with a hit rate of %.2g", next.perSecond, l.fresh+l.cached, l.answer, min(next.hits, 1))
	if len(d.models) == 1 {
		one := d.models[0].serves(l, d.ttft, d.itl)
		d.least[0] = ceil(next.perSecond / one.perSecond)
		d.why += reasonf("; a replica serves %.4g requests/s", one.perSecond)
		return
	}
	prefill, decode := d.models[0].prefills(l), d.models[1].decodes(l, d.itl)
	d.least = [2]int{ceil(next.perSecond / prefill.perSecond), ceil(next.perSecond / decode.perSecond)}
	if prefill.ttft > d.ttft {
		d.least[0] = max(d.least[0], int(math.Ceil(prefill.ttft/d.ttft)))
	}
	d.why += reasonf("; a prefill replica serves %.4g requests/s and a decode replica %.4g", prefill.perSecond, decode.perSecond)
}

// settleLoad runs the load loop, unless replicas are on their way.
func (d *dynamoPlanner) settleLoad(view *View, wanted []int) Reason {
	s := view.Monitor.Latest(view.Now)
	for k := range view.Pools {
		if p := &view.Pools[k]; p.Ready() != p.Wanted || s.scraped(p) != p.Wanted {
			return Reason(fmt.Sprintf("stays at %s: %d of %d replicas of %s are scraped and %s", listed(wanted), s.scraped(p), p.Wanted, d.names[k], starts(p.starting())))
		}
	}
	sizes, why := d.least, ""
	for k := range view.Pools {
		p := &view.Pools[k]
		at := place{View: view, k: k, pool: p, prefix: d.names[k] + " "}
		change, reason := d.load.change(&at, s, &d.models[k], d.recent.lengths())
		if change < 0 && p.Wanted <= 1 {
			change = 0
		}
		sizes[k] = max(p.Wanted+change, d.least[k])
		why += reasonf("%s: %s; ", d.names[k], reason)
	}
	if d.why == "" {
		return d.settle(view, wanted, sizes, why[:len(why)-len("; ")])
	}
	return d.settle(view, wanted, sizes, reasonf("%sat least %s: %s", why, listed(d.least[:len(wanted)]), d.why))
}

// settle takes sizes on as far as the bounds allow.
func (d *dynamoPlanner) settle(view *View, wanted []int, sizes [2]int, why string) Reason {
	was := listed(wanted)
	for k := range view.Pools {
		wanted[k] = view.Pools[k].bounded(sizes[k])
	}
	if now := listed(wanted); now != was {
		return Reason(fmt.Sprintf("from %s to %s: %s", was, now, why))
	}
	return Reason(fmt.Sprintf("stays at %s: %s", was, why))
}
