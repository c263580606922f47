// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const (
	followingHPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
spec:
  scaleTargetRef: {name: llama}
  minReplicas: 1
  maxReplicas: 4
  metrics:
  - type: External
    external:
      metric: {name: wva_desired_replicas, selector: {matchLabels: {variant_name: llama}}}
      target: {type: AverageValue, averageValue: "1"}
  behavior:
    scaleDown: {stabilizationWindowSeconds: 0}
`
	followingScaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
spec:
  scaleTargetRef: {name: llama}
  pollingInterval: 15
  minReplicaCount: 1
  maxReplicaCount: 4
  triggers:
  - type: prometheus
    metadata: {query: 'wva_desired_replicas{variant_name="decode"}', threshold: "1"}
  advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleDown: {stabilizationWindowSeconds: 0}}}}
`
)

// followed is a configuration of a manifest that follows an analyser; of the analyser alone where
// there is no kind.
func followed(t *testing.T, kind Kind, text string) *Config {
	t.Helper()
	analyser, errs := Read(ConfigMap, []byte(soundConfigMap), field.NewPath("w"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	targets := llama
	targets.Variant = "llama"
	adapter := Adapter{Sync: scrape, Targets: targets}
	m := analyser
	if kind != "" {
		if m, errs = Read(kind, []byte(text), nil); len(errs) > 0 {
			t.Fatal(errs)
		}
		adapter.Analyser = analyser
	}
	config, errs := m.Load(adapter, nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return config
}

// A step is 15 s: the analyser decides in every second one. New replicas serve after two.
func TestScalersThatFollowTheAnalyser(t *testing.T) {
	for name, tc := range map[string]struct {
		kind    Kind
		text    string
		most    int
		waiting []int
		want    string
		why     string // the end of the last reason
	}{
		"the analyser alone sets the replicas": {"", "", 4, []int{0, 4, 4}, "1 2 2", ""},
		"the analyser alone keeps to the bounds": {"", "", 2, []int{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0}, "1 2 2 2 2 2 2 2 2 2 2 2 2 1 1 1",
			"a spare KV of 0.8 and a spare queue of 5, enough, but not with one replica fewer"},
		"an autoscaler reads the metric from the scrape after the decision": {HorizontalPodAutoscaler, followingHPA, 4, []int{4, 4, 4, 4}, "1 1 2 2",
			"WVA asks for 2: waits until all replicas have metrics: 1 of 2; stays at 2: wva_desired_replicas is 1 for each replica, for a target of 1, which asks for no change"},
		"KEDA reads the metric with a query": {ScaledObject, followingScaledObject, 4, []int{4, 4, 4}, "1 1 2",
			`from 1 to 2: wva_desired_replicas{variant_name="decode"} is 2 for each replica, for a target of 1, which asks for 2`},
		"no metric before the first decision": {HorizontalPodAutoscaler, followingHPA, 4, []int{4}, "1", "stays at 1: no value of wva_desired_replicas (FailedGetExternalMetric)"},
		"the queue of the last minute counts": {HorizontalPodAutoscaler, followingHPA, 4, []int{4, 0, 0}, "1 1 2",
			"from 1 to 2: wva_desired_replicas is 2 for each replica, for a target of 1, which asks for 2"},
	} {
		t.Run(name, func(t *testing.T) {
			config := followed(t, tc.kind, tc.text)
			if tc.kind == "" {
				config.Interval = scrape // to see the steps between
			}
			wanted, why := playConfig(config, 1, tc.most, 1, tc.waiting)
			if diff := cmp.Diff(tc.want, strings.Join(wanted, " ")); diff != "" {
				t.Errorf("wanted (−want +got):\n%s\n%s", diff, strings.Join(why, "\n"))
			}
			if got := why[len(why)-1]; !strings.HasSuffix(got, tc.why) {
				t.Errorf("reason %q, want %q", got, tc.why)
			}
		})
	}
}

// The analyser waits where an autoscaler does not follow beyond its bounds, as the real one does.
func TestTheAnalyserWaitsBeyondTheBoundsOfTheAutoscaler(t *testing.T) {
	full := make([]int, 40)
	for i := range full {
		full[i] = 9
	}
	wanted, why := playConfig(followed(t, HorizontalPodAutoscaler, followingHPA), 1, 4, 1, append(full, make([]int, 40)...))
	if last := wanted[len(wanted)-1]; last != "4" || !strings.Contains(why[len(why)-1], "WVA asks for 5: waits until there are as many; the pool has 4") {
		t.Errorf("%s replicas at the end: %s", last, why[len(why)-1])
	}
}

func TestPeriodsOfTheAnalyser(t *testing.T) {
	if c := followed(t, ScaledObject, strings.Replace(followingScaledObject, "pollingInterval: 15", "pollingInterval: 20", 1)); c.Interval != 5*time.Second || c.Window != wva.Window {
		t.Errorf("asked each %s with a window of %s", c.Interval, c.Window)
	}
	if c := followed(t, "", ""); c.Interval != wva.Interval || c.Window != wva.Window {
		t.Errorf("alone: asked each %s with a window of %s", c.Interval, c.Window)
	}
}

// A pod that drains is there until it has ended; one that has gone, or was at a place before, does
// not count.
func TestReplicasWithMetrics(t *testing.T) {
	monitor := autoscaling.NewMonitor(4, scrape, 5*time.Second, wva.Window)
	for k := range 8 {
		s := monitor.Take(simtime.Time(k+1) * simtime.Time(scrape))
		for i := range s.Engines {
			s.Engines[i] = autoscaling.Engine{Up: true, Waiting: k, KVUsage: 0.1 * float64(i)}
		}
		if k > 4 {
			s.Engines[1] = autoscaling.Engine{} // ended
			s.Engines[3] = autoscaling.Engine{Up: true, Started: 42, Waiting: 1}
		}
		s.Engines[0].Waiting = 9 - k
	}
	view := &autoscaling.View{Now: simtime.Time(2 * time.Minute), Monitor: monitor}
	p := &autoscaling.Pool{Endpoints: 4, Replicas: []autoscaling.Replica{
		{Endpoint: 0, Stage: autoscaling.Serving}, {Endpoint: 3, Stage: autoscaling.Serving, Ready: 42},
	}}
	var s percentages
	s.measure(view, p)
	want := []wva.Replica{{KVUsage: 0, Waiting: 5}, {KVUsage: 0.2, Waiting: 6}, {KVUsage: 0, Waiting: 1}}
	if diff := cmp.Diff(want, s.replicas); diff != "" {
		t.Errorf("replicas (−want +got):\n%s", diff)
	}
}

func TestFaultsOfFollowing(t *testing.T) {
	analyser, errs := Read(ConfigMap, []byte(soundConfigMap), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	variant := llama
	variant.Variant = "llama"
	for name, tc := range map[string]struct {
		text    string
		adapter Adapter
		want    string
	}{
		"the metric without the ConfigMap": {followingHPA, Adapter{Targets: llama},
			`m.spec.metrics[0].external.metric.name: Invalid value: "wva_desired_replicas": there is no metric wva_desired_replicas: state workloadVariantAutoscaler`},
		"the ConfigMap without the metric": {soundHPA, Adapter{Targets: variant, Analyser: analyser, AnalyserPath: field.NewPath("w")},
			`w: Invalid value: has no effect: no metric of the HorizontalPodAutoscaler is wva_desired_replicas`},
	} {
		t.Run(name, func(t *testing.T) {
			m, errs := Read(HorizontalPodAutoscaler, []byte(tc.text), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			tc.adapter.Sync = scrape
			_, errs = m.Load(tc.adapter, field.NewPath("m"), field.NewPath("q"))
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), tc.want) {
				t.Errorf("errors %v, want %s", errs, tc.want)
			}
		})
	}
}
