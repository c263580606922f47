// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"

	"windtunnel.dev/windtunnel/pkg/report"
)

//go:embed replacement.html.tmpl
var replacementText string

var replacementTemplate = parsed("replacement", replacementText)

// Replacement is a report of two configurations, the second in place of the first.
type Replacement struct {
	Report *report.Replacement
}

// replacementView is what the template reads.
type replacementView struct {
	First, Second string
	Style         template.CSS
	Verdict       heading
	Gates         []gate
	Answers       []string
	Differences   report.CaptionedTable
	// Decisions says how many decisions differ; "" where the verdict does.
	Decisions    string
	Notes, Basis []string
}

// Write implements [Report].
func (r *Replacement) Write(w io.Writer) error {
	of := r.Report
	table, notes := report.ContrastTable(of.Contrast)
	v := &replacementView{
		First: of.Contrast.Names[0], Second: of.Contrast.Names[1], Style: template.CSS(style), //nolint:gosec // the style is ours
		Verdict: headingOf(of.Verdict.Outcome, sentence(of.Why())), Gates: gatesOf(of.Gates), Answers: answersTo(of.Gates),
		Differences: report.CaptionedTable{Caption: "Metrics that differ, those of the gates first", Table: table}, Notes: notes, Basis: of.Basis,
	}
	if of.Change.Unexercised == "" {
		v.Decisions = of.Change.String()
	}
	var b bytes.Buffer
	if err := replacementTemplate().Execute(&b, v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// Markdown implements [Report].
func (r *Replacement) Markdown(w io.Writer) error { return r.Report.Write(w) }

// Numbers implements [Report].
func (r *Replacement) Numbers() any { return r.Report.Contrast }
