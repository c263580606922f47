// SPDX-License-Identifier: Apache-2.0

package lint

// manifestRule has no check: whoever knows Windtunnel's kinds makes its findings
// with [ManifestFinding].
var manifestRule = Rule{
	ID: "manifest", Severity: Error,
	Summary: "a SimulationRun or PolicySweep that is invalid",
	Why:     "The API server rejects the object, or the operator sets its condition Valid to False and simulates nothing.",
	Fix:     "See the message.",
	Source:  "Windtunnel's schema, CEL rules and compiler",
}

// ManifestFinding is a finding of rule manifest: about a field of an object, or, with
// an empty path, about all of it. One of severity Info does not keep the object from
// being simulated, so it has no reason and no remedy.
func ManifestFinding(file string, line int, path string, severity Severity, message string) Finding {
	f := Finding{
		Rule: manifestRule.ID, Severity: severity, File: file, Line: line, Column: 1, Path: path, Versions: []string{},
		Message: message,
	}
	if severity != Info {
		f.Why, f.Fix = manifestRule.Why, manifestRule.Fix
	}
	return f
}
