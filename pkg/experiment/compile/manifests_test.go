// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/timezone"
)

const ownHPA = `# of the cluster
apiVersion: v1
kind: Service
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama}
spec:
  scaleTargetRef: {kind: Deployment, name: decode}
  minReplicas: 1
  maxReplicas: 12
  metrics:
  - type: External
    external:
      metric: {name: "vllm:num_requests_waiting", selector: {matchLabels: {namespace: own}}}
      target: {type: Value, value: "5"}
  behavior: {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}
`

// scaledBy scales the pool of the run by a manifest.
func scaledBy(source v1alpha1.ManifestSource) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Scalers = []v1alpha1.Scaler{{
			Name: "one", Pools: []string{s.Pools[0].Name}, HorizontalPodAutoscaler: &source,
			Interval: "15s", Metrics: v1alpha1.ScalerMetrics{ScrapeInterval: "15s"},
		}}
	}
}

func compileManifest(t *testing.T, source v1alpha1.ManifestSource) (*compile.Compiled, []string) {
	t.Helper()
	run := experimenttest.Run(t)
	scaledBy(source)(&run.Spec.Scenario)
	inputs := sourceInputs()
	inputs.Inputs["own/hpa.yaml"], inputs.files["hpa.yaml"] = []byte(ownHPA), ownHPA
	inputs.Inputs["own/service.yaml"] = []byte("kind: Service\n")
	c, errs, err := compile.Run(context.Background(), run, inputs)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return c, texts
}

// A manifest makes the same plan from wherever it is read, but for the digest of what was
// read.
func TestManifestsOfAnySource(t *testing.T) {
	digest := experiment.Digest([]byte(ownHPA))
	var first experiment.Tree
	for name, tc := range map[string]struct {
		source v1alpha1.ManifestSource
		inputs []v1alpha1.InputDigest
	}{
		"inline":    {v1alpha1.ManifestSource{Inline: ptr.To(ownHPA)}, nil},
		"ConfigMap": {v1alpha1.ManifestSource{ConfigMapRef: key("hpa.yaml")}, []v1alpha1.InputDigest{{Name: "ConfigMap/own/hpa.yaml", SHA256: digest}}},
		"file":      {v1alpha1.ManifestSource{File: ptr.To("hpa.yaml")}, []v1alpha1.InputDigest{{Name: "File/hpa.yaml", SHA256: digest}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, errs := compileManifest(t, tc.source)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.inputs, c.Plan.Inputs); diff != "" {
				t.Errorf("inputs (−want +got):\n%s", diff)
			}
			if first == nil {
				first = c.Plan.Scenario
			}
			if diff := cmp.Diff(first, c.Plan.Scenario); diff != "" {
				t.Errorf("scenario (−want +got):\n%s", diff)
			}
			remarks := strings.Join(append(c.Plan.Remarks(), c.Plan.Approximations...), "\n")
			for _, want := range []string{
				"horizontalPodAutoscaler.spec.scaleTargetRef.name: the manifest scales decode, which stands for pool",
				"spec.metrics[0].external.target: vllm:num_requests_waiting is a sum over the replicas, and its target is of type Value [value-for-sum]",
				"external.metric.name: the selector namespace=own has no effect: vllm:num_requests_waiting has no such label here",
			} {
				if !strings.Contains(remarks, want) {
					t.Errorf("no remark %q in:\n%s", want, remarks)
				}
			}
		})
	}
}

func TestManifestsThatCannotBeRead(t *testing.T) {
	const at = "spec.scenario.scalers[0].horizontalPodAutoscaler."
	for name, tc := range map[string]struct {
		source v1alpha1.ManifestSource
		want   string
	}{
		"an absent key":         {v1alpha1.ManifestSource{ConfigMapRef: key("absent")}, at + "configMapRef: Not found"},
		"an absent file":        {v1alpha1.ManifestSource{File: ptr.To("absent")}, at + "file: Not found"},
		"a text that is large":  {v1alpha1.ManifestSource{ConfigMapRef: key("large")}, at + "configMapRef: Too long"},
		"a text of another one": {v1alpha1.ManifestSource{ConfigMapRef: key("service.yaml")}, at + `configMapRef: Invalid value: has no HorizontalPodAutoscaler; it has "Service"`},
		"a field in the text":   {v1alpha1.ManifestSource{Inline: ptr.To(strings.Replace(ownHPA, "minReplicas: 1", "minReplicas: 13", 1))}, at + "inline.spec.minReplicas: Invalid value: 13: must be at most maxReplicas, 12"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := compileManifest(t, tc.source)
			if len(errs) != 1 || !strings.HasPrefix(errs[0], tc.want) {
				t.Errorf("errors %q, want %q", errs, tc.want)
			}
		})
	}
}

// A path of a sweep leads to what a manifest states.
func TestParametersWithinManifests(t *testing.T) {
	const within = "scalers[one].horizontalPodAutoscaler.spec."
	for path, tc := range map[string]struct {
		values []string
		want   string
	}{
		within + "maxReplicas":                             {[]string{"4", "30"}, ""},
		within + "metrics[0].external.target.value":        {[]string{"5", "500m"}, ""},
		within + "behavior.scaleDown.policies[0].value":    {[]string{"1", "2"}, ""},
		"scalers[one].interval":                            {[]string{"15s", "30s"}, ""},
		within + "maxReplica":                              {[]string{"4"}, "no such field"},
		within + "behavior.scaleUp.selectPolicy":           {[]string{"Min"}, "no such field"},
		within + "metrics[0].external.target.averageValue": {[]string{"5"}, "no such field"},
		within + "metrics[1].external.target.value":        {[]string{"5"}, "there is no entry [1]"},
		within + "minReplicas":                             {[]string{"1", "13"}, "must be at most maxReplicas, 12"},
		"scalers[one].maxReplicas":                         {[]string{"4"}, "have bounds of their own"},
	} {
		t.Run(path, func(t *testing.T) {
			sweep := experimenttest.Sweep(t)
			scaledBy(v1alpha1.ManifestSource{Inline: ptr.To(ownHPA)})(&sweep.Spec.Scenario)
			sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "p", Path: path, Values: tc.values}}
			sweep.Spec.Baseline = nil
			_, errs, err := compile.Sweep(context.Background(), sweep, experimenttest.TraceInputs(t))
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			if len(errs) > 0 {
				text = errs.ToAggregate().Error()
			}
			if !strings.Contains(text, tc.want) || (text == "") != (tc.want == "") {
				t.Errorf("errors %q, want %q", text, tc.want)
			}
		})
	}
}

const (
	followingHPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
spec:
  scaleTargetRef: {name: decode}
  maxReplicas: 12
  metrics:
  - type: External
    external: {metric: {name: wva_desired_replicas}, target: {type: AverageValue, averageValue: 1}}
`
	entryOfWVA = "kvCacheThreshold: 0.75\nqueueLengthThreshold: 5\nkvSpareTrigger: 0.1\nqueueSpareTrigger: 3\n"
	ownWVA     = `apiVersion: v1
kind: ConfigMap
data:
  llama: "model_id: llama"
  default: |
    kvCacheThreshold: 0.75
    queueLengthThreshold: 5
    kvSpareTrigger: 0.1
    queueSpareTrigger: 3
`
)

// analysed scales the pool of a scenario by an autoscaler that follows an analyser.
func analysed(source v1alpha1.ManifestSource) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		scaledBy(v1alpha1.ManifestSource{Inline: ptr.To(followingHPA)})(s)
		s.Scalers[0].WorkloadVariantAutoscaler = &source
	}
}

// The ConfigMap and the entry in a cluster's ConfigMap make the same plan, and the linter
// compares the thresholds with those of the EPP.
func TestAnalysersOfAnySource(t *testing.T) {
	var first experiment.Tree
	for name, source := range map[string]v1alpha1.ManifestSource{
		"inline": {Inline: ptr.To(ownWVA)}, "the key of a ConfigMap": {ConfigMapRef: key("default")}, "file": {File: ptr.To("wva.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			analysed(source)(&run.Spec.Scenario)
			inputs := sourceInputs()
			inputs.Inputs["own/default"], inputs.files["wva.yaml"] = []byte(entryOfWVA), ownWVA
			c, errs, err := compile.Run(context.Background(), run, inputs)
			if err != nil || len(errs) > 0 {
				t.Fatal(err, errs)
			}
			if first == nil {
				first = c.Plan.Scenario
			}
			if diff := cmp.Diff(first, c.Plan.Scenario); diff != "" {
				t.Errorf("scenarios differ:\n%s", diff)
			}
			found := map[string]string{}
			for _, f := range c.Plan.Findings {
				found[f.Rule] = f.Path
			}
			if !strings.HasSuffix(found["thresholds-differ"], ": data.default.kvCacheThreshold") {
				t.Errorf("findings %v, want thresholds-differ", found)
			}
			if _, ignored := found["entry-without-effect"]; ignored == (source.ConfigMapRef != nil) {
				t.Errorf("findings %v", found)
			}
		})
	}
}

func TestParametersWithinAnalysers(t *testing.T) {
	const within = "scalers[one].workloadVariantAutoscaler.data.default."
	for path, tc := range map[string]struct {
		values []string
		want   string
	}{
		within + "kvSpareTrigger":   {[]string{"0.1", "0.20"}, ""},
		within + "kvCacheThreshold": {[]string{"0.05"}, "must be at most kvCacheThreshold, 0.05"},
		within + "kvTrigger":        {[]string{"0.1"}, "no such field"},
	} {
		t.Run(path, func(t *testing.T) {
			sweep := experimenttest.Sweep(t)
			analysed(v1alpha1.ManifestSource{Inline: ptr.To(ownWVA)})(&sweep.Spec.Scenario)
			sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "p", Path: path, Values: tc.values}}
			sweep.Spec.Baseline = nil
			_, errs, err := compile.Sweep(context.Background(), sweep, experimenttest.TraceInputs(t))
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			if len(errs) > 0 {
				text = errs.ToAggregate().Error()
			}
			if !strings.Contains(text, tc.want) || (text == "") != (tc.want == "") {
				t.Errorf("errors %q, want %q", text, tc.want)
			}
		})
	}
}

// A manifest with a fault hides no other fault: neither one of a manifest beside, nor one of the
// scenario.
func TestFaultsOfManifestsHideNoOthers(t *testing.T) {
	run := experimenttest.Run(t)
	faulty := strings.Replace(ownHPA, "maxReplicas: 12", "maxReplicas: 0", 1)
	run.Spec.Scenario.Scalers = []v1alpha1.Scaler{
		{Name: "one", Pools: []string{run.Spec.Scenario.Pools[0].Name}, HorizontalPodAutoscaler: &v1alpha1.ManifestSource{Inline: &faulty}, Interval: "15s", MaxReplicas: 3},
		{Name: "two", Pools: []string{"nowhere"}, HorizontalPodAutoscaler: &v1alpha1.ManifestSource{Inline: ptr.To("kind: Service\n")}, Interval: "15s"},
		{Name: "three", Pools: []string{"nowhere"}, HorizontalPodAutoscaler: &v1alpha1.ManifestSource{Inline: ptr.To(ownHPA)}, Interval: "15s"},
	}
	faults := func() []string {
		_, errs, err := compile.Run(context.Background(), run, sourceInputs())
		if err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, e := range errs {
			at = append(at, e.Field)
		}
		return at
	}
	manifests := []string{
		"spec.scenario.scalers[0].horizontalPodAutoscaler.inline.spec.maxReplicas",
		"spec.scenario.scalers[1].horizontalPodAutoscaler.inline",
	}
	scalers := []string{"spec.scenario.scalers[2].pools[0]", "spec.scenario.scalers[0].maxReplicas", "spec.scenario.scalers[2].pools[0]"}
	if diff := cmp.Diff(append(manifests, scalers...), faults()); diff != "" {
		t.Errorf("faults (−want +got):\n%s", diff)
	}
	run.Spec.Scenario.Pools[0].Accelerator = "abacus"
	if diff := cmp.Diff(append(manifests, "spec.scenario.pools[0].accelerator", "spec.scenario.scalers[2].pools[0]"), faults()); diff != "" {
		t.Errorf("faults beside those of a pool (−want +got):\n%s", diff)
	}
}

// A time zone is part of the experiment, so the version of its database is part of the key. UTC needs no database.
func TestKeysHaveTheVersionOfTheTimeZones(t *testing.T) {
	for zone, want := range map[string]string{"UTC": "", "Europe/Berlin": timezone.Version} {
		run := experimenttest.Run(t)
		scaledBy(v1alpha1.ManifestSource{})(&run.Spec.Scenario)
		scaler := &run.Spec.Scenario.Scalers[0]
		scaler.HorizontalPodAutoscaler = nil
		scaler.ScaledObject = &v1alpha1.ManifestSource{Inline: ptr.To(`{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, spec: {scaleTargetRef: {name: llama}, minReplicaCount: 1, triggers: [
  {type: cron, metadata: {timezone: ` + zone + `, start: "0 8 * * *", end: "0 18 * * *", desiredReplicas: "5"}}]}}`)}
		run.Spec.Scenario.Horizon.StartTime = "2026-01-05T08:00:00Z"
		c, errs, err := compile.Run(t.Context(), run, sourceInputs())
		if err != nil || len(errs) > 0 {
			t.Fatal(err, errs)
		}
		if got := c.Plan.KeyOf(c.Plan.Scenario, nil).TimeZones; got != want {
			t.Errorf("the key of a run in %s has the time zones %q, want %q", zone, got, want)
		}
	}
}

// The linter knows the EPP of the scenario: without the gate, metrics of flow control have no series.
func TestFindingsOfScalersGoByTheEPP(t *testing.T) {
	manifest := strings.Replace(ownHPA, "name: \"vllm:num_requests_waiting\", selector: {matchLabels: {namespace: own}}", "name: inference_extension_flow_control_queue_size", 1)
	for name, tc := range map[string]struct {
		router string
		want   int
	}{
		"without the gate": {"apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: [{type: queue-scorer}]\n", 1},
		"with the gate":    {"apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nfeatureGates: [flowControl]\nplugins: [{type: queue-scorer}]\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			scaledBy(v1alpha1.ManifestSource{Inline: &manifest})(&run.Spec.Scenario)
			run.Spec.Scenario.Router = v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: &tc.router}}
			c, errs, err := compile.Run(context.Background(), run, sourceInputs())
			if err != nil || len(errs) > 0 {
				t.Fatal(err, errs)
			}
			found := 0
			for _, f := range c.Plan.Findings {
				if f.Rule == "metric-without-series" && strings.HasSuffix(f.Path, "spec.metrics[0].external.metric.name") {
					found++
				}
			}
			if found != tc.want {
				t.Errorf("%d findings of metric-without-series, want %d: %v", found, tc.want, c.Plan.Findings)
			}
		})
	}
}
