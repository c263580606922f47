// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"math/rand/v2"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// chance is true with a probability.
func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// pick returns one of some values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// between returns a number of a range, bounds included.
func between(r *rand.Rand, low, high int64) int64 { return low + r.Int64N(high-low+1) }

// randomSpec returns a spec with up to 4 metrics.
func randomSpec(r *rand.Rand) hpa.Spec {
	s := hpa.Spec{Min: int32(between(r, 0, 4)), Metrics: randomMetrics(r, pick(r, 1, 1, 1, 2, 2, 3, 4))}
	s.Max = max(s.Min, 1) + int32(pick(r, 0, 3, 10, 30, 100))
	if chance(r, 0.02) {
		s.Metrics = nil
	}
	if chance(r, 0.6) {
		s.Behavior = &hpa.Behavior{ScaleUp: randomRules(r), ScaleDown: randomRules(r)}
	}
	return s
}

// openSpec returns a spec that moves to each proposal at once.
func openSpec(r *rand.Rand) hpa.Spec {
	free := func(p hpa.Policy) *hpa.Rules {
		return &hpa.Rules{Window: new(time.Duration), Policies: []hpa.Policy{p}, Tolerance: randomTolerance(r)}
	}
	return hpa.Spec{
		Min: 1, Max: 1_000_000, Metrics: randomMetrics(r, pick(r, 1, 1, 2, 3)),
		Behavior: &hpa.Behavior{
			ScaleUp:   free(hpa.Policy{Type: hpa.PodsPolicy, Value: 1_000_000, Period: time.Second}),
			ScaleDown: free(hpa.Policy{Type: hpa.PercentPolicy, Value: 100, Period: time.Second}),
		},
	}
}

// storySpec returns a spec that often scales down within a story: a short window leaves room for
// the policies.
func storySpec(r *rand.Rand) hpa.Spec {
	s := randomSpec(r)
	if s.Behavior == nil || s.Behavior.ScaleDown == nil || chance(r, 0.3) {
		return s
	}
	window := pick(r, 0, 0, 15*time.Second, 30*time.Second)
	s.Behavior.ScaleDown.Window = &window
	return s
}

func randomMetrics(r *rand.Rand, n int) []hpa.Metric {
	var all []hpa.Metric
	hasCPU := false
	for range n {
		m := randomMetric(r)
		m.CPU = m.CPU && !hasCPU
		hasCPU = hasCPU || m.CPU
		all = append(all, m)
	}
	return all
}

func randomMetric(r *rand.Rand) hpa.Metric {
	average := hpa.Target{Type: hpa.AverageValue, Value: pick[int64](r, 1, 500, 1000, 5000, 10_000, 70_000, between(r, 1, 100_000))}
	switch source := pick(r, hpa.Resource, hpa.Resource, hpa.ContainerResource, hpa.Pods, hpa.Pods, hpa.Object, hpa.External, hpa.External); source {
	case hpa.Resource, hpa.ContainerResource:
		m := hpa.Metric{Source: source, CPU: chance(r, 0.6), Target: average}
		if chance(r, 0.6) {
			m.Target = hpa.Target{Type: hpa.Utilization, Value: pick[int64](r, 50, 60, 80, 100, 150, between(r, 1, 300))}
		}
		return m
	case hpa.Object, hpa.External:
		if chance(r, 0.5) {
			average.Type = hpa.Value
		}
		return hpa.Metric{Source: source, Target: average}
	default:
		return hpa.Metric{Source: source, Target: average}
	}
}

func randomTolerance(r *rand.Rand) *int64 {
	if chance(r, 0.6) {
		return nil
	}
	milli := pick[int64](r, 0, 1, 5, 50, 100, 200, 300, 700, 1000, 2300, between(r, 0, 500))
	return &milli
}

func randomRules(r *rand.Rand) *hpa.Rules {
	if chance(r, 0.15) {
		return nil
	}
	rules := &hpa.Rules{
		Select:    pick(r, "", "", hpa.Max, hpa.Min, hpa.Min, hpa.Max, hpa.Min, hpa.Disabled),
		Tolerance: randomTolerance(r),
	}
	if chance(r, 0.7) {
		window := time.Duration(pick[int64](r, 0, 0, 15, 30, 60, 120, 300, between(r, 0, 200))) * time.Second
		rules.Window = &window
	}
	if chance(r, 0.8) {
		for range pick(r, 1, 1, 2, 3) {
			rules.Policies = append(rules.Policies, randomPolicy(r))
		}
	}
	return rules
}

func randomPolicy(r *rand.Rand) hpa.Policy {
	period := time.Duration(pick[int64](r, 15, 15, 30, 60, 90, 120, 300, between(r, 1, 200))) * time.Second
	if chance(r, 0.5) {
		return hpa.Policy{Type: hpa.PodsPolicy, Value: pick[int32](r, 1, 1, 2, 4, 10), Period: period}
	}
	return hpa.Policy{Type: hpa.PercentPolicy, Value: pick[int32](r, 1, 10, 25, 50, 100, 200, 900), Period: period}
}

func randomOptions(r *rand.Rand) hpa.Options {
	o := hpa.DefaultOptions()
	if chance(r, 0.2) {
		o.Tolerance = pick(r, 0, 0.05, 0.2, 0.3)
		o.DownscaleStabilisation = pick(r, 0, 30*time.Second, 89_500*time.Millisecond)
		o.CPUInitialisation = pick(r, 0, time.Minute, 2*time.Minute)
		o.InitialReadinessDelay = pick(r, 0, 30*time.Second, time.Minute)
	}
	return o
}
