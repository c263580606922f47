// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/aibrix"
)

const soundPodAutoscaler = `apiVersion: autoscaling.aibrix.ai/v1alpha1
kind: PodAutoscaler
metadata:
  name: llama
  annotations:
    autoscaling.aibrix.ai/scale-down-cooldown-window: 60s
    autoscaling.aibrix.ai/max-scale-up-rate: "3"
    autoscaling.aibrix.ai/up-fluctuation-tolerance: "0.2"
    kpa.autoscaling.aibrix.ai/scale-down-delay: 3m
spec:
  scalingStrategy: KPA
  minReplicas: 1
  maxReplicas: 8
  observeWindowSeconds: 60
  panicWindowSeconds: 20
  metricsSources:
  - {metricSourceType: pod, protocolType: http, port: "8000", path: metrics, targetMetric: num_requests_waiting, targetValue: "2"}
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
`

func TestReadPodAutoscaler(t *testing.T) {
	m, errs := Read(PodAutoscaler, []byte(soundPodAutoscaler), field.NewPath("m"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := aibrix.Default()
	want.Strategy, want.Max, want.Targets = aibrix.KPA, 8, []float64{2}
	want.MaxScaleUpRate, want.DownCooldown, want.Window, want.PanicWindow = 3, time.Minute, time.Minute, 20*time.Second
	if diff := cmp.Diff(want, m.aibrix); diff != "" {
		t.Errorf("autoscaler (−want +got):\n%s", diff)
	}
	var unread []string
	for _, u := range m.Unread {
		unread = append(unread, u.Path.String())
	}
	if diff := cmp.Diff([]string{"m.metadata.annotations[autoscaling.aibrix.ai/up-fluctuation-tolerance]", "m.metadata.annotations[kpa.autoscaling.aibrix.ai/scale-down-delay]"}, unread); diff != "" {
		t.Errorf("annotations without an effect (−want +got):\n%s", diff)
	}
	again, errs := Read(PodAutoscaler, []byte(m.Canonical()), nil)
	if len(errs) > 0 || cmp.Diff(m.aibrix, again.aibrix) != "" || again.Canonical() != m.Canonical() {
		t.Errorf("the canonical text reads as another one: %v", errs)
	}
}

func TestFaultsOfPodAutoscalers(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, path, detail string }{
		"the strategy HPA":            {"Strategy: KPA", "Strategy: HPA", "m.spec.scalingStrategy", "state that one"},
		"no strategy":                 {"  scalingStrategy: KPA\n", "", "m.spec.scalingStrategy", "must be one of"},
		"a window above the long one": {"Seconds: 20", "Seconds: 90", "m.spec.panicWindowSeconds", "must be at most observeWindowSeconds, 60"},
		"CPU":                         {"metricSourceType: pod", "metricSourceType: resource", "m.spec.metricsSources[0].metricSourceType", "only pod is simulated"},
		"a metric without a port":     {`port: "8000", `, "", "m.spec.metricsSources[0].port", "AIBrix needs it"},
		"a target of 0":               {`targetValue: "2"`, `targetValue: "0"`, "m.spec.metricsSources[0].targetValue", "must be a positive number"},
		"a rate that is none":         {`rate: "3"`, `rate: fast`, "m.metadata.annotations[autoscaling.aibrix.ai/max-scale-up-rate]", "must be a number"},
		"bounds by schedules":         {"  minReplicas: 1\n", "  schedules: [{name: day}]\n", "m.spec.schedules", "not simulated"},
		"a minimum above the maximum": {"minReplicas: 1", "minReplicas: 9", "m.spec.minReplicas", "must be at most maxReplicas, 8"},
		"a field that is not known":   {"minReplicas: 1", "minReplicaCount: 1", "m.spec.minReplicaCount", "no such field"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(soundPodAutoscaler, tc.old, tc.new, 1)
			_, errs := Read(PodAutoscaler, []byte(text), field.NewPath("m"))
			if len(errs) != 1 || errs[0].Field != tc.path || !strings.Contains(errs[0].Error(), tc.detail) {
				t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.detail)
			}
		})
	}
}

// A step is 10 s, and a replica loads for two. At 9 of 2 the long window and the short one ask for 5, and
// the rate allows 3; the replicas that load count with 0: (9+0+0)/3 = 3, so that the mean of the window
// is (9+3)/2 = 6, and 3 is asked for. KPA forgets that there are three: 6 for each of three replicas asks
// for 3, where APA asks for 9.
func TestPodAutoscalersScale(t *testing.T) {
	for strategy, want := range map[string]string{"KPA": "3 3 3 3", "APA": "3 8 8 8"} {
		t.Run(strategy, func(t *testing.T) {
			text := strings.Replace(soundPodAutoscaler, "Strategy: KPA", "Strategy: "+strategy, 1)
			m, errs := Read(PodAutoscaler, []byte(text), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			config, errs := m.Load(Adapter{Targets: llama}, nil, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			wanted, why := playConfig(config, 1, 8, 1, []int{9, 9, 9, 9})
			if got := strings.Join(wanted, " "); got != want {
				t.Errorf("%s, want %s\n%s", got, want, strings.Join(why, "\n"))
			}
		})
	}
}

func TestPodAutoscalersAskForMetricsOfVLLM(t *testing.T) {
	m, errs := Read(PodAutoscaler, []byte(strings.Replace(soundPodAutoscaler, "num_requests_waiting", "num_request_waiting", 1)), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	_, errs = m.Load(Adapter{Targets: llama, Queries: map[string]string{"x": "y"}}, field.NewPath("m"), field.NewPath("q"))
	if len(errs) != 2 || errs[0].Field != "q" || errs[1].Field != "m.spec.metricsSources[0].targetMetric" {
		t.Error(errs)
	}
}
