// SPDX-License-Identifier: Apache-2.0

package lint

// Rules that package epp finds: what a version refuses, then what it passes over.

const crashLoops = "The EPP does not start with this file: its pod crash-loops, and the gateway has nobody to ask."

var newerThanKnown = Rule{
	ID: "newer-than-known", Severity: Error,
	Summary: "an apiVersion, type, field or parameter that may be of a newer EPP than this tool knows",
	Why:     "The newest version here is router-v0.11, as a downstream fork has it. Whether a newer EPP starts with this file cannot be said.",
	Fix:     "Look at the spelling. If it is right, ask the EPP that you run.",
	Source:  "llm-d's guides",
}

var syntaxRule = Rule{
	ID: "syntax", Severity: Error,
	Summary: "a text that is no YAML or JSON object",
	Why:     crashLoops,
	Fix:     "Mend the syntax; mind the indentation within a ConfigMap.",
	Source:  "the EPP's decoder",
}

var apiVersionRule = Rule{
	ID: "api-version", Severity: Error,
	Summary: "an apiVersion or kind that the version does not know",
	Why:     crashLoops + " llm-d.ai/v1alpha1 came with the scheduler of 2026-05; up to then it was inference.networking.x-k8s.io/v1alpha1. llm-d.ai/v1 came with router-v0.11.",
	Fix:     "Write the apiVersion of the EPP that you run.",
	Source:  "llm-d #1625",
}

var unknownField = Rule{
	ID: "unknown-field", Severity: Error,
	Summary: "a field of the document that the version does not have, or that stands there twice",
	Why:     crashLoops + " Every version reads the document itself strictly.",
	Fix:     "Correct the spelling, or write the field as that version has it.",
	Source:  "the EPP's decoder",
}

var unknownGate = Rule{
	ID: "unknown-gate", Severity: Error,
	Summary: "a feature gate that the version does not know",
	Why:     crashLoops + " Gates are dropped once what they stood for is always on: dataLayer, prepareDataPlugins, enableLegacyMetrics.",
	Fix:     "Drop the gate.",
	Source:  "llm-d #1625",
}

var unknownType = Rule{
	ID: "unknown-type", Severity: Error,
	Summary: "a type of plugin that the version does not register",
	Why:     crashLoops + " Types are renamed and dropped between versions; a file that was right for one is not for the next.",
	Fix:     "Use the type that the message names, or a version that has this one.",
	Source:  "llm-d #1625",
}

var unknownParameter = Rule{
	ID: "unknown-parameter", Severity: Error,
	Summary: "a parameter that the plugin does not have in this version",
	Why:     crashLoops + " Versions before router-v0.9 passed over unknown parameters in silence; later ones refuse them.",
	Fix:     "Correct the spelling, move the parameter to the plugin that has it now, or drop it.",
	Source:  "llm-d-router #1068, #1134",
}

var badValue = Rule{
	ID: "bad-value", Severity: Error,
	Summary: "a value of the wrong type, or one that the plugin does not take",
	Why:     crashLoops,
	Fix:     "Write a value that the message allows; numbers without quotes.",
	Source:  "the EPP's plugins",
}

var brokenReference = Rule{
	ID: "broken-reference", Severity: Error,
	Summary: "a reference to a plugin that is not listed, a name twice, a name missing",
	Why:     crashLoops,
	Fix:     "List the plugin under that name, or correct the reference.",
	Source:  "kserve #5411",
}

var tokenLoadWithoutProducer = Rule{
	ID: "token-load-without-producer", Severity: Error,
	Summary: "token-load-scorer without inflight-load-producer in the list",
	Why:     crashLoops + " Most data get a producer by default; the uncached tokens that this scorer reads do not.",
	Fix:     "List inflight-load-producer.",
	Source:  "llm-d's guides",
}

var refused = Rule{
	ID: "refused", Severity: Error,
	Summary: "anything else that the version refuses: two pickers in a profile, several profile handlers, data that nobody produces",
	Why:     crashLoops,
	Fix:     "See the message.",
	Source:  "the EPP's loader",
}

var alphaPlugin = Rule{
	ID: "alpha-plugin", Severity: Warning,
	Summary: "a plugin of stability Alpha",
	Why:     "Since router-v0.10 the EPP refuses it unless it is started with --allow-experimental-plugins, and its parameters may change with any release.",
	Fix:     "Start the EPP with the flag, or do without the plugin.",
	Source:  "llm-d-router v0.10.0",
}

var deprecated = Rule{
	ID: "deprecated", Severity: Warning,
	Summary: "a type, field or parameter that has a successor",
	Why:     "It still works in this version. What was deprecated with router-v0.9 is to be removed with v0.11, and the EPP will then not start.",
	Fix:     "Use the successor that the message names.",
	Source:  "llm-d-router v0.9.0",
}

var ignoredParameter = Rule{
	ID: "ignored-parameter", Severity: Warning,
	Summary: "a parameter that this version passes over in silence",
	Why:     "The EPP starts and does not do what is written. Versions from router-v0.9 on refuse parameters that they do not know.",
	Fix:     "Correct the spelling, move the parameter to the plugin that has it, or drop it.",
	Source:  "llm-d-router #1068",
}

var replacedValue = Rule{
	ID: "replaced-value", Severity: Warning,
	Summary: "a value that the EPP replaces by another one",
	Why:     "The plugin does not take it, and goes on with a value of its own.",
	Fix:     "Write the value that is meant.",
	Source:  "the EPP's plugins",
}

var loaderNotice = Rule{
	ID: "loader-notice", Severity: Info,
	Summary: "anything else that the version reads and does not follow",
	Why:     "The EPP starts; what is written has no effect or another one.",
	Fix:     "See the message.",
	Source:  "the EPP's loader",
}
