// SPDX-License-Identifier: Apache-2.0

package lint

// Rules that package epp finds: what a version refuses, then what it passes over.

const crashLoops = "The EPP does not start with this file: its pod crash-loops, and the gateway has no endpoint picker."

var newerThanKnown = Rule{
	ID: "newer-than-known", Severity: Error,
	Summary: "an apiVersion, type, field or parameter that no known version has, possibly of a newer EPP",
	Why:     "The newest known version is router-v0.11, from a downstream fork. The linter cannot say whether a newer EPP starts with this file. Of some names it knows the pull request: no release has what an open one adds.",
	Fix:     "Check the spelling. If it is correct, test the file with the EPP that you run.",
	Source:  "llm-d's guides",
}

var syntaxRule = Rule{
	ID: "syntax", Severity: Error,
	Summary: "a text that is not a YAML or JSON object",
	Why:     crashLoops,
	Fix:     "Correct the syntax. In a ConfigMap, check the indentation.",
	Source:  "the EPP's decoder",
}

var emptyDocument = Rule{
	ID: "empty-document", Severity: Warning,
	Summary: "a file whose first document is empty",
	Why:     "The EPP reads the first document of a file and no other one. It starts with its defaults, and the plugins and profiles further down have no effect.",
	Fix:     "Delete what stands above the configuration: a second line of dashes, or a document of comments.",
	Source:  "the EPP's decoder",

	AlsoFinds: []string{nothingScored.ID},
}

var apiVersionRule = Rule{
	ID: "api-version", Severity: Error,
	Summary: "an apiVersion or kind that the version does not know",
	Why:     crashLoops + " The scheduler of 2026-05 introduced llm-d.ai/v1alpha1; earlier versions have inference.networking.x-k8s.io/v1alpha1. router-v0.11 introduced llm-d.ai/v1.",
	Fix:     "Write the apiVersion of the EPP that you run.",
	Source:  "llm-d #1625",
}

var unknownField = Rule{
	ID: "unknown-field", Severity: Error,
	Summary: "a field of the document that the version does not have, or a repeated field",
	Why:     crashLoops + " Every version rejects unknown fields of the document.",
	Fix:     "Correct the spelling, or write the field as that version has it.",
	Source:  "the EPP's decoder",
}

var unknownGate = Rule{
	ID: "unknown-gate", Severity: Error,
	Summary: "a feature gate that the version does not know",
	Why:     crashLoops + " A version removes a gate when its feature is always on: dataLayer, prepareDataPlugins, enableLegacyMetrics.",
	Fix:     "Delete the gate.",
	Source:  "llm-d #1625",
}

var unknownType = Rule{
	ID: "unknown-type", Severity: Error,
	Summary: "a plugin type that the version does not have",
	Why:     crashLoops + " Versions rename and remove types, so a file that is valid for one version may be invalid for the next.",
	Fix:     "Use the type in the message, or a version that has this type.",
	Source:  "llm-d #1625",
}

var unknownParameter = Rule{
	ID: "unknown-parameter", Severity: Error,
	Summary: "a parameter that the plugin does not have in this version",
	Why:     crashLoops + " Versions before router-v0.9 ignore unknown parameters without a message; later versions reject them.",
	Fix:     "Correct the spelling, move the parameter to the plugin that has it now, or delete it.",
	Source:  "llm-d-router #1068, #1134",
}

var badValue = Rule{
	ID: "bad-value", Severity: Error,
	Summary: "a value of the wrong type, or a value that the plugin rejects",
	Why:     crashLoops,
	Fix:     "Set a value that the message allows. Write numbers without quotes.",
	Source:  "the EPP's plugins",
}

var brokenReference = Rule{
	ID: "broken-reference", Severity: Error,
	Summary: "a reference to a plugin that is not listed, a repeated name, or a missing name",
	Why:     crashLoops,
	Fix:     "List the plugin under that name, or correct the reference.",
	Source:  "kserve #5411",
}

var tokenLoadWithoutProducer = Rule{
	ID: "token-load-without-producer", Severity: Error,
	Summary: "token-load-scorer without inflight-load-producer in the list",
	Why:     crashLoops + " The EPP adds a producer for most data by default, but not for the uncached tokens that this scorer reads.",
	Fix:     "List inflight-load-producer.",
	Source:  "llm-d's guides",
}

var rejectedRule = Rule{
	ID: "refused", Severity: Error,
	Summary: "any other error of the version: two pickers in a profile, several profile handlers, data without a producer",
	Why:     crashLoops,
	Fix:     "See the message.",
	Source:  "the EPP's loader",
}

var alphaPlugin = Rule{
	ID: "alpha-plugin", Severity: Warning,
	Summary: "a plugin of stability Alpha",
	Why:     "Since router-v0.10 the EPP rejects the plugin unless the EPP has the flag --allow-experimental-plugins. The parameters of the plugin may change with any release.",
	Fix:     "Start the EPP with the flag, or delete the plugin.",
	Source:  "llm-d-router v0.10.0",
}

var deprecated = Rule{
	ID: "deprecated", Severity: Warning,
	Summary: "a type, field or parameter that has a successor",
	Why:     "This version still accepts it. llm-d plans to remove in v0.11 what router-v0.9 deprecated; the EPP then does not start.",
	Fix:     "Use the successor in the message.",
	Source:  "llm-d-router v0.9.0",
}

var ignoredParameter = Rule{
	ID: "ignored-parameter", Severity: Warning,
	Summary: "a parameter that this version ignores without a message",
	Why:     "The EPP starts, but the parameter has no effect. Versions from router-v0.9 on reject unknown parameters.",
	Fix:     "Correct the spelling, move the parameter to the plugin that has it, or delete it.",
	Source:  "llm-d-router #1068",
}

var replacedValue = Rule{
	ID: "replaced-value", Severity: Warning,
	Summary: "a value that the EPP replaces by another value",
	Why:     "The plugin rejects the value and uses another one.",
	Fix:     "Set the value that you intend.",
	Source:  "the EPP's plugins",
}

var loaderNotice = Rule{
	ID: "loader-notice", Severity: Info,
	Summary: "any other part of the file that the version accepts but does not follow",
	Why:     "The EPP starts, but this part of the file has no effect or a different effect.",
	Fix:     "See the message.",
	Source:  "the EPP's loader",
}
