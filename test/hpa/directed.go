// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// directed are stories at bounds that random ones seldom reach.
func directed() []*directedStory {
	all := []*directedStory{
		{
			name: "a policy of scaling down sees events that policies of scaling up do not",
			spec: external(1, 100, &hpa.Behavior{
				ScaleUp:   &hpa.Rules{Policies: []hpa.Policy{{Type: hpa.PodsPolicy, Value: 10, Period: 15 * time.Second}}},
				ScaleDown: &hpa.Rules{Window: seconds(0), Policies: []hpa.Policy{{Type: hpa.PercentPolicy, Value: 50, Period: 5 * time.Minute}}},
			}),
			need: []int64{2, 4, 8, 8, 16, 20, 40, 40, 40, 3, 3, 30, 3, 35, 35, 3, 1},
		},
		{
			name: "a policy of scaling up sees events that policies of scaling down do not",
			spec: external(1, 100, &hpa.Behavior{
				ScaleUp:   &hpa.Rules{Policies: []hpa.Policy{{Type: hpa.PodsPolicy, Value: 6, Period: 5 * time.Minute}}},
				ScaleDown: &hpa.Rules{Window: seconds(0), Policies: []hpa.Policy{{Type: hpa.PodsPolicy, Value: 3, Period: 15 * time.Second}}},
			}),
			need: []int64{5, 5, 2, 2, 1, 1, 9, 9, 4, 4, 30, 30, 2, 2, 40, 40},
		},
		{
			name: "without behaviour a sync doubles the count or brings it to 4",
			spec: external(1, 100, nil),
			need: []int64{1, 50, 50, 50, 50, 0, 0, 0, 0},
		},
		{
			name: "a large step down waits for a window of half a second more than seconds have",
			spec: external(1, 100, &hpa.Behavior{}),
			need: []int64{9, 9, 1, 1, 1, 1, 1, 1, 1}, step: 14_867 * time.Millisecond,
			downscale: 89_500 * time.Millisecond,
		},
		{
			name: "the smaller change of several policies",
			spec: external(2, 60, &hpa.Behavior{
				ScaleUp: &hpa.Rules{Select: hpa.Min, Policies: []hpa.Policy{
					{Type: hpa.PodsPolicy, Value: 3, Period: 30 * time.Second}, {Type: hpa.PercentPolicy, Value: 50, Period: 45 * time.Second},
				}},
				ScaleDown: &hpa.Rules{Window: seconds(30), Select: hpa.Min, Policies: []hpa.Policy{
					{Type: hpa.PodsPolicy, Value: 2, Period: 30 * time.Second}, {Type: hpa.PercentPolicy, Value: 30, Period: 60 * time.Second},
				}},
			}),
			need: []int64{2, 50, 50, 50, 50, 50, 50, 50, 50, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
		},
		{
			name: "no scaling down at all",
			spec: external(1, 60, &hpa.Behavior{ScaleDown: &hpa.Rules{Window: seconds(0), Select: hpa.Disabled}}),
			need: []int64{2, 20, 20, 20, 1, 1, 1, 30, 1},
		},
	}
	for _, milli := range []int64{1, 5, 9, 18, 36, 69, 72, 129, 138, 141, 239, 258, 276, 282, 300, 462, 478} {
		all = append(all, atTheTolerance(milli), atTheTolerance(-milli))
	}
	for _, age := range []int64{299_999, 300_000, 300_001} {
		all = append(all, atTheEndOfInitialisation(time.Duration(age)*time.Millisecond))
	}
	return all
}

// directedStory is a target whose pods are always ready, and an external metric that needs a number
// of them at each sync; or one sync as it is.
type directedStory struct {
	name      string
	spec      hpa.Spec
	need      []int64
	step      time.Duration
	downscale time.Duration
	only      *Sync
}

func (d *directedStory) options() hpa.Options {
	o := hpa.DefaultOptions()
	if d.downscale != 0 {
		o.DownscaleStabilisation = d.downscale
	}
	return o
}

// next returns what the next sync sees.
func (d *directedStory) next(now simtime.Time, replicas int32) *Sync {
	if d.only != nil {
		s := d.only
		d.only, d.need = nil, nil
		return s
	}
	if len(d.need) == 0 {
		return nil
	}
	need := d.need[0]
	d.need = d.need[1:]
	if replicas == 0 {
		replicas = max(1, d.spec.Min)
	} else if d.step != 0 {
		now = now.Add(d.step)
	} else {
		now = now.Add(15 * time.Second)
	}
	return &Sync{
		At:       now,
		Scale:    hpa.Scale{Spec: replicas, Status: replicas, Pods: readyPods(int(replicas))},
		Observed: []hpa.Observation{{Values: []int64{need * 1000}}},
	}
}

func readyPods(n int) []hpa.Pod {
	old := -simtime.Time(time.Hour)
	return slices.Repeat([]hpa.Pod{{Phase: hpa.Running, Readiness: hpa.Ready, Start: old, Transition: old}}, n)
}

// external returns a spec of one metric, of which each replica serves 1.
func external(least, most int32, b *hpa.Behavior) hpa.Spec {
	return hpa.Spec{
		Min: least, Max: most, Behavior: b,
		Metrics: []hpa.Metric{{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 1000}}},
	}
}

func seconds(n int) *time.Duration {
	d := time.Duration(n) * time.Second
	return &d
}

// atTheTolerance has a ratio that is as far from 1 as the tolerance is, which only the last bit of
// the tolerance decides.
func atTheTolerance(milli int64) *directedStory {
	tolerance := max(milli, -milli)
	spec := external(1, 1000, &hpa.Behavior{
		ScaleUp: &hpa.Rules{Tolerance: &tolerance}, ScaleDown: &hpa.Rules{Window: seconds(0), Tolerance: &tolerance},
	})
	spec.Metrics[0].Target = hpa.Target{Type: hpa.Value, Value: 1000}
	return &directedStory{name: "a ratio at the tolerance", spec: spec, only: &Sync{
		Scale:    hpa.Scale{Spec: 8, Status: 8, Pods: readyPods(8)},
		Observed: []hpa.Observation{{Values: []int64{1000 + milli}}},
	}}
}

// atTheEndOfInitialisation has a pod of an age that was ready once.
func atTheEndOfInitialisation(age time.Duration) *directedStory {
	s := &Sync{Scale: hpa.Scale{Spec: 4, Status: 4, Pods: readyPods(4)}, Observed: make([]hpa.Observation, 1)}
	began := -simtime.Time(age)
	s.Scale.Pods[3] = hpa.Pod{Phase: hpa.Running, Readiness: hpa.NotReady, Start: began, Transition: began.Add(time.Minute)}
	for range s.Scale.Pods {
		s.Observed[0].Readings = append(s.Observed[0].Readings, hpa.Reading{Request: 1000, Sampled: true, Value: 1000, Window: 30 * time.Second})
	}
	return &directedStory{name: "a pod at the end of the initialisation period", spec: hpa.Spec{Min: 1, Max: 10}, only: s}
}
