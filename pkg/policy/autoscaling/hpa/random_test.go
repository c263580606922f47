// SPDX-License-Identifier: Apache-2.0

package hpa_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestTheOracleDecidesTheSame(t *testing.T) {
	moves := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 0))
		spec, options := randomSpec(r), hpa.DefaultOptions()
		fast, slow := hpa.New(spec, options), newOracle(spec, options)
		now, size := simtime.Time(0), int32(1+r.IntN(10))
		for range 40 {
			scale, observed := randomView(r, hpa.Defaults(spec).Metrics, now, size)
			got, want := fast.Sync(now, scale, observed).Replicas, slow.sync(now, scale, observed)
			if got != want {
				t.Fatalf("seed %d at %v: %d replicas, want %d\nspec %+v\nscale %+v\nobserved %+v", seed, now, got, want, spec, scale, observed)
			}
			if got != size {
				moves++
			}
			if size = got; r.IntN(40) == 0 {
				size = int32(r.IntN(30))
			}
			now = now.Add(pick(r, 15*time.Second, 15*time.Second, time.Duration(1+r.IntN(30))*time.Second))
		}
	}
	if moves < 5000 {
		t.Errorf("the size moved %d times, too few to compare", moves)
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomSpec returns a spec whose directions look equally far back: see oracle.
func randomSpec(r *rand.Rand) hpa.Spec {
	s := hpa.Spec{Min: int32(r.IntN(3)), Max: int32(3 + r.IntN(40))}
	for range 1 + r.IntN(3) {
		s.Metrics = append(s.Metrics, pick(r,
			hpa.Metric{Source: hpa.Resource, CPU: r.IntN(2) == 0, Target: hpa.Target{Type: hpa.Utilization, Value: pick[int64](r, 50, 80, 130)}},
			hpa.Metric{Source: hpa.ContainerResource, CPU: r.IntN(2) == 0, Target: hpa.Target{Type: hpa.AverageValue, Value: 500}},
			hpa.Metric{Source: hpa.Pods, Target: hpa.Target{Type: hpa.AverageValue, Value: 7000}},
			hpa.Metric{Source: hpa.Object, Target: hpa.Target{Type: hpa.Value, Value: 3000}},
			hpa.Metric{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 1000}},
		))
	}
	if r.IntN(4) > 0 {
		period := pick(r, 15*time.Second, 60*time.Second, 5*time.Minute)
		s.Behavior = &hpa.Behavior{ScaleUp: randomRules(r, period), ScaleDown: randomRules(r, period)}
	}
	return s
}

func randomRules(r *rand.Rand, longest time.Duration) *hpa.Rules {
	window := pick(r, 0, 0, 30*time.Second, 2*time.Minute)
	rules := &hpa.Rules{
		Window: &window, Select: pick(r, "", hpa.Max, hpa.Min),
		Policies: []hpa.Policy{{Type: hpa.PodsPolicy, Value: int32(1 + r.IntN(5)), Period: longest}},
	}
	if r.IntN(2) == 0 {
		rules.Policies = append(rules.Policies, hpa.Policy{Type: hpa.PercentPolicy, Value: pick[int32](r, 10, 50, 100), Period: longest / 3})
	}
	if r.IntN(3) == 0 {
		milli := int64(r.IntN(300))
		rules.Tolerance = &milli
	}
	return rules
}

// randomView returns pods of which some are odd, and metrics near their targets.
func randomView(r *rand.Rand, metrics []hpa.Metric, now simtime.Time, size int32) (hpa.Scale, []hpa.Observation) {
	scale := hpa.Scale{Spec: size, Status: size}
	odd := pick(r, 20, 20, 3)
	for range size + int32(r.IntN(2)) {
		start := now.Add(-time.Duration(r.IntN(400)) * time.Second)
		p := hpa.Pod{Phase: hpa.Running, Readiness: hpa.Ready, Start: start, Transition: start.Add(time.Duration(r.IntN(50)) * time.Second)}
		switch r.IntN(4 * odd) {
		case 0:
			p.Phase = hpa.Failed
		case 1:
			p.Terminating = true
		case 2:
			p.Phase = hpa.Pending
		case 3, 4:
			p.Readiness = pick(r, hpa.NotReady, hpa.NoCondition, hpa.Unknown)
		}
		scale.Pods = append(scale.Pods, p)
	}
	var observed []hpa.Observation
	for _, m := range metrics {
		observed = append(observed, randomObservation(r, m, &scale, now, odd))
	}
	return scale, observed
}

func randomObservation(r *rand.Rand, m hpa.Metric, scale *hpa.Scale, now simtime.Time, odd int) hpa.Observation {
	o := hpa.Observation{Failed: r.IntN(5*odd) == 0}
	ratio := pick(r, 1, 0.9, 1.1, 0.3+1.4*r.Float64(), 4*r.Float64())
	switch m.Source {
	case hpa.Object:
		o.Values = []int64{int64(ratio * float64(m.Target.Value))}
	case hpa.External:
		half := int64(ratio*float64(m.Target.Value)*float64(scale.Status)) / 2
		o.Values = []int64{half, half}
	default:
		for range scale.Pods {
			use := ratio * float64(m.Target.Value) * (0.8 + 0.4*r.Float64())
			reading := hpa.Reading{
				Request: 1300, Sampled: r.IntN(odd) > 0, Value: int64(use),
				At: now.Add(-time.Duration(r.IntN(40)) * time.Second), Window: 30 * time.Second,
			}
			if m.Target.Type == hpa.Utilization {
				reading.Value = int64(use * 13)
			}
			o.Readings = append(o.Readings, reading)
		}
	}
	return o
}
