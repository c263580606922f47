// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// writeSweepReport writes the report of a sweep: a page, or Markdown.
func (o *sweepOptions) writeSweepReport(ctx context.Context, sweep compiledSweep, st *study.Study) error {
	format := reportFormat(o.report)
	r, err := reportOf(st, sweep.label(), format)
	if err != nil {
		return err
	}
	facts := append(archive.PlanFacts(sweep.Plan), page.Fact{Name: "To make the figures again", Value: o.again("sweep", sweep.Name), Code: true})
	p := &page.Sweep{Report: r, Facts: facts}
	if format == outputHTML {
		if err := o.addSeries(ctx, sweep, st, p); err != nil {
			return err
		}
	}
	text, err := format.fitted(p, o.reportMost)
	if err != nil {
		return err
	}
	return writeReportFile(o.report, text)
}

// reportOf is the report of a study: with all of its candidates, or in Markdown with the best.
func reportOf(st *study.Study, title string, format outputFormat) (*report.Sweep, error) {
	keep := 0
	if format == outputMarkdown {
		keep = advice.ReportedTop
	}
	return archive.Report(st, title, keep)
}

// again is the command that makes the figures of an object again.
func (o *localOptions) again(verb, name string) string {
	words := []string{"windtunnel", verb}
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
	return strings.Join(append(words, "--name", name), " ")
}

// shellWord quotes a word where a shell would read it otherwise.
func shellWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"$`\\|&;<>()*?[]#~{}!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
