// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"math"
	"slices"
)

// What becomes of entries and values that the controller reads in a way of its own.
const (
	otherEntries = "The controller reads the entry default only, also for a model that another entry names. A warning lists the entries that have no effect."
	withoutValue = "Required by the analyser by percentages: for a field that is not there, the controller takes 0. The analyser by tokens has the default of the controller, also in place of 0: "
	byTokens     = "Only the analyser by tokens reads the field."
	analyserList = "An entry that is not empty, or analyzerName, selects the analyser by tokens."
)

// The entries of lists.
const (
	mostAnalysers = 16
	mostLimiters  = 16
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
		{Path: at + "kvCacheThreshold", form: anyNumber, needed: true, most: 1, Note: withoutValue + "0.80."},
		{Path: at + "queueLengthThreshold", form: anyNumber, needed: true, most: math.MaxInt32, Note: withoutValue + "5."},
		{Path: at + "kvSpareTrigger", form: anyNumber, needed: true, most: 1, Note: withoutValue + "0.10, which it only checks."},
		{Path: at + "queueSpareTrigger", form: anyNumber, needed: true, most: math.MaxInt32, Note: withoutValue + "3, which it only checks."},
		{Path: at + "analyzerName", form: anything, Note: "With saturation, the controller has the analyser by tokens. Without it and without analyzers, it has the analyser by percentages."},
		{Path: at + "scaleUpThreshold", form: anyNumber, most: 1, Note: byTokens + " The default is 0.85."},
		{Path: at + "scaleDownBoundary", form: anyNumber, most: 1, Note: byTokens + " The default is 0.70."},
		{Path: at + "priority", form: anyNumber, most: math.MaxInt32, Note: "Only the limiter reads it, and 0 is 1."},
		{Path: at + "analyzers", form: list, most: mostAnalysers, Note: analyserList},
		{Path: at + "analyzers[].type", form: text, Note: "The controller takes name where it is not stated. Types other than saturation are refused: their analysers are not simulated."},
		{Path: at + "analyzers[].name", form: text},
		{Path: at + "analyzers[].enabled", form: boolean, Note: "false is refused: no analyser is left."},
		{Path: at + "analyzers[].score", form: anyNumber, most: math.MaxInt32, Note: "Only the limiter reads it, and 0 is 1."},
		{Path: at + "analyzers[].scaleUpThreshold", form: anyNumber, most: 1},
		{Path: at + "analyzers[].scaleDownBoundary", form: anyNumber, most: 1},
		{Path: at + "analyzers[].parameters", form: object, Note: "The fields above, which have precedence. The controller ignores others."},
		{Path: at + "analyzers[].parameters.enabled", form: boolean},
		{Path: at + "analyzers[].parameters.score", form: anyNumber, most: math.MaxInt32},
		{Path: at + "analyzers[].parameters.scaleUpThreshold", form: anyNumber, most: 1},
		{Path: at + "analyzers[].parameters.scaleDownBoundary", form: anyNumber, most: 1},
		{Path: at + "enableLimiter", form: boolean, Note: "The analyser by tokens keeps to the accelerators of the node pool, or of limiters. true is refused for the analyser by percentages: maxNodes of a node pool bounds its replicas"},
		{Path: at + "limiters", form: list, most: mostLimiters, Note: byTokens + " It needs enableLimiter. Without a quota, the limiter is that of the accelerators in the cluster: here, of maxNodes of the node pool, also where fewer nodes exist."},
		{Path: at + "limiters[].type", form: text, words: []string{"gpu-inventory", "inventory", "quota"}, needed: true},
		{Path: at + "limiters[].name", form: text},
		{Path: at + "limiters[].scope", form: text, words: []string{"cluster", "namespace"}, Note: "namespace is refused: a scenario has no namespaces"},
		{Path: at + "limiters[].quotas", form: anything, Note: "Accelerators by name; -1 is no limit, and a name that is not there has none. H100, h100-sxm and NVIDIA-H100-80GB-HBM3 are one name."},
		{Path: at + "limiters[].namespaceQuotas", form: anything, Treatment: Refused, Note: "A scenario has no namespaces: state quotas with scope cluster"},
		{Path: at + "limiters[].exclude", form: anything, Treatment: Refused, Note: "A scenario has no namespaces: state quotas with scope cluster"},
		{Path: at + "enableRescale", form: boolean, Treatment: Refused, Note: "Rescaling between models is not simulated: state false"},
		{Path: at + "scaleToZero", form: object, Note: "Scaling to zero is not simulated"},
		{Path: at + "scaleToZero.enabled", form: boolean, Treatment: Refused, Note: "Scaling to zero is not simulated: state false"},
		{Path: at + "model_id", form: text, Treatment: NoEffect},
		{Path: at + "namespace", form: text, Treatment: NoEffect},
	}
}
