// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Replacement is what a person reads before rolling the second of two
// configurations out in place of the first.
type Replacement struct {
	Contrast *result.Contrast
	// Verdict is that on the second configuration, and Sentence says it with what tells the two apart.
	Verdict  verdict.Verdict
	Sentence string
	// Change says how far what tells the second from the first was exercised.
	Change *result.Change
	Gates  []result.GateResult
	// Basis are sentences about what the figures rest on.
	Basis []string
}

// Why is the sentence without the word of the outcome, which a heading has.
func (r *Replacement) Why() string {
	return strings.TrimPrefix(r.Sentence, r.Verdict.Outcome.Word()+": ")
}

// Write prints the report in Markdown.
func (r *Replacement) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s in place of %s\n\n", printable.Markdown(r.Contrast.Names[1]), printable.Markdown(r.Contrast.Names[0]))
	fmt.Fprintf(&b, "**%s**: %s.\n\n", r.Verdict.Outcome.Title(), printable.Markdown(r.Why()))
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
