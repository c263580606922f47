// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"math"
	"slices"
)

// What notes of several fields say.
const (
	otherTarget = "The target stands for the pool of the scaler, whatever its name. A note says so where the names differ."
	noCPU       = "The simulator does not model CPU and memory: use a metric of the engine or of the gateway, such as vllm:num_requests_waiting"
	cpuInstead  = noCPU + ", as type Pods or External"
	cpuTrigger  = noCPU + ", in the query of a trigger of type prometheus"
	selected    = "The series of all metrics that the query reads are selected by their labels, as an adapter does with LabelMatchers. A label that only a cluster has, such as namespace, has no effect, and a note says so."
)

// hpaFields are those of autoscaling/v2.
var hpaFields = slices.Concat(
	headFields(NoEffect, ""),
	targetFields("spec.scaleTargetRef"),
	[]Field{
		{Path: "spec.minReplicas", form: whole, least: 1, most: mostReplicas, simulated: true, Note: "0 needs a feature gate that is off by default: use a ScaledObject to scale to zero."},
		{Path: "spec.maxReplicas", form: whole, least: 1, most: mostReplicas, simulated: true, needed: true},
		{Path: "spec.metrics", form: list, least: 1, most: 32, needed: true, Note: "Without metrics, the controller asks for the CPU, which is not simulated."},
		{Path: "spec.metrics[].type", form: text, needed: true, words: []string{"Pods", "Object", "External", "Resource", "ContainerResource"}},
		{Path: "spec.metrics[].resource", form: anything, Treatment: Refused, Note: cpuInstead},
		{Path: "spec.metrics[].containerResource", form: anything, Treatment: Refused, Note: cpuInstead},
		{Path: "spec.metrics[].pods", form: object, Note: "The value of each replica that was scraped. A replica that waits for its node is Pending; one that loads runs, is not ready and has no value."},
	},
	metricFields("spec.metrics[].pods", []string{"AverageValue"}),
	[]Field{
		{Path: "spec.metrics[].object", form: object, Note: "One value: the sum of all series of the answer."},
		{Path: "spec.metrics[].object.describedObject", form: object, Treatment: NoEffect, needed: true},
		{Path: "spec.metrics[].object.describedObject.apiVersion", form: text, Treatment: NoEffect},
		{Path: "spec.metrics[].object.describedObject.kind", form: text, Treatment: NoEffect, needed: true},
		{Path: "spec.metrics[].object.describedObject.name", form: text, Treatment: NoEffect, needed: true},
	},
	metricFields("spec.metrics[].object", []string{"Value", "AverageValue"}),
	[]Field{
		{Path: "spec.metrics[].external", form: object, Note: "A value for each series of the answer; the controller sums them."},
	},
	metricFields("spec.metrics[].external", []string{"Value", "AverageValue"}),
	behaviorFields("spec.behavior"),
	[]Field{{Path: "status", form: anything, Treatment: NoEffect}},
)

// headFields are those of any object.
func headFields(metadata Treatment, note string) []Field {
	return []Field{
		{Path: "apiVersion", form: text, needed: true},
		{Path: "kind", form: text, needed: true},
		{Path: "metadata", form: anything, Treatment: metadata, Note: note},
		{Path: "spec", form: object, needed: true},
	}
}

func targetFields(path string) []Field {
	return []Field{
		{Path: path, form: object, needed: true},
		{Path: path + ".apiVersion", form: text, Treatment: NoEffect},
		{Path: path + ".kind", form: text, Treatment: NoEffect},
		{Path: path + ".name", form: text, needed: true, Treatment: Approximated, Note: otherTarget},
	}
}

// metricFields are those of a metric with its target.
func metricFields(path string, targets []string) []Field {
	fields := []Field{
		{Path: path + ".metric", form: object, needed: true},
		{Path: path + ".metric.name", form: text, needed: true, Note: "The name of a metric that is simulated, or one that metrics.queries of the scaler has."},
		{Path: path + ".metric.selector", form: object, Note: selected},
		{Path: path + ".metric.selector.matchLabels", form: anything},
		{Path: path + ".metric.selector.matchExpressions", form: list, most: 32},
		{Path: path + ".metric.selector.matchExpressions[].key", form: text, needed: true},
		{Path: path + ".metric.selector.matchExpressions[].operator", form: text, needed: true, words: []string{"In", "NotIn", "Exists", "DoesNotExist"}},
		{Path: path + ".metric.selector.matchExpressions[].values", form: anything},
		{Path: path + ".target", form: object, needed: true},
		{Path: path + ".target.type", form: text, needed: true, words: targets},
		{Path: path + ".target.averageValue", form: quantity},
	}
	if slices.Contains(targets, "Value") {
		fields = append(fields, Field{Path: path + ".target.value", form: quantity})
	}
	return fields
}

// behaviorFields are those of the rules of both directions.
func behaviorFields(path string) []Field {
	fields := []Field{{Path: path, form: object, Note: "Rules without it differ from an empty one, as in the controller."}}
	for _, direction := range []string{".scaleUp", ".scaleDown"} {
		at := path + direction
		fields = append(fields,
			Field{Path: at, form: object},
			Field{Path: at + ".stabilizationWindowSeconds", form: whole, most: 3600},
			Field{Path: at + ".selectPolicy", form: text, words: []string{"Max", "Min", "Disabled"}},
			Field{Path: at + ".policies", form: list, least: 1, most: 32},
			Field{Path: at + ".policies[].type", form: text, needed: true, words: []string{"Pods", "Percent"}},
			Field{Path: at + ".policies[].value", form: whole, needed: true, least: 1, most: math.MaxInt32},
			Field{Path: at + ".policies[].periodSeconds", form: whole, needed: true, least: 1, most: 1800},
			Field{Path: at + ".tolerance", form: quantity, Note: "0 is allowed."},
		)
	}
	return fields
}
