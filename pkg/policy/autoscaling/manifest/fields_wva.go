// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"math"
	"slices"
)

// What becomes of entries and values that the controller reads in a way of its own.
const (
	otherEntries  = "The controller reads the entry default only, also for a model that another entry names. A warning lists the entries that have no effect."
	withoutValue  = "Required: for a field that is not there, the controller takes 0."
	otherAnalyser = "analyzerName saturation, the analyser by tokens, is not simulated: take the field away for the analyser by percentages"
)

// configMapFields are those of the ConfigMap of llm-d's workload-variant-autoscaler.
var configMapFields = slices.Concat(
	[]Field{
		{Path: "apiVersion", form: text, needed: true},
		{Path: "kind", form: text, needed: true},
		{Path: "metadata", form: anything, Treatment: NoEffect},
		{Path: "immutable", form: boolean, Treatment: NoEffect},
		{Path: "data", form: object, needed: true},
		{Path: "data.default", form: object, needed: true, Note: "The text of an entry is YAML with the fields below."},
	},
	entryFields("data.default."),
	[]Field{{Path: "data.*", form: anything, Treatment: NoEffect, Note: otherEntries}},
)

// entryFields are those of an entry.
func entryFields(at string) []Field {
	return []Field{
		{Path: at + "kvCacheThreshold", form: anyNumber, needed: true, most: 1, Note: withoutValue},
		{Path: at + "queueLengthThreshold", form: anyNumber, needed: true, most: math.MaxInt32, Note: withoutValue},
		{Path: at + "kvSpareTrigger", form: anyNumber, needed: true, most: 1, Note: withoutValue},
		{Path: at + "queueSpareTrigger", form: anyNumber, needed: true, most: math.MaxInt32, Note: withoutValue},
		{Path: at + "enableLimiter", form: boolean, Treatment: Refused, Note: "The limiter is not simulated: state false. maxNodes of a node pool bounds the replicas of a scenario"},
		{Path: at + "analyzerName", form: anything, Note: "With saturation, the controller has an analyser by tokens, which is refused."},
		{Path: at + "scaleUpThreshold", form: anyNumber, most: math.MaxInt32, Treatment: NoEffect, Note: "Only the analyser by tokens reads the field."},
		{Path: at + "scaleDownBoundary", form: anyNumber, most: math.MaxInt32, Treatment: NoEffect, Note: "Only the analyser by tokens reads the field."},
		{Path: at + "model_id", form: text, Treatment: NoEffect},
		{Path: at + "namespace", form: text, Treatment: NoEffect},
	}
}
