// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// ReportedTop is how many points a report in Markdown lists.
const ReportedTop = 10

// RollOut is what is to be written of a point. Its parts are nil where there is nothing.
type RollOut struct {
	Picker *Promotion
	Bundle *PromotedBundle
	// Manifests are those of scalers that change with it.
	Manifests []*PromotedManifest
}

// NewReport returns what a person reads before rolling the best point, or the proposal,
// out. False says that no point has all of its results, so that there is nothing to report
// on. The report lists keep of the best points, all of them if keep is 0.
func NewReport(s *study.Study, title string, keep int, out RollOut) (*report.Sweep, bool, error) {
	best, ok, err := pointToRollOut(s)
	if err != nil || !ok {
		return nil, false, err
	}
	judged, err := s.Verdict()
	if err != nil {
		return nil, false, err
	}
	if judged != nil && judged.Steps != nil {
		best, keep = result.Deciding(judged.Steps).Point, 0
	}
	board, err := s.Top(keep)
	if err != nil {
		return nil, false, err
	}
	r := &report.Sweep{
		Title: title, Best: best, Proposed: s.Plan.Proposal, Board: board, Top: ReportedTop,
		Warnings: s.Plan.Remarks(), Approximations: s.Plan.Approximations,
	}
	if promoted := out.Picker; promoted != nil && promoted.Diff != "" {
		r.Diffs = append(r.Diffs, report.Diff{Title: promoted.Title(), Text: promoted.Diff})
	}
	for _, m := range out.Manifests {
		if m.Diff != "" {
			r.Diffs = append(r.Diffs, report.Diff{Title: m.Title(), Text: m.Diff})
		}
	}
	if judged != nil {
		r.Gates, r.Rollout = judged.Results, judged.Steps
		if judged.Reason == verdict.BaselineIsBest {
			r.Keep = judged.Message
		}
	}
	scenario, err := scenarioAtBest(s, best)
	if err != nil {
		return nil, false, err
	}
	r.Assumptions = append(assumptions(scenario), workloadWords(s.Plan)...)
	r.StepTimes, _ = s.Plan.Builder.StepTimes(scenario, nil)
	if out.Bundle != nil {
		r.Steps, r.Policy = out.Bundle.Changes(), out.Bundle.Text
	}
	if promoted := out.Picker; promoted != nil {
		r.Assumptions = append(r.Assumptions, "The router is an EPP of version "+promoted.Version+".")
		for _, setting := range promoted.Elsewhere {
			r.Assumptions = append(r.Assumptions, fmt.Sprintf("Set outside the EPP's configuration: %s = %s.", setting.Path, setting.Value))
		}
	}
	return r, true, nil
}

func scenarioAtBest(s *study.Study, best int) (*v1alpha1.Scenario, error) {
	root, err := s.Plan.ScenarioAt(s.Points()[best], 1)
	if err != nil {
		return nil, err
	}
	return setup.DecodeScenario(root)
}

// assumptions say in sentences what a scenario's results rest on.
func assumptions(in *v1alpha1.Scenario) []string {
	var all []string
	for i := range in.Pools {
		p := &in.Pools[i]
		all = append(all, fmt.Sprintf("Pool %s: %d replicas of %s on %s; step times by latency model %s.", p.Name, p.Replicas, p.Model, p.Accelerator, p.Latency.Model))
	}
	all = append(all, trafficWords(in))
	if len(in.Routers) == 0 {
		all = append(all, routerWords("The router", &in.Router))
	}
	for i := range in.Routers {
		all = append(all, routerWords("The router of "+in.Routers[i].Key(), &in.Routers[i].Router))
	}
	return all
}

// routerWords say in a sentence what a router knows, or that it is no EPP.
func routerWords(name string, in *v1alpha1.Router) string {
	if in.Policies != nil && in.Policies.Bundle != nil {
		return fmt.Sprintf("%s has the policies of a bundle, which no EPP configuration expresses.", name)
	}
	if in.Policies != nil {
		return fmt.Sprintf("%s has the native policy %s, which no EPP configuration expresses.", name, in.Policies.Routing.Policy)
	}
	return fmt.Sprintf("%s sees metrics of replicas that are up to %s old.", name, in.MetricsRefreshInterval)
}

// workloadWords say in a sentence for each workload of a plan which sources it has.
func workloadWords(p *experiment.Plan) []string {
	var all []string
	for _, w := range p.Workloads {
		all = append(all, fmt.Sprintf("Workload %s: the sources %s.", w.Name, strings.Join(w.Sources, ", ")))
	}
	return all
}

func trafficWords(in *v1alpha1.Scenario) string {
	horizon := "until the end of the trace"
	switch {
	case in.Horizon.Requests != nil:
		horizon = fmt.Sprintf("%d requests", *in.Horizon.Requests)
	case in.Horizon.Duration != "":
		horizon = fmt.Sprintf("arrivals of %s", in.Horizon.Duration)
	}
	var clients, sources []string
	for _, t := range setup.Traces(&in.Workload, nil) {
		sources = append(sources, fmt.Sprintf("a recorded trace in the format of %s", t.Format))
	}
	for i := range in.Workload.Clients {
		clients = append(clients, in.Workload.Clients[i].Name)
	}
	if made := "made by clients " + strings.Join(clients, ", "); len(sources) == 0 {
		sources = []string{made}
	} else if len(clients) > 0 {
		sources = append(sources, "in addition to traffic "+made)
	}
	return fmt.Sprintf("Traffic: %s, %s.", strings.Join(sources, ", "), horizon)
}

// pointToRollOut is the ID of the point that may be rolled out: the proposal, or else the
// best one. It is false where no point has all of its results.
func pointToRollOut(s *study.Study) (int, bool, error) {
	best, ok, err := s.Best()
	if err != nil || !ok || !s.Plan.Proposal {
		return best, ok, err
	}
	at := slices.IndexFunc(s.Points(), func(p experiment.Point) bool { return p.Is(experiment.ProposedPoint) })
	return at, at >= 0, nil
}
