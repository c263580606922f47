// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// PrintWarnings prints what need not be meant, and what the linter finds.
func PrintWarnings(w io.Writer, warnings []string, findings ...experiment.Finding) {
	for _, text := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	for _, f := range findings {
		fmt.Fprintf(w, "%s: %s\n", f.Severity, f)
	}
	if len(warnings)+len(findings) > 0 {
		fmt.Fprintln(w)
	}
}

// PrintStepTimes says what step times rest on.
func PrintStepTimes(w io.Writer, lines []string) {
	for _, text := range lines {
		fmt.Fprintf(w, "Step times: %s.\n", text)
	}
}

// PrintApproximations says what of the router is not as the EPP has it.
func PrintApproximations(w io.Writer, approximations []string) {
	for _, text := range approximations {
		fmt.Fprintf(w, "Approximated in the router: %s.\n", text)
	}
}

// PrintGates says what came of each gate.
func PrintGates(w io.Writer, v *study.Judged) {
	if v == nil {
		return
	}
	fmt.Fprintln(w)
	for _, gate := range v.Gates {
		fmt.Fprintf(w, "gate %s: %s: %s\n", gate.Name, gate.Outcome.Word(), gate.Message)
	}
	if len(v.Gates) == 0 {
		fmt.Fprintf(w, "gates: %s\n", v.Sentence())
	}
}

// PrintRunVerdict prints the verdict on a run in one sentence.
func PrintRunVerdict(w io.Writer, v *study.Judged) {
	fmt.Fprintf(w, "verdict: %s\n\n", v.View().Advice())
}
