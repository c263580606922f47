// SPDX-License-Identifier: Apache-2.0

package lint

// DeprecatedField is the rule about fields of a SimulationRun or PolicySweep that other fields
// replace.
const DeprecatedField = "deprecated-field"

// deprecatedFieldRule has no check, as rule manifest.
var deprecatedFieldRule = Rule{
	ID: "deprecated-field", Severity: Warning,
	Summary: "a field of a SimulationRun or PolicySweep that another field replaces",
	Why:     "This version still reads the field. A later version rejects it.",
	Fix:     "Use the field that the message names.",
	Source:  "Windtunnel's compiler",
}

// DeprecatedFieldFinding is a finding of rule deprecated-field.
func DeprecatedFieldFinding(file string, line int, path, message string) Finding {
	return Finding{
		Rule: deprecatedFieldRule.ID, Severity: Warning, File: file, Line: line, Column: 1, Path: path, Versions: []string{},
		Message: message, Why: deprecatedFieldRule.Why, Fix: deprecatedFieldRule.Fix,
	}
}
