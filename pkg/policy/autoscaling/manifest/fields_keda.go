// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"math"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/timezone"
)

// scaledObjectFields are those of keda.sh/v1alpha1.
var scaledObjectFields = slices.Concat(
	headFields(Exact, "The annotations "+annotationsOfKEDA+"paused, paused-replicas, paused-scale-in, paused-scale-out and force-activation count. Others that begin so are refused. Nothing else has an effect."),
	targetFields("spec.scaleTargetRef"),
	[]Field{
		{Path: "spec.scaleTargetRef.envSourceContainerName", form: text, Treatment: NoEffect},
		{Path: "spec.pollingInterval", form: whole, least: 1, most: 86400},
		{Path: "spec.cooldownPeriod", form: whole, most: math.MaxInt32},
		{Path: "spec.initialCooldownPeriod", form: whole, most: math.MaxInt32, Note: "The object is created at the start of the run. KEDA polls from the first scrape on."},
		{Path: "spec.idleReplicaCount", form: whole, most: mostReplicas - 1, simulated: true},
		{Path: "spec.minReplicaCount", form: whole, most: mostReplicas, simulated: true, Note: "The default is 0, for which the scenario needs an activator."},
		{Path: "spec.maxReplicaCount", form: whole, least: 1, most: mostReplicas, simulated: true, Note: "The default is 100."},
		{Path: "spec.fallback", form: object, Note: "A trigger fails where its query has no value and ignoreNullValues is false, or has several values."},
		{Path: "spec.fallback.failureThreshold", form: whole, needed: true, most: math.MaxInt32},
		{Path: "spec.fallback.replicas", form: whole, needed: true, most: math.MaxInt32},
		{Path: "spec.fallback.behavior", form: text, words: []string{"static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower", "scalingModifiers"}},
		{Path: "spec.advanced", form: object},
		{Path: "spec.advanced.restoreToOriginalReplicaCount", form: boolean, Treatment: NoEffect},
		{Path: "spec.advanced.horizontalPodAutoscalerConfig", form: object},
		{Path: "spec.advanced.horizontalPodAutoscalerConfig.name", form: text, Treatment: NoEffect},
	},
	behaviorFields("spec.advanced.horizontalPodAutoscalerConfig.behavior"),
	[]Field{
		{Path: "spec.advanced.scalingModifiers", form: object, Note: "Each trigger needs a name."},
		{Path: "spec.advanced.scalingModifiers.formula", form: text, needed: true, Note: "Numbers, and functions of numbers and of lists. Functions of texts, of maps and of the time, and the range .. are refused."},
		{Path: "spec.advanced.scalingModifiers.target", form: text, needed: true},
		{Path: "spec.advanced.scalingModifiers.activationTarget", form: text},
		{Path: "spec.advanced.scalingModifiers.metricType", form: text, words: []string{"AverageValue", "Value"}},
		{Path: "spec.triggers", form: list, needed: true, least: 1, most: 32},
		{Path: "spec.triggers[].type", form: text, needed: true, Note: "prometheus or cron. Any other type is refused."},
		{Path: "spec.triggers[].name", form: text, Note: "What a formula calls the trigger."},
		{Path: "spec.triggers[].useCachedMetrics", form: boolean, Treatment: Refused, Note: "Cached metrics are not simulated: each sync asks its triggers. Take the field away, or state false"},
		{Path: "spec.triggers[].metricType", form: text, words: []string{"AverageValue", "Value"}},
		{Path: "spec.triggers[].authenticationRef", form: anything, Treatment: NoEffect},
		{Path: "spec.triggers[].metadata", form: object, needed: true},
	},
	triggerFields("prometheus", []Field{
		{Path: "query", form: text, needed: true},
		{Path: "threshold", form: text, needed: true},
		{Path: "activationThreshold", form: text},
		{Path: "ignoreNullValues", form: text, words: []string{"true", "false"}},
		{Path: "serverAddress", form: text, Treatment: NoEffect},
		{Path: "metricName", form: text, Treatment: NoEffect},
		{Path: "namespace", form: text, Treatment: NoEffect},
		{Path: "customHeaders", form: text, Treatment: NoEffect},
		{Path: "queryParameters", form: text, Treatment: NoEffect},
		{Path: "authModes", form: text, Treatment: NoEffect},
		{Path: "unsafeSsl", form: text, Treatment: NoEffect},
		{Path: "timeout", form: text, Treatment: NoEffect},
	}),
	triggerFields("cron", []Field{
		{Path: "timezone", form: text, needed: true, Note: "UTC, or a name such as Europe/Berlin. Windtunnel has its own time zone database, version " + timezone.Version + "."},
		{Path: "start", form: text, needed: true, Note: "The run starts at horizon.startTime of the scenario. An expression that names a time zone of its own is refused."},
		{Path: "end", form: text, needed: true},
		{Path: "desiredReplicas", form: text, needed: true, Note: "A number of at least 1."},
	}),
	[]Field{
		{Path: "status", form: anything, Treatment: NoEffect},
	},
)

// triggerFields are the metadata of one type of trigger.
func triggerFields(kind string, fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.Path, f.of = "spec.triggers[].metadata."+f.Path, kind
		f.Note = strings.TrimSpace("Of a trigger of type " + kind + ". " + f.Note)
	}
	return fields
}
