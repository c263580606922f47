// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

const soundHPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama, annotations: {any: thing}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
  minReplicas: 2
  maxReplicas: 20
  metrics:
  - type: External
    external:
      metric: {name: "vllm:num_requests_waiting"}
      target: {type: AverageValue, averageValue: "5"}
`

const soundScaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: llama}
spec:
  scaleTargetRef: {name: llama}
  minReplicaCount: 0
  maxReplicaCount: 20
  triggers:
  - type: prometheus
    metadata: {serverAddress: "http://prometheus:9090", query: inference_pool_average_queue_size, threshold: "5"}
`

func sound(kind Kind) string {
	if kind == HorizontalPodAutoscaler {
		return soundHPA
	}
	return soundScaledObject
}

func TestReadHPA(t *testing.T) {
	m, errs := Read(HorizontalPodAutoscaler, []byte("# a comment\n---\n"+strings.ReplaceAll(soundHPA, "  metrics:\n", `  behavior:
    scaleUp: {stabilizationWindowSeconds: 30, selectPolicy: Min, tolerance: 50m, policies: [{type: Percent, value: 100, periodSeconds: 60}]}
    scaleDown: {selectPolicy: Disabled}
  metrics:
  - type: Object
    object: {describedObject: {kind: InferencePool, name: llama}, metric: {name: inference_pool_average_queue_size}, target: {type: Value, value: 2500m}}
`)+"---\nkind: Service\n"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := hpa.Spec{
		Min: 2, Max: 20,
		Metrics: []hpa.Metric{
			{Source: hpa.Object, Target: hpa.Target{Type: hpa.Value, Value: 2500}},
			{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 5000}},
		},
		Behavior: &hpa.Behavior{
			ScaleUp: &hpa.Rules{
				Window: new(30 * time.Second), Select: hpa.Min, Tolerance: new(int64(50)),
				Policies: []hpa.Policy{{Type: hpa.PercentPolicy, Value: 100, Period: time.Minute}},
			},
			ScaleDown: &hpa.Rules{Select: hpa.Disabled},
		},
	}
	if diff := cmp.Diff(want, m.hpa); diff != "" {
		t.Errorf("autoscaler (−want +got):\n%s", diff)
	}
	again, errs := Read(HorizontalPodAutoscaler, []byte(m.Canonical()), nil)
	if len(errs) > 0 || again.Canonical() != m.Canonical() {
		t.Errorf("the canonical text reads as another one: %v", errs)
	}
}

func TestReadScaledObject(t *testing.T) {
	m, errs := Read(ScaledObject, []byte(strings.ReplaceAll(soundScaledObject, "  triggers:\n", `  pollingInterval: 10
  cooldownPeriod: 60
  initialCooldownPeriod: 5
  fallback: {failureThreshold: 3, replicas: 4, behavior: currentReplicas}
  advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleDown: {stabilizationWindowSeconds: 0}}}}
  triggers:
  - type: prometheus
    metricType: Value
    metadata: {query: "vllm:kv_cache_usage_perc", threshold: "0.7", activationThreshold: "0.1", ignoreNullValues: "false"}
`)), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := keda.Spec{
		Polling: 10 * time.Second, Cooldown: new(time.Minute), InitialCooldown: 5 * time.Second, Max: 20,
		Fallback: &keda.Fallback{FailureThreshold: 3, Replicas: 4, Behavior: keda.CurrentReplicas},
		Behavior: &hpa.Behavior{ScaleDown: &hpa.Rules{Window: new(time.Duration(0))}},
		Triggers: []keda.Trigger{
			{Metric: hpa.Metric{Source: hpa.External, Target: hpa.Target{Type: hpa.Value, Value: 700}}, Activation: 0.1},
			{Metric: hpa.Metric{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 5000}}},
		},
	}
	if diff := cmp.Diff(want, m.keda); diff != "" {
		t.Errorf("object (−want +got):\n%s", diff)
	}
	if !m.metrics[0].nullFails || m.metrics[1].nullFails || m.Min != 0 || m.Max != 20 {
		t.Errorf("read %+v", m)
	}
}

// Each case changes one text of a sound manifest; the error begins as it says.
func TestFaults(t *testing.T) {
	const external = "  - type: External\n    external:\n      metric: {name: \"vllm:num_requests_waiting\"}\n      target: {type: AverageValue, averageValue: \"5\"}\n"
	for name, tc := range map[string]struct {
		kind         Kind
		old, new     string
		path, detail string
	}{
		"a beta version":                            {HorizontalPodAutoscaler, "autoscaling/v2", "autoscaling/v2beta2", "m.apiVersion", "must be autoscaling/v2; convert"},
		"another version of KEDA":                   {ScaledObject, "keda.sh/v1alpha1", "keda.k8s.io/v1alpha1", "m.apiVersion", "must be keda.sh/v1alpha1"},
		"another kind":                              {HorizontalPodAutoscaler, "kind: HorizontalPodAutoscaler", "kind: ScaledObject", "m", `has no HorizontalPodAutoscaler; it has "ScaledObject"`},
		"several of the kind":                       {HorizontalPodAutoscaler, "apiVersion", "kind: HorizontalPodAutoscaler\n---\napiVersion", "m", "has 2 objects"},
		"no YAML":                                   {HorizontalPodAutoscaler, "spec:", "spec: [", "m", "document 1 is no YAML"},
		"a key that occurs twice":                   {HorizontalPodAutoscaler, "  maxReplicas: 20", "  maxReplicas: 20\n  maxReplicas: 30", "m", "document 1 is no YAML"},
		"an unknown field":                          {HorizontalPodAutoscaler, "maxReplicas: 20", "maxReplicas: 20\n  maxReplica: 20", "m.spec.maxReplica", `no such field; near to it are "maxReplicas"`},
		"a field deep below":                        {HorizontalPodAutoscaler, `averageValue: "5"`, `averageValue: "5", window: 1m`, "m.spec.metrics[0].external.target.window", "no such field"},
		"min above max":                             {HorizontalPodAutoscaler, "minReplicas: 2", "minReplicas: 30", "m.spec.minReplicas", "must be at most maxReplicas, 20"},
		"scale to zero":                             {HorizontalPodAutoscaler, "minReplicas: 2", "minReplicas: 0", "m.spec.minReplicas", "must be between 1 and 16384"},
		"no maximum":                                {HorizontalPodAutoscaler, "  maxReplicas: 20\n", "", "m.spec.maxReplicas", "must be a whole number"},
		"a maximum in quotes":                       {HorizontalPodAutoscaler, "maxReplicas: 20", `maxReplicas: "20"`, "m.spec.maxReplicas", "must be a whole number"},
		"the CPU":                                   {HorizontalPodAutoscaler, external, "  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}\n", "m.spec.metrics[0].type", "Resource: The simulator does not model CPU and memory: use a metric of the engine or of the gateway, such as vllm:num_requests_waiting, as type Pods or External"},
		"the memory of a container":                 {HorizontalPodAutoscaler, external, "  - {type: ContainerResource, containerResource: {name: memory, container: vllm, target: {type: AverageValue, averageValue: 2Gi}}}\n", "m.spec.metrics[0].type", "ContainerResource: The simulator"},
		"the CPU with the target of others":         {HorizontalPodAutoscaler, external, "  - {type: Resource, resource: {name: cpu, target: {type: Value, value: 1}}}\n", "m.spec.metrics[0].resource.target", "a target of CPU or memory has"},
		"the CPU with two targets":                  {HorizontalPodAutoscaler, external, "  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80, averageValue: 1}}}\n", "m.spec.metrics[0].resource.target.averageValue", "a target has either"},
		"the CPU of no container":                   {HorizontalPodAutoscaler, external, "  - {type: ContainerResource, containerResource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}\n", "m.spec.metrics[0].containerResource.container", "must be the name"},
		"the CPU without its fields":                {HorizontalPodAutoscaler, external, "  - {type: Resource}\n", "m.spec.metrics[0].resource", "the metric is of type Resource"},
		"an empty list of metrics":                  {HorizontalPodAutoscaler, "  metrics:\n" + external, "  metrics: []\n", "m.spec.metrics", "without metrics the controller asks for the CPU"},
		"the first version":                         {HorizontalPodAutoscaler, "autoscaling/v2", "autoscaling/v1", "m.apiVersion", "it asks for the CPU alone"},
		"a field of a trigger in the spec":          {ScaledObject, "  triggers:\n", "  metricType: Value\n  triggers:\n", "m.spec.metricType", "no such field here; it belongs to spec.advanced.scalingModifiers or spec.triggers[]"},
		"metadata of a trigger beside them":         {ScaledObject, "- type: prometheus\n", "- type: prometheus\n    threshold: \"5\"\n", "m.spec.triggers[0].threshold", "no such field here; it belongs to spec.triggers[].metadata"},
		"a trigger of the CPU without its type":     {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: cpu, metadata: {value: \"70\"}}\n", "m.spec.triggers[0].metricType", "must be one of"},
		"a trigger of the CPU of type Value":        {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: cpu, metricType: Value, metadata: {value: \"70\"}}\n", "m.spec.triggers[0].metricType", ""},
		"a trigger of the CPU without its value":    {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: memory, metricType: Utilization, metadata: {}}\n", "m.spec.triggers[0].metadata.value", "must be a string"},
		"a share of the CPU that is no number":      {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: cpu, metricType: Utilization, metadata: {value: 70m}}\n", "m.spec.triggers[0].metadata.value", "must be a whole number"},
		"a memory that is no quantity":              {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: memory, metricType: AverageValue, metadata: {value: much}}\n", "m.spec.triggers[0].metadata.value", "must be a quantity"},
		"no metrics":                                {HorizontalPodAutoscaler, "  metrics:\n" + external, "", "m.spec.metrics", "without metrics the controller asks for the CPU"},
		"a type without its fields":                 {HorizontalPodAutoscaler, "type: External", "type: Pods", "m.spec.metrics[0].pods", "the metric is of type Pods"},
		"a target without its value":                {HorizontalPodAutoscaler, "type: AverageValue", "type: Value", "m.spec.metrics[0].external.target.value", "the target is of type Value"},
		"a value beside that of the type":           {HorizontalPodAutoscaler, "type: AverageValue", "type: Value, value: 3", "m.spec.metrics[0].external.target.averageValue", "the target is of type Value"},
		"a target of 0":                             {HorizontalPodAutoscaler, `averageValue: "5"`, "averageValue: 0", "m.spec.metrics[0].external.target.averageValue", "must be positive"},
		"a target that is no quantity":              {HorizontalPodAutoscaler, `averageValue: "5"`, "averageValue: five", "m.spec.metrics[0].external.target.averageValue", "must be a quantity"},
		"a window that is too long":                 {HorizontalPodAutoscaler, "  metrics:", "  behavior: {scaleUp: {stabilizationWindowSeconds: 3601}}\n  metrics:", "m.spec.behavior.scaleUp.stabilizationWindowSeconds", "must be between 0 and 3600"},
		"an unknown policy":                         {HorizontalPodAutoscaler, "  metrics:", "  behavior: {scaleUp: {selectPolicy: Most}}\n  metrics:", "m.spec.behavior.scaleUp.selectPolicy", `supported values: "Max"`},
		"no policies":                               {HorizontalPodAutoscaler, "  metrics:", "  behavior: {scaleUp: {policies: []}}\n  metrics:", "m.spec.behavior.scaleUp.policies", "must have between 1 and 32"},
		"KEDA's min above max":                      {ScaledObject, "minReplicaCount: 0", "minReplicaCount: 30", "m.spec.minReplicaCount", "must be at most maxReplicaCount, 20"},
		"idle replicas above the minimum":           {ScaledObject, "minReplicaCount: 0", "minReplicaCount: 1\n  idleReplicaCount: 1", "m.spec.idleReplicaCount", "must be less than minReplicaCount"},
		"the CPU as a trigger":                      {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: cpu, metricType: Utilization, metadata: {value: \"70\"}}\n", "m.spec.triggers[0].type", "only triggers of type prometheus and cron are simulated. The simulator does not model CPU and memory: use a metric of the engine or of the gateway, such as vllm:num_requests_waiting, in the query of a trigger of type prometheus"},
		"a trigger that KEDA does not have":         {ScaledObject, "type: prometheus", "type: prometeus", "m.spec.triggers[0].type", "KEDA has no trigger of this type; similar: prometheus"},
		"a trigger of another system":               {ScaledObject, "type: prometheus", "type: kafka", "m.spec.triggers[0].type", "only triggers of type prometheus and cron are simulated"},
		"a cron trigger without its fields":         {ScaledObject, "type: prometheus", "type: cron", "m.spec.triggers[0].metadata.desiredReplicas", "must be a string"},
		"a threshold without quotes":                {ScaledObject, `threshold: "5"`, "threshold: 5", "m.spec.triggers[0].metadata.threshold", "must be a string"},
		"a threshold that is no number":             {ScaledObject, `threshold: "5"`, `threshold: "many"`, "m.spec.triggers[0].metadata.threshold", "must be a number"},
		"a threshold of 0":                          {ScaledObject, `threshold: "5"`, `threshold: "0"`, "m.spec.triggers[0].metadata.threshold", "must be at least 0.001"},
		"a formula without a target":                {ScaledObject, "  triggers:", "  advanced: {scalingModifiers: {formula: a + b}}\n  triggers:", "m.spec.advanced.scalingModifiers.target", "must be a string"},
		"a formula about a trigger without a name":  {ScaledObject, "  triggers:", "  advanced: {scalingModifiers: {formula: a + 1, target: \"5\"}}\n  triggers:", "m.spec.triggers[0].name", "state what the formula calls the trigger"},
		"a formula about no trigger":                {ScaledObject, "  triggers:", "  advanced: {scalingModifiers: {formula: a + 1, target: \"5\"}}\n  triggers:", "m.spec.advanced.scalingModifiers.formula", "unknown name a"},
		"a formula with the target 0":               {ScaledObject, "  triggers:", "  advanced: {scalingModifiers: {formula: \"1\", target: \"0\"}}\n  triggers:", "m.spec.advanced.scalingModifiers.target", "must be at least 0.001"},
		"an activation that is no number":           {ScaledObject, "  triggers:", "  advanced: {scalingModifiers: {formula: \"1\", target: \"5\", activationTarget: some}}\n  triggers:", "m.spec.advanced.scalingModifiers.activationTarget", "must be a number"},
		"a fallback by a formula that is not there": {ScaledObject, "  triggers:", "  fallback: {failureThreshold: 3, replicas: 2, behavior: scalingModifiers}\n  triggers:", "m.spec.fallback.behavior", "needs advanced.scalingModifiers.formula"},
		"triggers of one name":                      {ScaledObject, "  triggers:\n", "  triggers:\n  - {type: prometheus, name: a, metadata: {query: a, threshold: \"1\"}}\n  - {type: prometheus, name: a, metadata: {query: a, threshold: \"1\"}}\n", "m.spec.triggers[1].name", ""},
		"cached metrics":                            {ScaledObject, "- type: prometheus", "- type: prometheus\n    useCachedMetrics: true", "m.spec.triggers[0].useCachedMetrics", "Cached metrics are not simulated"},
		"an annotation that is not known":           {ScaledObject, "metadata: {name: llama}", `metadata: {annotations: {autoscaling.keda.sh/pause: "true"}}`, "m.metadata.annotations[autoscaling.keda.sh/pause]", "is not simulated; after autoscaling.keda.sh/ there may be \"paused\""},
		"an annotation without quotes":              {ScaledObject, "metadata: {name: llama}", `metadata: {annotations: {autoscaling.keda.sh/paused: true}}`, "m.metadata.annotations[autoscaling.keda.sh/paused]", "must be a string"},
		"a pause at no count":                       {ScaledObject, "metadata: {name: llama}", `metadata: {annotations: {autoscaling.keda.sh/paused-replicas: ""}}`, "m.metadata.annotations[autoscaling.keda.sh/paused-replicas]", "must be a whole number"},
		"a fallback without its replica count":      {ScaledObject, "  triggers:", "  fallback: {failureThreshold: 3}\n  triggers:", "m.spec.fallback.replicas", "must be a whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sound(tc.kind), tc.old, tc.new, 1)
			if text == sound(tc.kind) {
				t.Fatal("the case changes nothing")
			}
			_, errs := Read(tc.kind, []byte(text), field.NewPath("m"))
			for _, e := range errs {
				if e.Field == tc.path && strings.Contains(e.Detail, tc.detail) {
					return
				}
			}
			t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.detail)
		})
	}
}

// A cluster takes these objects. Inspect reads what a simulation can have, with the places of the entries in the
// object; Read refuses them.
func TestPartsThatAreNotSimulated(t *testing.T) {
	for name, tc := range map[string]struct {
		kind     Kind
		old, new string
		path     string
		metrics  []string // paths of the targets that are left
	}{
		"a trigger on the CPU": {
			ScaledObject, "  triggers:\n", "  triggers:\n  - {type: cpu, metricType: Utilization, metadata: {value: \"70\"}}\n",
			"spec.triggers[0].type", []string{"spec.triggers[1].metadata.threshold"},
		},
		"cached metrics": {
			ScaledObject, "- type: prometheus\n", "- type: prometheus\n    useCachedMetrics: true\n",
			"spec.triggers[0].useCachedMetrics", []string{"spec.triggers[0].metadata.threshold"},
		},
		"an annotation": {
			ScaledObject, "metadata: {name: llama}", "metadata: {name: llama, annotations: {autoscaling.keda.sh/other: x}}",
			"metadata.annotations[autoscaling.keda.sh/other]", []string{"spec.triggers[0].metadata.threshold"},
		},
		"a metric of the CPU": {
			HorizontalPodAutoscaler, "  metrics:\n", "  metrics:\n  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}\n",
			"spec.metrics[0].type", []string{"spec.metrics[1].external.target"},
		},
		"an object without metrics, which asks for the CPU": {
			HorizontalPodAutoscaler, soundHPA[strings.Index(soundHPA, "  metrics:"):], "  metrics: []\n", "spec.metrics", nil,
		},
		"more replicas than a pool can have": {
			HorizontalPodAutoscaler, "maxReplicas: 20", "maxReplicas: 20000", "spec.maxReplicas", []string{"spec.metrics[0].external.target"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sound(tc.kind), tc.old, tc.new, 1)
			m, errs := Inspect(tc.kind, []byte(text), nil)
			if text == sound(tc.kind) || len(errs) > 0 {
				t.Fatal(errs)
			}
			if len(m.NotSimulated) != 1 || m.NotSimulated[0].Field != tc.path {
				t.Errorf("not simulated: %v, want %s", m.NotSimulated, tc.path)
			}
			var left []string
			for _, x := range m.Metrics() {
				left = append(left, x.Path.String())
			}
			if diff := cmp.Diff(tc.metrics, left); diff != "" {
				t.Errorf("targets that are left, −want +got:\n%s", diff)
			}
			if _, errs := Read(tc.kind, []byte(text), nil); len(errs) != 1 || errs[0].Field != tc.path {
				t.Errorf("Read: %v", errs)
			}
		})
	}
}

// KEDA's webhook refuses an object that goes to zero by the CPU and the memory alone, and the value that stands
// in for such triggers (verifyCPUMemoryScalers and CheckFallbackValid of v2.21).
func TestTriggersOfResourcesAlone(t *testing.T) {
	const cpu = "- {type: cpu, metricType: Utilization, metadata: {value: \"70\"}}"
	for name, tc := range map[string]struct {
		spec  string
		paths []string
	}{
		"a minimum of 0":           {"minReplicaCount: 0, triggers: [" + cpu[2:] + "]", []string{"spec.minReplicaCount"}},
		"no minimum, which is 0":   {"triggers: [" + cpu[2:] + "]", []string{"spec.minReplicaCount"}},
		"a fallback":               {"minReplicaCount: 1, fallback: {failureThreshold: 3, replicas: 2}, triggers: [" + cpu[2:] + "]", []string{"spec.fallback"}},
		"a minimum of 1":           {"minReplicaCount: 1, triggers: [" + cpu[2:] + "]", nil},
		"beside another trigger":   {"minReplicaCount: 0, triggers: [" + cpu[2:] + ", {type: kafka, metadata: {topic: t}}]", nil},
		"two, and a minimum of 0":  {"minReplicaCount: 0, triggers: [" + cpu[2:] + ", {type: memory, metricType: AverageValue, metadata: {value: 2Gi}}]", []string{"spec.minReplicaCount"}},
		"an older way to say that": {"minReplicaCount: 1, triggers: [{type: cpu, metadata: {type: Utilization, value: \"70\"}}]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec: {scaleTargetRef: {name: llama}, " + tc.spec + "}\n"
			_, errs := Inspect(ScaledObject, []byte(text), nil)
			var paths []string
			for _, err := range errs {
				paths = append(paths, err.Field)
			}
			if diff := cmp.Diff(tc.paths, paths); diff != "" {
				t.Errorf("%v: paths, −want +got:\n%s", errs, diff)
			}
		})
	}
}

// KEDA reads the metadata that a trigger knows and no others.
func TestMetadataThatKEDAIgnores(t *testing.T) {
	text := strings.Replace(soundScaledObject, `threshold: "5"`, `threshold: "5", metricType: Value, activationTreshold: "1", timezone: UTC`, 1)
	m, errs := Read(ScaledObject, []byte(text), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := []string{
		"spec.triggers[0].metadata.activationTreshold: KEDA ignores it: a trigger of type prometheus has no such metadata; similar: activationThreshold",
		"spec.triggers[0].metadata.metricType: KEDA ignores it here: metricType is a field of the trigger, like type and metadata",
		"spec.triggers[0].metadata.timezone: KEDA ignores it in a trigger of type prometheus; it goes with type cron",
	}
	var got []string
	for _, u := range m.Unread {
		got = append(got, u.Path.String()+": "+u.Reason)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unread, −want +got:\n%s", diff)
	}
	if of := m.Metrics()[0].Target.Target.Type; of != hpa.AverageValue {
		t.Errorf("the target is of type %s", of)
	}
}

func TestFaultsComeTogether(t *testing.T) {
	const cpu = "kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nspec:\n  scaleTargetRef: {kind: Deployment, name: llama}\n  minReplicas: 8\n  maxReplicas: 4\n" +
		"  metrics:\n  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}\n"
	_, errs := Read(HorizontalPodAutoscaler, []byte(cpu), nil)
	var paths []string
	for _, err := range errs {
		paths = append(paths, err.Field)
	}
	if diff := cmp.Diff([]string{"spec.minReplicas", "spec.metrics[0].type"}, paths); diff != "" {
		t.Errorf("paths of the errors (−want +got):\n%s", diff)
	}
}

func TestAnnotationsOfKEDA(t *testing.T) {
	for name, tc := range map[string]struct {
		text     string
		want     keda.Annotations
		min, max int
	}{
		"none":                              {"{any: thing}", keda.Annotations{}, 0, 20},
		"a pause":                           {`{autoscaling.keda.sh/paused: "true"}`, keda.Annotations{Paused: true}, 0, 20},
		"what is no truth value is true":    {`{autoscaling.keda.sh/paused: "later"}`, keda.Annotations{Paused: true}, 0, 20},
		"a pause that is over":              {`{autoscaling.keda.sh/paused: "false"}`, keda.Annotations{}, 0, 20},
		"a count pauses beside one that is": {`{autoscaling.keda.sh/paused: "false", autoscaling.keda.sh/paused-replicas: "30"}`, keda.Annotations{Paused: true, Replicas: new(int32(30))}, 0, 30},
		"directions and force":              {`{autoscaling.keda.sh/paused-scale-in: "true", autoscaling.keda.sh/paused-scale-out: "0", autoscaling.keda.sh/force-activation: "t"}`, keda.Annotations{PausedIn: true, Forced: true}, 0, 20},
	} {
		t.Run(name, func(t *testing.T) {
			m, errs := Read(ScaledObject, []byte(strings.Replace(soundScaledObject, "{name: llama}", "{name: llama, annotations: "+tc.text+"}", 1)), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, m.keda.Annotations); diff != "" || m.Min != tc.min || m.Max != tc.max {
				t.Errorf("%d to %d replicas, annotations (−want +got):\n%s", m.Min, m.Max, diff)
			}
			again, errs := Read(ScaledObject, []byte(m.Canonical()), nil)
			if len(errs) > 0 || !cmp.Equal(again.keda, m.keda) {
				t.Errorf("the canonical text reads as another one: %v", errs)
			}
		})
	}
}

const cronScaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
spec:
  scaleTargetRef: {name: llama}
  minReplicaCount: 1
  maxReplicaCount: 20
  pollingInterval: 15
  advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleDown: {stabilizationWindowSeconds: 0}}}}
  triggers:
  - type: cron
    metadata: {timezone: UTC, start: "0 8 * * 1-5", end: "1 8 * * 1-5", desiredReplicas: "3"}
`

func TestFaultsOfCronTriggers(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, path, detail string }{
		"no expression":                      {"0 8 * * 1-5", "8 o'clock", "start", "must be minute, hour, day"},
		"seconds":                            {"0 8 * * 1-5", "0 0 8 * * 1-5", "start", "must be minute, hour, day"},
		"a name for an expression":           {"0 8 * * 1-5", "@daily", "start", "must be minute, hour, day"},
		"a time zone in an expression":       {"0 8 * * 1-5", "TZ=UTC", "start", "must not name a time zone"},
		"an end that is the start":           {"1 8 * * 1-5", "0 8 * * 1-5", "end", "must be another time than start"},
		"replicas that are no number":        {`"3"`, `"three"`, "desiredReplicas", "must be a whole number"},
		"no replicas":                        {`"3"`, `"0"`, "desiredReplicas", "must be a whole number of at least 1"},
		"a time zone that does not exist":    {"UTC", "Europe/Nowhere", "timezone", "must be UTC or a name in the time zone database"},
		"the time zone of whichever machine": {"UTC", "Local", "timezone", "must be UTC or a name in the time zone database"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Read(ScaledObject, []byte(strings.Replace(cronScaledObject, tc.old, tc.new, 1)), nil)
			if len(errs) != 1 || errs[0].Field != "spec.triggers[0].metadata."+tc.path || !strings.HasPrefix(errs[0].Detail, tc.detail) {
				t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.detail)
			}
		})
	}
}

// Without the time at which the run starts, no trigger by the time has a value.
func TestCronTriggersNeedTheStartOfTheRun(t *testing.T) {
	m, errs := Read(ScaledObject, []byte(cronScaledObject), nil)
	if len(errs) > 0 || !m.IsTimed() {
		t.Fatal(errs)
	}
	if _, errs = m.Load(Adapter{Sync: scrape, Targets: llama}, field.NewPath("m"), nil); len(errs) != 1 || errs[0].Field != "m.spec.triggers[0].type" {
		t.Errorf("errors %v", errs)
	}
}

// Each case adds a selector to the metric of a sound manifest.
func TestSelectors(t *testing.T) {
	const at = "m.spec.metrics[0].external.metric.selector"
	for name, tc := range map[string]struct{ selector, query, path, detail, note string }{
		"a label that the series have":      {selector: "{matchLabels: {pool: llama}}"},
		"nothing":                           {selector: "{}"},
		"some of the replicas":              {selector: `{matchExpressions: [{key: pod, operator: In, values: [llama/0, llama/1]}]}`},
		"others than some":                  {selector: `{matchExpressions: [{key: pod, operator: NotIn, values: [llama/0]}, {key: pool, operator: Exists}]}`},
		"a label within a query":            {selector: "{matchLabels: {model_name: llama}}", query: "sum(vllm:num_requests_waiting)"},
		"a label of the cluster":            {selector: "{matchLabels: {namespace: prod}}", note: "m.spec.metrics[0].external.metric.name: the selector namespace=prod has no effect: vllm:num_requests_waiting has no such label here"},
		"the lack of a label of a cluster":  {selector: "{matchExpressions: [{key: namespace, operator: DoesNotExist}]}", path: at, detail: "vllm:num_requests_waiting has no label namespace; it has pod, pool, deployment, model_name"},
		"a label that is not there":         {selector: "{matchLabels: {modelname: llama}}", path: at, detail: "vllm:num_requests_waiting has no label modelname; it has pod, pool, deployment, model_name"},
		"a label that a query cannot find":  {selector: "{matchLabels: {name: llama}}", query: "vllm:num_requests_waiting + vllm:num_requests_running", path: at, detail: "vllm:num_requests_waiting has no label name; it has pod"},
		"a value that no series has":        {selector: "{matchLabels: {pool: mixtral}}", path: at, detail: "no target matches pool=mixtral; pool is one of: llama"},
		"the lack of a label that is there": {selector: "{matchExpressions: [{key: pool, operator: DoesNotExist}]}", path: at, detail: "no target matches !pool; pool is one of: llama"},
		"the name of the metric":            {selector: "{matchLabels: {__name__: x}}", path: at, detail: "vllm:num_requests_waiting has no label __name__"},
		"an operator that there is not":     {selector: "{matchExpressions: [{key: pool, operator: Equals, values: [llama]}]}", path: at + ".matchExpressions[0].operator", detail: "supported values"},
		"an operator without values":        {selector: "{matchExpressions: [{key: pool, operator: In}]}", path: at + ".matchExpressions[0].values", detail: "the operator is In"},
		"values of no list":                 {selector: "{matchExpressions: [{key: pool, operator: In, values: llama}]}", path: at + ".matchExpressions[0].values", detail: "must be a list"},
		"a value without quotes":            {selector: "{matchLabels: {pool: 7}}", path: at + ".matchLabels[pool]", detail: "must be a string"},
		"labels of no object":               {selector: "{matchLabels: [pool]}", path: at + ".matchLabels", detail: "must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(soundHPA, `"vllm:num_requests_waiting"}`, `"vllm:num_requests_waiting", selector: `+tc.selector+"}", 1)
			m, errs := Read(HorizontalPodAutoscaler, []byte(text), field.NewPath("m"))
			var notes []string
			if len(errs) == 0 {
				queries := map[string]string{}
				if tc.query != "" {
					queries["vllm:num_requests_waiting"] = tc.query
				}
				var config *Config
				if config, errs = m.Load(Adapter{Queries: queries, Sync: scrape, Targets: llama}, field.NewPath("m"), field.NewPath("q")); config != nil {
					notes = config.Notes
				}
			}
			if tc.path == "" {
				if len(errs) > 0 || strings.Join(notes, "; ") != tc.note {
					t.Errorf("errors %v, notes %q, want %q", errs, notes, tc.note)
				}
				return
			}
			if len(errs) == 0 || errs[0].Field != tc.path || !strings.Contains(errs[0].Detail, tc.detail) {
				t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.detail)
			}
		})
	}
}

func TestQueriesOfMetrics(t *testing.T) {
	for name, tc := range map[string]struct {
		kind    Kind
		metric  string
		queries map[string]string
		want    string
	}{
		"a metric that is simulated":        {HorizontalPodAutoscaler, "vllm:num_requests_running", nil, ""},
		"a metric of an adapter":            {HorizontalPodAutoscaler, "waiting", map[string]string{"waiting": "vllm:num_requests_waiting"}, ""},
		"a metric that is not simulated":    {HorizontalPodAutoscaler, "queue_length", nil, "m.spec.metrics[0].external.metric.name: Invalid value: \"queue_length\": there is no metric queue_length; state the query"},
		"a query that is not simulated":     {HorizontalPodAutoscaler, "waiting", map[string]string{"waiting": "queue_length"}, "q[waiting]: Invalid value: \"queue_length\""},
		"a query that no metric asks for":   {HorizontalPodAutoscaler, "vllm:num_requests_running", map[string]string{"x": "vllm:num_requests_waiting"}, "q[x]: Invalid value: \"vllm:num_requests_waiting\": has no effect: no metric of the HorizontalPodAutoscaler has this name; there are \"vllm:num_requests_running\""},
		"KEDA has queries of its own":       {ScaledObject, "", map[string]string{"inference_pool_average_queue_size": "vllm:num_requests_waiting"}, "q[inference_pool_average_queue_size]: Invalid value: \"vllm:num_requests_waiting\": has no effect: the triggers of a ScaledObject have queries of their own"},
		"a number is no answer to KEDA":     {ScaledObject, "scalar(vector(1))", nil, "m.spec.triggers[0].metadata.query: Invalid value: \"scalar(vector(1))\": is a number"},
		"a query of KEDA that is not known": {ScaledObject, "up", nil, "m.spec.triggers[0].metadata.query: Invalid value: \"up\""},
	} {
		t.Run(name, func(t *testing.T) {
			text := sound(tc.kind)
			if tc.metric != "" {
				text = strings.NewReplacer(`"vllm:num_requests_waiting"`, `"`+tc.metric+`"`, "inference_pool_average_queue_size", tc.metric).Replace(text)
			}
			m, errs := Read(tc.kind, []byte(text), field.NewPath("m"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			_, errs = m.Load(Adapter{Queries: tc.queries, Sync: scrape, Targets: llama}, field.NewPath("m"), field.NewPath("q"))
			got := ""
			if len(errs) > 0 {
				got = errs[0].Error()
			}
			if !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("error %q, want %q", got, tc.want)
			}
		})
	}
}
