// SPDX-License-Identifier: Apache-2.0

package lint

// manifestRule has no check: whoever knows Windtunnel's kinds makes its findings
// with [ManifestFinding].
var manifestRule = Rule{
	ID: "manifest", Severity: Error,
	Summary: "a SimulationRun or PolicySweep that cannot be simulated as it is written",
	Why:     "The API server refuses the object, or the operator sets its condition Valid to False. Nothing is simulated.",
	Fix:     "See the message.",
	Source:  "Windtunnel's schema, CEL rules and compiler",
	Bad:     "\n" + exampleSweep + "  - {metric: ttft.p98765, direction: Minimize}\n",
	Good:    "\n" + exampleSweep + "  - {metric: ttft.p99, direction: Minimize}\n",
}

const exampleSweep = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: PolicySweep
metadata: {name: replicas}
spec:
  scenario:
    horizon: {requests: 20}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm}
    router:
      endpointPickerConfig: {file: epp.yaml}
    workload:
      clients:
      - name: chat
        arrivals: {rate: "1"}
        inputTokens: {distribution: Constant, mean: "100"}
        outputTokens: {distribution: Constant, mean: "10"}
  parameters:
  - {name: replicas, path: "pools[llama].replicas", values: ["1", "2"]}
  objectives:
`

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
