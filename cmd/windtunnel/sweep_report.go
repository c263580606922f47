// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
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
	facts := append(planFacts(sweep.Plan), page.Fact{Name: "To make the figures again", Value: o.again("sweep", sweep.Name), Code: true})
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
	promoted, err := advice.Promote(st, v1alpha1.SourceFormat)
	if err != nil {
		promoted = nil // --promote says why; a report can do without.
	}
	manifests, err := advice.PromoteVaried(st)
	if err != nil {
		manifests = nil // as does --promote-scaler
	}
	out := advice.RollOut{Picker: promoted, Manifests: manifests}
	if st.Plan.Evolving() != nil {
		out.Bundle, _ = advice.PromoteBundle(st) // and this one --promote again
	}
	r, ok, err := advice.NewReport(st, title, keep, out)
	if err == nil && !ok {
		err = errors.New("no point has all of its results")
	}
	return r, err
}

// planFacts identify the figures of a plan.
func planFacts(plan *experiment.Plan) []page.Fact {
	facts := []page.Fact{
		{Name: "Engine", Value: plan.EngineVersion, Code: true},
		{Name: "Plan", Value: plan.Hash(), Code: true},
	}
	return append(facts, inputFacts(plan.Inputs)...)
}

// inputFacts are the digests of inputs.
func inputFacts(inputs []v1alpha1.InputDigest) []page.Fact {
	var facts []page.Fact
	for _, in := range inputs {
		facts = append(facts, page.Fact{Name: in.Name, Value: "sha256:" + in.SHA256, Code: true})
	}
	return facts
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
