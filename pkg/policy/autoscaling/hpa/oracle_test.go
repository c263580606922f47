// SPDX-License-Identifier: Apache-2.0

package hpa_test

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An oracle decides as the documentation of Kubernetes tells it, and never forgets: it keeps all
// recommendations and all changes. It returns sizes only, without reasons.
//
// It differs from the controller where policies of one direction look further back than all
// policies of the other, because the controller forgets events that its own direction does not
// need.
type oracle struct {
	spec            hpa.Spec
	options         hpa.Options
	recommendations []dated
	changes         []dated
}

type dated struct {
	at simtime.Time
	n  int32
}

func newOracle(spec hpa.Spec, options hpa.Options) *oracle {
	return &oracle{spec: hpa.Defaults(spec), options: options}
}

func (o *oracle) sync(now simtime.Time, scale hpa.Scale, observed []hpa.Observation) int32 {
	if o.recommendations == nil {
		o.recommendations = []dated{{now, scale.Spec}}
	}
	size := o.size(now, scale, observed)
	o.changes = append(o.changes, dated{now, size - scale.Spec})
	return size
}

func (o *oracle) size(now simtime.Time, scale hpa.Scale, observed []hpa.Observation) int32 {
	current := scale.Spec
	if current == 0 {
		return 0
	}
	if bounded := min(max(current, o.spec.Min), o.spec.Max); bounded != current {
		return bounded
	}
	wanted, ok := o.wanted(now, scale, observed)
	if !ok {
		return current
	}
	o.recommendations = append(o.recommendations, dated{now, wanted})
	if o.spec.Behavior == nil {
		size := slices.Max(o.since(now, o.options.DownscaleStabilisation, true))
		return max(o.spec.Min, min(size, o.spec.Max, max(4, 2*current)))
	}
	up, down := o.spec.Behavior.ScaleUp, o.spec.Behavior.ScaleDown
	downWindow := o.options.DownscaleStabilisation
	if down.Window != nil {
		downWindow = *down.Window
	}
	least := slices.Min(append(o.since(now, *up.Window, false), wanted))
	most := slices.Max(append(o.since(now, downWindow, false), wanted))
	switch {
	case current < least:
		return min(least, o.spec.Max, max(current, o.reach(now, current, up, 1)))
	case current > most:
		return max(most, o.spec.Min, min(current, o.reach(now, current, down, -1)))
	default:
		return current
	}
}

// since returns the recommendations of a window.
func (o *oracle) since(now simtime.Time, window time.Duration, closed bool) []int32 {
	var all []int32
	for _, r := range o.recommendations {
		if age := now.Sub(r.at); age < window || closed && age == window {
			all = append(all, r.n)
		}
	}
	return all
}

// reach returns how far the policies of a direction go.
func (o *oracle) reach(now simtime.Time, current int32, rules *hpa.Rules, direction int32) int32 {
	if rules.Select == hpa.Disabled {
		return current
	}
	var reached []int32
	for _, p := range rules.Policies {
		before := current
		for _, c := range o.changes {
			if now.Sub(c.at) < p.Period {
				before -= c.n
			}
		}
		change := float64(p.Value)
		if p.Type == hpa.PercentPolicy {
			to := float64(before) * (1 + float64(direction)*change/100)
			if direction > 0 {
				to = math.Ceil(to)
			}
			reached = append(reached, int32(to))
		} else {
			reached = append(reached, before+direction*p.Value)
		}
	}
	if (rules.Select == hpa.Min) == (direction > 0) {
		return slices.Min(reached)
	}
	return slices.Max(reached)
}

// wanted returns the largest proposal of the metrics.
func (o *oracle) wanted(now simtime.Time, scale hpa.Scale, observed []hpa.Observation) (int32, bool) {
	largest, failures := int32(0), 0
	for i, m := range o.spec.Metrics {
		proposal, ok := o.proposal(now, m, scale, observed[i])
		if !ok {
			failures++
			continue
		}
		largest = max(largest, proposal)
	}
	if failures == len(o.spec.Metrics) || failures > 0 && largest < scale.Spec {
		return 0, false
	}
	return largest, true
}

func (o *oracle) proposal(now simtime.Time, m hpa.Metric, scale hpa.Scale, seen hpa.Observation) (int32, bool) {
	if seen.Failed {
		return 0, false
	}
	if m.Source != hpa.Object && m.Source != hpa.External {
		return o.byPods(now, m, scale, seen.Readings)
	}
	if len(seen.Values) == 0 {
		return 0, false
	}
	total := int64(0)
	for _, v := range seen.Values {
		total += v
	}
	if m.Target.Type == hpa.AverageValue {
		if o.near(float64(total) / (float64(m.Target.Value) * float64(scale.Status))) {
			return scale.Status, true
		}
		return int32(math.Ceil(float64(total) / float64(m.Target.Value))), true
	}
	ratio := float64(total) / float64(m.Target.Value)
	if o.near(ratio) {
		return scale.Spec, true
	}
	ready := 0
	for _, p := range scale.Pods {
		if p.Phase == hpa.Running && p.Readiness == hpa.Ready {
			ready++
		}
	}
	return int32(math.Ceil(ratio * float64(ready))), len(scale.Pods) > 0
}

// near reports whether a ratio is within the tolerances.
func (o *oracle) near(ratio float64) bool {
	up, down := o.options.Tolerance, o.options.Tolerance
	if b := o.spec.Behavior; b != nil {
		if b.ScaleUp.Tolerance != nil {
			up = float64(*b.ScaleUp.Tolerance) * 0.001
		}
		if b.ScaleDown.Tolerance != nil {
			down = float64(*b.ScaleDown.Tolerance) * 0.001
		}
	}
	return ratio >= 1-down && ratio <= 1+up
}

// byPods goes through the pods three times: to leave out what does not count, to see which way the
// rest points, and to add what speaks against that way.
func (o *oracle) byPods(now simtime.Time, m hpa.Metric, scale hpa.Scale, readings []hpa.Reading) (int32, bool) {
	uses := map[int]int64{}
	var unready, missing []int
	for i, p := range scale.Pods {
		r := readings[i]
		if m.Target.Type == hpa.Utilization && r.Request < 0 {
			return 0, false
		}
		switch {
		case p.Terminating, p.Phase == hpa.Failed:
		case p.Phase == hpa.Pending, r.Sampled && m.CPU && o.starting(now, p, r):
			unready = append(unready, i)
		case !r.Sampled:
			missing = append(missing, i)
		default:
			uses[i] = r.Value
		}
	}
	ratio, ok := ratioOf(m.Target, uses, readings)
	if !ok {
		return 0, false
	}
	direct := len(missing) == 0 && (len(unready) == 0 || ratio <= 1)
	if direct {
		if o.near(ratio) {
			return scale.Spec, true
		}
		return int32(math.Ceil(ratio * float64(len(uses)))), true
	}
	for _, i := range missing {
		if ratio > 1 {
			uses[i] = 0
		} else if ratio < 1 {
			uses[i] = m.Target.Value
			if m.Target.Type == hpa.Utilization {
				uses[i] = readings[i].Request * max(m.Target.Value, 100) / 100
			}
		}
	}
	for _, i := range unready {
		if ratio > 1 {
			uses[i] = 0
		}
	}
	cautious, _ := ratioOf(m.Target, uses, readings)
	size := int32(math.Ceil(cautious * float64(len(uses))))
	turned := (ratio > 1 && (cautious < 1 || size < scale.Spec)) || (ratio < 1 && (cautious > 1 || size > scale.Spec))
	if o.near(cautious) || turned {
		return scale.Spec, true
	}
	return size, true
}

// starting reports whether a CPU sample may be of a start.
func (o *oracle) starting(now simtime.Time, p hpa.Pod, r hpa.Reading) bool {
	age := now.Sub(p.Start)
	switch {
	case p.Readiness == hpa.NoCondition:
		return true
	case age < o.options.CPUInitialisation:
		return p.Readiness == hpa.NotReady || r.At.Sub(p.Transition) < r.Window
	default:
		return p.Readiness == hpa.NotReady && p.Transition.Sub(p.Start) < o.options.InitialReadinessDelay
	}
}

func ratioOf(t hpa.Target, uses map[int]int64, readings []hpa.Reading) (float64, bool) {
	total, requests := int64(0), int64(0)
	for i, use := range uses {
		total += use
		requests += readings[i].Request
	}
	if t.Type == hpa.Utilization {
		if len(uses) == 0 || requests == 0 {
			return 0, false
		}
		return float64(total*100/requests) / float64(t.Value), true
	}
	if len(uses) == 0 {
		return 0, false
	}
	return float64(total/int64(len(uses))) / float64(t.Value), true
}
