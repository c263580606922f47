// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// RunReport is the report of a run, from what is stored of it.
func RunReport(run *v1alpha1.SimulationRun, stored *Stored) (*page.Run, error) {
	label := fmt.Sprintf("SimulationRun %s/%s", run.Namespace, run.Name)
	if run.Generation != run.Status.ObservedGeneration {
		return nil, Fault{fmt.Errorf("%s: the results are those of another spec: wait until the manager has run the present one", label)}
	}
	documents, err := store.ReadDocuments(stored.Chunks)
	if err != nil {
		return nil, Fault{fmt.Errorf("%s: %w", label, err)}
	}
	r := advice.NewRunReport(label, documents, &run.Status.CommonStatus, run.Spec.Scenario.SLOs)
	if r.Series, err = store.ReadSeries(stored.Chunks); err != nil {
		return nil, Fault{fmt.Errorf("%s: %w", label, err)}
	}
	if err := addStored(r, stored, run); err != nil {
		return nil, Fault{fmt.Errorf("%s: %w", label, err)}
	}
	if err := r.Check(); err != nil {
		return nil, Fault{fmt.Errorf("%s: %w", label, err)}
	}
	return &page.Run{Report: r, Facts: statusFacts(&run.Status.CommonStatus)}, nil
}

// worstOnPage is how many of the worst requests with stored decisions a report has.
const worstOnPage = 3

// addStored adds the worst requests of those whose decisions are stored, and says how to have
// what is not.
func addStored(r *report.RunReport, kept *Stored, run *v1alpha1.SimulationRun) error {
	again := onThisMachine(run)
	r.WithoutSeries = "The run keeps no time series and distributions: spec.trace.series: {} keeps them"
	r.WithoutFlaws = "A cluster stores no summary of what went wrong; this command simulates a seed again and prints one: " + again + " --reflect issue_focused"
	r.WithoutWorst = "The run stores no decisions on requests: spec.trace.level: Decisions stores them, and this command explains one by its number: " + again + " --explain 0"
	stored, count, err := worstStored(kept)
	if err != nil {
		return err
	}
	r.WorstAmong = fmt.Sprintf("Those that waited longest for their first token, of the %s that are stored", figure.Plural(count, "decision"))
	for _, d := range stored.Worst(execute.LateFirstToken, worstOnPage) {
		story := stored.Story(d.Seed, d.Request.ID)
		var table bytes.Buffer
		if err := story.Table(&table); err != nil {
			return err
		}
		r.Worst = append(r.Worst, report.WorstRequest{
			Request: int64(d.Request.ID), Seed: d.Seed, Story: table.String(),
			What:    fmt.Sprintf("Tenant %s, class %s, %d prompt tokens. %s", d.Tenant, d.Class, d.Request.PromptTokens, strings.TrimSuffix(story.Outcome.String(), ".")),
			Command: fmt.Sprintf("%s --explain %d --seed %d", again, d.Request.ID, d.Seed),
		})
	}
	return nil
}

// worstStored are the decisions on the worst requests, and how many decisions there are. Parts are read
// one at a time, and of those before only the worst requests remain: all parts may be more than the
// memory of a manager.
func worstStored(kept *Stored) (worst *execute.Stored, count int, err error) {
	worst = &execute.Stored{}
	for _, packed := range kept.Decisions() {
		known := len(worst.Decisions)
		if err := worst.Add(packed); err != nil {
			return nil, 0, err
		}
		count += len(worst.Decisions) - known
		var rest execute.Stored
		for _, d := range worst.Worst(execute.LateFirstToken, worstOnPage) {
			rest.Decisions = append(rest.Decisions, worst.Story(d.Seed, d.Request.ID).Decisions...)
		}
		worst = &rest
	}
	return worst, count, nil
}

// onThisMachine is a command that simulates a run of a cluster here, as far as its inputs are in
// ConfigMaps.
func onThisMachine(run *v1alpha1.SimulationRun) string {
	get := func(kind, name string) string {
		return fmt.Sprintf("kubectl get %s %s -n %s -o yaml", kind, name, run.Namespace)
	}
	text := get("simulationrun", run.Name) + " | windtunnel run -f -"
	seen := map[string]bool{}
	for _, in := range run.Status.Inputs {
		kind, rest, _ := strings.Cut(in.Name, "/")
		if name, _, _ := strings.Cut(rest, "/"); kind == "ConfigMap" && !seen[name] {
			seen[name] = true
			text += " --configmap <(" + get("configmap", name) + ")"
		}
	}
	return text
}

// RunReport is the report of a printed run. Its errors are faults: the file is the reader's to mend.
func (p *Printed) RunReport() (*page.Run, error) {
	var documents []*result.Document
	for _, d := range p.Results {
		if d == nil || d.SchemaVersion != result.SchemaVersion {
			return nil, Fault{fmt.Errorf("a result has another schemaVersion than %q, which this version of windtunnel reads", result.SchemaVersion)}
		}
		documents = append(documents, d)
	}
	if len(p.Rows) == 0 {
		return nil, Fault{report.ErrNoDocuments}
	}
	r := advice.NewRunReport("SimulationRun "+p.Metadata.Name, documents, &p.Status.CommonStatus, nil)
	r.WithoutSeries = "The output of run -o json has no time series: windtunnel run --report FILE.html makes a page with them"
	r.WithoutFlaws = "The output of run -o json does not say what went wrong: windtunnel run --reflect issue_focused does, and so does windtunnel run --report FILE.html"
	r.WithoutWorst = "The output of run -o json has no decisions on requests: windtunnel run --explain NUMBER explains one, and windtunnel run --report FILE.html shows the worst"
	if err := r.Check(); err != nil {
		return nil, Fault{err}
	}
	return &page.Run{Report: r, Facts: statusFacts(&p.Status.CommonStatus)}, nil
}

// statusFacts identify the figures of an object.
func statusFacts(status *v1alpha1.CommonStatus) []page.Fact {
	facts := []page.Fact{{Name: "Engine", Value: status.EngineVersion, Code: true}}
	if status.PlanHash != "" {
		facts = append(facts, page.Fact{Name: "Plan", Value: status.PlanHash, Code: true})
	}
	return append(facts, inputFacts(status.Inputs)...)
}
