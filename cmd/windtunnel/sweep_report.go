// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
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
func (o *sweepOptions) writeSweepReport(sweep compiledSweep, st *study.Study) error {
	format := o.reportFormat()
	r, err := reportOf(st, sweep.label(), format)
	if err != nil {
		return err
	}
	facts := append(planFacts(sweep.Plan), page.Fact{Name: "To make the figures again", Value: o.again(sweep), Code: true})
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
