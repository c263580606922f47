// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// writeSweepReport writes the report of a sweep: a page, or Markdown.
func (o *sweepOptions) writeSweepReport(sweep compiledSweep, st *study.Study) error {
	format := o.reportFormat()
	r, err := reportOf(st, sweep.label(), format)
	if err != nil {
		return err
	}
	facts := append(archive.PlanFacts(sweep.Plan), page.Fact{Name: "To make the figures again", Value: o.again(sweep), Code: true})
	text, err := format.fitted(&page.Sweep{Report: r, Facts: facts}, o.reportMost)
	if err != nil {
		return err
	}
	return toBadInput(os.WriteFile(o.report, []byte(text), 0o644))
}

// reportFormat is the format that the name of the report's file says.
func (o *sweepOptions) reportFormat() outputFormat {
	if filepath.Ext(o.report) == ".html" {
		return outputHTML
	}
	return outputMarkdown
}

// reportOf is the report of a study: with all of its candidates, or in Markdown with the best.
func reportOf(st *study.Study, title string, format outputFormat) (*report.Sweep, error) {
	keep := 0
	if format == outputMarkdown {
		keep = advice.ReportedTop
	}
	return archive.Report(st, title, keep)
}

// again is the command that makes the figures of a sweep again.
func (o *sweepOptions) again(sweep compiledSweep) string {
	words := []string{"windtunnel", "sweep"}
	for _, f := range o.files {
		words = append(words, "-f", shellWord(f))
	}
	for _, f := range o.configMaps {
		words = append(words, "--configmap", shellWord(f))
	}
	for _, name := range slices.Sorted(maps.Keys(o.volumes)) {
		words = append(words, "--volume", shellWord(name+"="+o.volumes[name]))
	}
	for _, s := range o.settings {
		words = append(words, "--set", shellWord(s.Path+"="+s.Value))
	}
	return strings.Join(append(words, "--name", sweep.Name), " ")
}

// shellWord quotes a word where a shell would read it otherwise.
func shellWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"$`\\|&;<>()*?[]#~{}!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
