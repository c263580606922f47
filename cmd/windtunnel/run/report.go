// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// writeReport writes the report of a run. What went wrong is found out by another simulation
// of the first seed, and why the worst request went where it did by one more.
func (o *runOptions) writeReport(ctx context.Context, run local.Run, conducted *execute.LocalRun) error {
	status := v1alpha1.SimulationRunStatus{}
	study.FillStatus(&status.CommonStatus, run.Plan)
	if err := study.FillRun(&status, conducted.Study); err != nil {
		return err
	}
	judged, err := conducted.Verdict()
	if err != nil {
		return err
	}
	if judged != nil {
		status.Conditions = append(status.Conditions, judged.Passed())
	}
	r := advice.NewRunReport("SimulationRun "+run.Name, conducted.Documents, &status.CommonStatus, run.Spec.Scenario.SLOs)
	r.Series = conducted.Series
	if err := o.addFlaws(ctx, run, r); err != nil {
		return err
	}
	again := o.Again("run", run.Name)
	facts := append(archive.PlanFacts(run.Plan), page.Fact{Name: "To make the figures again", Value: again, Code: true})
	var text bytes.Buffer
	if err := cli.ReportFormat(o.report).WriteReport(&text, &page.Run{Report: r, Facts: facts}); err != nil {
		return err
	}
	return cli.WriteReportFile(o.report, text.String())
}

// addFlaws adds what went wrong under the first seed.
func (o *runOptions) addFlaws(ctx context.Context, run local.Run, r *report.RunReport) error {
	of := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: run.Plan.Seeds[0]}
	seen, err := o.ask(ctx, run, of, inspect.Question{Summary: &inspect.Summary{Strategy: insight.IssueFocused}})
	if err != nil {
		return err
	}
	r.Flaws = seen.Report
	r.WorstAmong = fmt.Sprintf("The requests of seed %d that waited longest for their first token, against their limits", of.Seed)
	r.WithoutWorst = fmt.Sprintf("No request waited for its first token under seed %d", of.Seed)
	for i := range seen.Report.Worst {
		d := &seen.Report.Worst[i]
		r.Worst = append(r.Worst, report.WorstRequest{
			Request: int64(d.Request), Seed: of.Seed, Known: d.Known(),
			What: fmt.Sprintf("Tenant %s, class %s, %d prompt tokens. It went to %s; %s", d.Tenant, d.Class, d.Prompt, d.Where(), d.Result()),
		})
	}
	if len(r.Worst) > 0 {
		told, err := o.ask(ctx, run, of, inspect.Question{Story: &inspect.Story{Request: int(r.Worst[0].Request)}})
		if err != nil {
			return err
		}
		r.Worst[0].Story = told.Told.Table
	}
	if err := o.addRejected(ctx, run, of, r); err != nil {
		return err
	}
	for i := range r.Worst {
		w := &r.Worst[i]
		w.Command = fmt.Sprintf("%s --explain %d --seed %d", o.Again("run", run.Name), w.Request, w.Seed)
	}
	return nil
}

// addRejected puts the first request that was rejected before those that waited.
func (o *runOptions) addRejected(ctx context.Context, run local.Run, of experiment.Case, r *report.RunReport) error {
	turnedAway := func(d *result.Document) bool { return d.Seed == of.Seed && d.Overall.Requests.Rejected > 0 }
	if !slices.ContainsFunc(r.Documents, turnedAway) {
		return nil
	}
	told, err := o.ask(ctx, run, of, inspect.Question{Story: &inspect.Story{Request: execute.FirstRejected}})
	if errors.Is(err, execute.ErrNoSuchRequest) {
		return nil // an engine turned it away, or flow control evicted it
	}
	if err != nil {
		return err
	}
	var story execute.RequestStory
	if err := json.Unmarshal(told.Told.Document, &story); err != nil {
		return err
	}
	d := story.Decisions[0]
	r.WorstAmong = fmt.Sprintf("The first request of seed %d that was rejected, and those that waited longest for their first token, against their limits", of.Seed)
	r.Worst = slices.Insert(r.Worst, 0, report.WorstRequest{
		Request: int64(d.Request.ID), Seed: of.Seed, Story: told.Told.Table,
		What: fmt.Sprintf("Tenant %s, class %s, %d prompt tokens; the first one that is rejected. %s", d.Tenant, d.Class, d.Request.PromptTokens, strings.TrimSuffix(story.Outcome.String(), ".")),
	})
	return nil
}
