// SPDX-License-Identifier: Apache-2.0

package manifest

import "math"

// What becomes of parts of a PodAutoscaler.
const (
	otherSources   = "of the sources of metrics, only pod is simulated"
	otherStrategy  = "of HPA, AIBrix makes a HorizontalPodAutoscaler: state that one"
	aibrixMetadata = "The annotations autoscaling.aibrix.ai/ count: max-scale-up-rate, max-scale-down-rate, scale-up-tolerance, scale-down-tolerance, panic-threshold, scale-up-cooldown-window and scale-down-cooldown-window. A warning lists those that AIBrix ignores."
)

// podAutoscalerFields are those of AIBrix's PodAutoscaler (commit e3e10f9e, api/autoscaling/v1alpha1).
var podAutoscalerFields = []Field{
	{Path: "apiVersion", form: text, needed: true},
	{Path: "kind", form: text, needed: true},
	{Path: "metadata", form: anything, Note: aibrixMetadata},
	{Path: "status", form: anything, Treatment: NoEffect},
	{Path: "spec", form: object, needed: true},
	{Path: "spec.scaleTargetRef", form: object, needed: true, Treatment: Approximated, Note: otherTarget},
	{Path: "spec.scaleTargetRef.apiVersion", form: text, Treatment: NoEffect},
	{Path: "spec.scaleTargetRef.kind", form: text, needed: true, Treatment: NoEffect},
	{Path: "spec.scaleTargetRef.name", form: text, needed: true, Treatment: Approximated, Note: otherTarget},
	{Path: "spec.scaleTargetRef.namespace", form: text, Treatment: NoEffect},
	{Path: "spec.subTargetSelector", form: object, Treatment: NoEffect},
	{Path: "spec.subTargetSelector.roleName", form: text, Treatment: NoEffect, Note: "The pool of the scaler stands for the role."},
	{Path: "spec.minReplicas", form: whole, most: mostReplicas, simulated: true},
	{Path: "spec.maxReplicas", form: whole, needed: true, least: 1, most: mostReplicas, simulated: true},
	{Path: "spec.schedules", form: anything, Treatment: Refused, Note: "Bounds by schedules are not simulated: state minReplicas and maxReplicas"},
	{Path: "spec.scalingStrategy", form: text, needed: true, words: []string{"HPA", "KPA", "APA"}, Note: "HPA is refused: AIBrix makes a HorizontalPodAutoscaler of it."},
	{Path: "spec.observeWindowSeconds", form: whole, least: 1, most: 3600, Note: "The default is 180."},
	{Path: "spec.panicWindowSeconds", form: whole, least: 1, most: 3600, Note: "The default is 60. It must not be above observeWindowSeconds."},
	{Path: "spec.metricsSources", form: list, needed: true, least: 1, most: math.MaxInt16, Note: "The largest proposal counts."},
	{Path: "spec.metricsSources[].metricSourceType", form: text, needed: true, words: []string{"pod", "resource", "custom", "external", "domain"}, Note: "pod is simulated, and the others are refused: CPU, adapters and AIBrix's GPU optimizer."},
	{Path: "spec.metricsSources[].protocolType", form: text, words: []string{"http", "https"}, Treatment: NoEffect},
	{Path: "spec.metricsSources[].endpoint", form: text, Treatment: NoEffect},
	{Path: "spec.metricsSources[].path", form: text, Treatment: NoEffect},
	{Path: "spec.metricsSources[].port", form: text, Treatment: NoEffect},
	{Path: "spec.metricsSources[].targetMetric", form: text, needed: true, Note: "A metric of vLLM, without vllm: before the name. The value is the mean over the pods; a pod that loads counts with 0, as AIBrix takes 0 for metrics that it cannot read."},
	{Path: "spec.metricsSources[].targetValue", form: text, needed: true},
}
