// SPDX-License-Identifier: Apache-2.0

package keda_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

var (
	queue = keda.Trigger{
		Metric:     hpa.Metric{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 5000}},
		Activation: 2,
	}
	cpu = keda.Trigger{Metric: hpa.Metric{Source: hpa.Resource, CPU: true, Target: hpa.Target{Type: hpa.Utilization, Value: 80}}}
)

func TestActivity(t *testing.T) {
	failure := keda.Answer{Failed: true}
	atOnce := &keda.Fallback{Replicas: 3}
	for name, c := range map[string]struct {
		spec           keda.Spec
		answers        []keda.Answer
		active, failed bool
	}{
		"the activation value itself is not activity":       {spec: keda.Spec{Triggers: []keda.Trigger{queue}}, answers: []keda.Answer{{Value: 2}}},
		"any trigger above its activation value is":         {spec: keda.Spec{Triggers: []keda.Trigger{queue, queue}}, answers: []keda.Answer{{}, {Value: 2.5}}, active: true},
		"a failure leaves the other triggers":               {spec: keda.Spec{Triggers: []keda.Trigger{queue, queue}}, answers: []keda.Answer{failure, {Value: 9}}, active: true, failed: true},
		"a failure alone is not activity":                   {spec: keda.Spec{Triggers: []keda.Trigger{queue}}, answers: []keda.Answer{failure}, failed: true},
		"a fallback is activity, and no failure":            {spec: keda.Spec{Triggers: []keda.Trigger{queue}, Fallback: atOnce}, answers: []keda.Answer{failure}, active: true},
		"the CPU beside a queue does not count":             {spec: keda.Spec{Triggers: []keda.Trigger{cpu, queue}}, answers: []keda.Answer{{}, {}}},
		"the CPU alone keeps the target active at any time": {spec: keda.Spec{Triggers: []keda.Trigger{cpu}}, answers: []keda.Answer{{}}, active: true},
	} {
		t.Run(name, func(t *testing.T) {
			active, failed := keda.New(c.spec, 0).Activity(keda.Target{Replicas: 1, Ready: 1}, c.answers)
			if active != c.active || failed != c.failed {
				t.Errorf("active %t, failed %t, want %t, %t", active, failed, c.active, c.failed)
			}
		})
	}
}

func TestObservationsAreInThousandths(t *testing.T) {
	for value, want := range map[float64]int64{
		0: 0, 0.0004: 0, 0.0006: 1, 1.5: 1500, 17.0625: 17062, 123456.789: 123456789,
		-3: 0, math.Inf(1): 0, math.NaN(): 0, 1e300: math.MaxInt64,
	} {
		got := keda.New(keda.Spec{Triggers: []keda.Trigger{queue}}, 0).Observe(0, keda.Target{}, keda.Answer{Value: value})
		if diff := cmp.Diff(hpa.Observation{Values: []int64{want}}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", value, diff)
		}
	}
}

func TestConvert(t *testing.T) {
	behavior := &hpa.Behavior{}
	made, triggers := keda.Convert(keda.Spec{Triggers: []keda.Trigger{cpu, queue}, Behavior: behavior})
	want := hpa.Spec{Min: 1, Max: 100, Metrics: []hpa.Metric{queue.Metric, cpu.Metric}, Behavior: behavior}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("autoscaler (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 0}, triggers); diff != "" {
		t.Errorf("triggers of its metrics (-want +got):\n%s", diff)
	}
}
