// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

const (
	hpaOfLlama = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{
		"scaleTargetRef":{"kind":"Deployment","name":"llama"},"minReplicas":1,"maxReplicas":7,
		"metrics":[{"type":"Pods","pods":{"metric":{"name":"vllm:num_requests_waiting"},"target":{"type":"AverageValue","averageValue":"5"}}}]}}`
	scaledObjectOfLlama = `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","spec":{"scaleTargetRef":{"name":"llama"},"pollingInterval":10,
		"triggers":[{"type":"prometheus","metadata":{"query":"inference_extension_flow_control_queue_size","threshold":"5"}}]}}`
)

const (
	followingHPA = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{
		"scaleTargetRef":{"kind":"Deployment","name":"llama"},"maxReplicas":7,
		"metrics":[{"type":"External","external":{"metric":{"name":"wva_desired_replicas"},"target":{"type":"AverageValue","averageValue":"1"}}}]}}`
	entryOfWVA = "{kvCacheThreshold: 0.8, queueLengthThreshold: 5, kvSpareTrigger: 0.1, queueSpareTrigger: 3}"
)

// analysed gives a scaler the ConfigMap of an analyser.
func analysed(s *v1alpha1.Scaler) {
	text := entryOfWVA
	s.WorkloadVariantAutoscaler = &v1alpha1.ManifestSource{Inline: &text}
}

const cronOfLlama = `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","spec":{"scaleTargetRef":{"name":"llama"},"minReplicaCount":1,
	"triggers":[{"type":"cron","metadata":{"timezone":"UTC","start":"0 8 * * *","end":"0 18 * * *","desiredReplicas":"5"}}]}}`

// byManifest has a scaler of pool llama with a manifest.
func byManifest(hpa, scaledObject string, edits ...func(*v1alpha1.Scaler)) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		scaler := v1alpha1.Scaler{Name: "one", Pools: []string{"llama"}, Interval: "15s"}
		scaler.Metrics.ScrapeInterval = "15s"
		if hpa != "" {
			scaler.HorizontalPodAutoscaler = &v1alpha1.ManifestSource{Inline: &hpa}
		}
		if scaledObject != "" {
			scaler.ScaledObject = &v1alpha1.ManifestSource{Inline: &scaledObject}
		}
		for _, edit := range edits {
			edit(&scaler)
		}
		s.Scalers = []v1alpha1.Scaler{scaler}
	}
}

func TestBoundsAreThoseOfTheManifest(t *testing.T) {
	unit := mustBuild(t, byManifest(hpaOfLlama, "")).Scaling[0]
	if unit.Min[0] != 1 || unit.Max[0] != 7 || unit.Interval != 15*time.Second {
		t.Errorf("HorizontalPodAutoscaler: %d to %d replicas each %s", unit.Min[0], unit.Max[0], unit.Interval)
	}
	c := mustBuild(t, func(s *v1alpha1.Scenario) {
		byManifest("", scaledObjectOfLlama)(s)
		s.Activator = &v1alpha1.Activator{MaxWait: "1m"}
	})
	if unit = c.Scaling[0]; unit.Min[0] != 0 || unit.Max[0] != 100 || unit.Interval != 5*time.Second || c.Pools[0].Places() != 100 {
		t.Errorf("ScaledObject: %d to %d replicas of %d each %s", unit.Min[0], unit.Max[0], c.Pools[0].Places(), unit.Interval)
	}
}

// The formula has the demand in replicas: requests that the EPP holds, or a sixteenth of those that run, less the
// replicas that start. Names of the InferencePool and of the Deployment are those of a cluster.
func TestAScaledObjectOnSignalsOfTheRouter(t *testing.T) {
	const object = `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","spec":{
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"serving-decode"},"pollingInterval":15,"minReplicaCount":1,"maxReplicaCount":8,
		"fallback":{"failureThreshold":3,"replicas":1,"behavior":"static"},
		"advanced":{"scalingModifiers":{"target":"1","metricType":"AverageValue","formula":
			"let demand = max(queue / 1, running / 16); demand <= replicas ? demand : max(demand - (pending ?? 0), replicas)"}},
		"triggers":[
		{"type":"prometheus","name":"queue","metadata":{"query":"sum(llm_d_epp_flow_control_queue_size{namespace=\"a\",inference_pool=\"chat\"})","threshold":"1"}},
		{"type":"prometheus","name":"running","metadata":{"query":"sum(llm_d_epp_request_running{namespace=\"a\"})","threshold":"16"}},
		{"type":"prometheus","name":"pending","metadata":{"query":"max(kube_deployment_status_replicas_unavailable{deployment=\"serving-decode\"})","threshold":"1"}},
		{"type":"prometheus","name":"replicas","metadata":{"query":"max(kube_deployment_status_replicas{deployment=\"serving-decode\"})","threshold":"1"}}]}}`
	if unit := mustBuild(t, byManifest("", object)).Scaling[0]; unit.Min[0] != 1 || unit.Max[0] != 8 {
		t.Errorf("%d to %d replicas", unit.Min[0], unit.Max[0])
	}
}

func TestScalersWithAnalysers(t *testing.T) {
	unit := mustBuild(t, byManifest(followingHPA, "", analysed, func(s *v1alpha1.Scaler) { s.Interval = "20s" })).Scaling[0]
	if unit.Min[0] != 1 || unit.Max[0] != 7 || unit.Interval != 10*time.Second {
		t.Errorf("with a HorizontalPodAutoscaler: %d to %d replicas each %s", unit.Min[0], unit.Max[0], unit.Interval)
	}
	unit = mustBuild(t, byManifest("", "", analysed, func(s *v1alpha1.Scaler) { s.MaxReplicas = 5 })).Scaling[0]
	if unit.Min[0] != 1 || unit.Max[0] != 5 || unit.Interval != 30*time.Second {
		t.Errorf("alone: %d to %d replicas each %s", unit.Min[0], unit.Max[0], unit.Interval)
	}
}

// A manifest with a fault may be of the analyser by tokens, which scales two pools: the fault alone is
// reported.
func TestAnAnalyserWithFaultsMayScaleTwoPools(t *testing.T) {
	_, errs := build(t, byManifest("", "", analysed, func(s *v1alpha1.Scaler) {
		s.Pools, s.MaxReplicas = []string{"llama", "llama"}, 9
		*s.WorkloadVariantAutoscaler.Inline = strings.Replace(*s.WorkloadVariantAutoscaler.Inline, "0.8", "8", 1)
	}))
	about := func(e string) bool { return strings.Contains(e, "workloadVariantAutoscaler.kvCacheThreshold") }
	if !slices.ContainsFunc(errs, about) || slices.ContainsFunc(errs, func(e string) bool { return strings.Contains(e, "a manifest scales one pool") }) {
		t.Errorf("errors %v, want that of the threshold alone", errs)
	}
}

func TestFaultsOfScalersWithManifests(t *testing.T) {
	edit := func(change func(*v1alpha1.Scaler)) func(*v1alpha1.Scenario) {
		return byManifest(hpaOfLlama, "", change)
	}
	one := int32(1)
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.Scenario)
		path, text string
	}{
		"a minimum beside a manifest":        {edit(func(s *v1alpha1.Scaler) { s.MinReplicas = &one }), "scalers[0].minReplicas", "goes with policy"},
		"a maximum beside a manifest":        {edit(func(s *v1alpha1.Scaler) { s.MaxReplicas = 9 }), "scalers[0].maxReplicas", "goes with policy"},
		"a trigger beside a manifest":        {edit(func(s *v1alpha1.Scaler) { s.Trigger = &v1alpha1.ScalingTrigger{Name: "queue"} }), "scalers[0].trigger", "goes with policy"},
		"a parameter beside a manifest":      {edit(func(s *v1alpha1.Scaler) { s.Parameters = map[string]v1alpha1.PolicyParameter{"a": "1"} }), "scalers[0].parameters", "goes with policy"},
		"a manifest with faults":             {byManifest(strings.Replace(hpaOfLlama, `"maxReplicas":7`, `"maxReplicas":0`, 1), ""), "scalers[0].horizontalPodAutoscaler.spec.maxReplicas", "must be between 1 and 16384"},
		"a metric that is not simulated":     {byManifest(strings.Replace(hpaOfLlama, "vllm:num_requests_waiting", "queue", 1), ""), "scalers[0].horizontalPodAutoscaler.spec.metrics[0].pods.metric.name", "there is no metric queue"},
		"a query that nothing asks for":      {edit(func(s *v1alpha1.Scaler) { s.Metrics.Queries = map[string]v1alpha1.MetricQuery{"x": "y"} }), "scalers[0].metrics.queries[x]", "has no effect"},
		"scale to zero without an activator": {byManifest("", scaledObjectOfLlama), "scalers[0].scaledObject", "state activator"},
		"a period in parts of a second":      {byManifest("", scaledObjectOfLlama, func(s *v1alpha1.Scaler) { s.Interval = "1500ms" }), "scalers[0].interval", "must be whole seconds"},
		"queries beside a policy": {byManifest("", "", func(s *v1alpha1.Scaler) {
			s.Policy, s.MaxReplicas, s.Metrics.Queries = "queue-length", 9, map[string]v1alpha1.MetricQuery{"x": "y"}
		}), "scalers[0].metrics.queries", "goes with horizontalPodAutoscaler"},
		"neither policy nor manifest":                 {byManifest("", ""), "scalers[0].policy", "state policy"},
		"the metric of an analyser that is not there": {byManifest(followingHPA, ""), "scalers[0].horizontalPodAutoscaler.spec.metrics[0].external.metric.name", "state workloadVariantAutoscaler"},
		"an analyser that nothing follows":            {byManifest(hpaOfLlama, "", analysed), "scalers[0].workloadVariantAutoscaler", "has no effect"},
		"an analyser with faults": {byManifest(followingHPA, "", analysed, func(s *v1alpha1.Scaler) {
			*s.WorkloadVariantAutoscaler.Inline = strings.Replace(*s.WorkloadVariantAutoscaler.Inline, "0.8", "8", 1)
		}), "scalers[0].workloadVariantAutoscaler.kvCacheThreshold", "must be between 0 and 1"},
		"an analyser alone without a maximum": {byManifest("", "", analysed), "scalers[0].maxReplicas", "no manifest of the scaler bounds the replicas"},
		"an analyser by percentages of two pools": {byManifest("", "", analysed, func(s *v1alpha1.Scaler) {
			s.Pools, s.MaxReplicas = []string{"llama", "llama"}, 9
		}), "scalers[0].pools", "Only workloadVariantAutoscaler alone, with the analyser by tokens"},
		"queries beside an analyser alone": {byManifest("", "", analysed, func(s *v1alpha1.Scaler) {
			s.MaxReplicas, s.Metrics.Queries = 9, map[string]v1alpha1.MetricQuery{"x": "y"}
		}), "scalers[0].metrics.queries", "goes with horizontalPodAutoscaler"},
		"a cron trigger without the start of the run": {byManifest("", cronOfLlama), "scalers[0].scaledObject.spec.triggers[0].type", "state horizon.startTime"},
		"a start of the run that nothing asks for": {func(s *v1alpha1.Scenario) {
			byManifest(hpaOfLlama, "")(s)
			s.Horizon.StartTime = "2026-01-05T08:00:00Z"
		}, "horizon.startTime", "has no effect"},
		"a start of the run that is no time": {func(s *v1alpha1.Scenario) {
			byManifest("", cronOfLlama)(s)
			s.Horizon.StartTime = "monday"
		}, "horizon.startTime", "must be a date and a time"},
		"two scalers of one pool": {func(s *v1alpha1.Scenario) {
			byManifest(hpaOfLlama, "")(s)
			s.Scalers = append(s.Scalers, s.Scalers[0])
			s.Scalers[1].Name = "two"
		}, "scalers[1].pools[0]", "scaler one scales this pool"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, func(s *v1alpha1.Scenario) {
				s.Activator = nil
				tc.edit(s)
				if tc.path != "scalers[0].scaledObject" && s.Scalers[0].ScaledObject != nil {
					s.Activator = &v1alpha1.Activator{MaxWait: "1m"}
				}
			})
			for _, e := range errs {
				if strings.Contains(e, tc.path+": ") && strings.Contains(e, tc.text) {
					return
				}
			}
			t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.text)
		})
	}
}
