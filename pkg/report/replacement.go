// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Replacement is what a person reads before rolling the second of two
// configurations out in place of the first.
type Replacement struct {
	Contrast *result.Contrast
	// Verdict is the decision in one sentence; empty where no gates were stated.
	Verdict string
	// Change says how far what tells the second from the first was exercised.
	Change *result.Change
	Gates  []result.GateResult
	// Basis are sentences about what the figures rest on.
	Basis []string
}

// Sentence is the verdict, or says why there is none; without a full stop.
func (r *Replacement) Sentence() string {
	switch {
	case r.Verdict != "":
		return r.Verdict
	case r.Change.Unexercised != "":
		return r.Change.Unexercised
	default:
		return "No gates were stated: nothing says that this may be rolled out"
	}
}

// Write prints the report in Markdown.
func (r *Replacement) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s in place of %s\n\n", printable.Markdown(r.Contrast.Names[1]), printable.Markdown(r.Contrast.Names[0]))
	switch {
	case r.Verdict == "" && r.Change.Unexercised != "":
		fmt.Fprintf(&b, "**Undecided**: %s.\n\n", printable.Markdown(r.Change.Unexercised))
	case r.Verdict == "":
		fmt.Fprintf(&b, "%s.\n\n", r.Sentence())
	default:
		fmt.Fprintf(&b, "**Verdict**: %s.\n\n", r.Verdict)
	}
	if r.Change.Unexercised == "" {
		fmt.Fprintf(&b, "Decisions: %s.\n\n", r.Change)
	}
	writeGates(&b, r.Gates)
	fmt.Fprint(&b, "## What differs\n\n```text\n")
	if err := WriteContrast(&b, r.Contrast); err != nil {
		return err
	}
	fmt.Fprint(&b, "```\n\n## What this rests on\n\nThese are figures of a simulation, not of a cluster.\n\n")
	for _, s := range r.Basis {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	_, err := b.WriteTo(w)
	return err
}
