// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"math"
	"math/rand/v2"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// randomState returns what an autoscaler may see at its first sync, at time 0.
func randomState(r *rand.Rand, spec hpa.Spec) *Sync {
	var s Sync
	odd := pick(r, 0, 0.05, 0.3)
	for range pick(r, 1, 2, 3, 4, 5, 8, 12) {
		s.Scale.Pods = append(s.Scale.Pods, randomPod(r, odd))
	}
	s.Scale.Spec = int32(len(s.Scale.Pods))
	if chance(r, odd/5) {
		s.Scale.Pods = nil
	}
	s.Scale.Status = s.Scale.Spec
	if chance(r, 0.3) {
		s.Scale.Spec = max(0, s.Scale.Spec+int32(between(r, -3, 3)))
		s.Scale.Status = max(0, s.Scale.Status+int32(between(r, -2, 2)))
	}
	for _, m := range hpa.Defaults(spec).Metrics {
		s.Observed = append(s.Observed, randomObservation(r, m, &s.Scale, 0, odd, randomRatio(r)))
	}
	return &s
}

// randomRatio returns a ratio of usage to target, often one at a bound of the tolerance.
func randomRatio(r *rand.Rand) float64 {
	return pick(r, 0, 0.3, 0.9, 0.95, 1, 1.05, 1.1, 2, 0.5+r.Float64(), 0.85+0.3*r.Float64(), 4*r.Float64())
}

func randomPod(r *rand.Rand, odd float64) hpa.Pod {
	p := hpa.Pod{Phase: hpa.Running, Readiness: hpa.Ready, Start: -simtime.Time(between(r, 0, 600)) * simtime.Time(time.Second)}
	p.Transition = p.Start + simtime.Time(pick[int64](r, 30, between(r, 0, 120)))*simtime.Time(time.Second)
	if chance(r, odd) {
		p.Phase = pick(r, hpa.Pending, hpa.Running, hpa.Failed)
	}
	if chance(r, odd) {
		p.Readiness = pick(r, hpa.NoCondition, hpa.NotReady, hpa.NotReady, hpa.Unknown)
	}
	p.Terminating = chance(r, odd/3)
	return p
}

// randomObservation returns what a metric says of pods that use so much of the target.
func randomObservation(r *rand.Rand, m hpa.Metric, scale *hpa.Scale, now simtime.Time, odd, ratio float64) hpa.Observation {
	o := hpa.Observation{Failed: chance(r, odd/3)}
	switch m.Source {
	case hpa.Object, hpa.External:
		total := ratio * float64(m.Target.Value)
		if m.Target.Type == hpa.AverageValue {
			total *= float64(scale.Status)
		}
		o.Values = randomValues(r, m, int64(total), odd)
	default:
		request := pick[int64](r, 100, 250, 1000, between(r, 1, 4000))
		if chance(r, odd/5) {
			request = 0
		}
		for i := range scale.Pods {
			o.Readings = append(o.Readings, randomReading(r, m, &scale.Pods[i], now, odd, ratio, request))
		}
	}
	return o
}

// randomValues returns values of a sum, and seldom some that no sane metric has: negative ones, and
// ones beyond the counts that fit. The controller bounds the latter but for the average of an object.
func randomValues(r *rand.Rand, m hpa.Metric, total int64, odd float64) []int64 {
	switch {
	case chance(r, odd/10):
		total = -total
	case chance(r, odd/10) && (m.Source == hpa.External || m.Target.Type == hpa.Value):
		total = math.MaxInt64 / 2
	}
	switch {
	case m.Source == hpa.Object || chance(r, 0.6):
		return []int64{total}
	case chance(r, odd/3):
		return nil
	case total > math.MaxInt64/4:
		return []int64{total, total, total}
	}
	part := int64(r.Float64() * float64(total))
	return []int64{part, total - part}
}

func randomReading(r *rand.Rand, m hpa.Metric, p *hpa.Pod, now simtime.Time, odd, ratio float64, request int64) hpa.Reading {
	var reading hpa.Reading
	if m.Source != hpa.Pods {
		reading.Request = request
		if chance(r, odd/20) {
			reading.Request = pick[int64](r, -1, 0)
		}
	}
	if p.Phase == hpa.Pending && chance(r, 0.9) || chance(r, odd) {
		return reading
	}
	use := ratio * float64(m.Target.Value)
	if m.Target.Type == hpa.Utilization {
		use *= float64(request) / 100
	}
	if chance(r, 0.5) {
		use *= 0.9 + 0.2*r.Float64()
	}
	reading.Sampled, reading.Value = true, int64(use)
	if m.CPU {
		reading.Window = time.Duration(pick[int64](r, 15, 30, 60)) * time.Second
		reading.At = now - simtime.Time(pick[int64](r, 0, 15, 40, between(r, 0, 90)))*simtime.Time(time.Second)
	}
	return reading
}
