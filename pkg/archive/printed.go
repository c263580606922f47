// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Printed is what of the output of run or sweep -o json is read back: an object, or
// the List of several.
type Printed struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
	} `json:"metadata"`
	// Status is that of a sweep; a run's has Metrics in place of points.
	Status struct {
		v1alpha1.PolicySweepStatus `json:",inline"`
		Metrics                    []v1alpha1.MetricValue `json:"metrics"`
	} `json:"status"`
	Gates       []result.GateResult `json:"gates"`
	Steps       []result.Step       `json:"steps"`
	Leaderboard *result.Leaderboard `json:"leaderboard"`
	Rows        []result.Row        `json:"rows"`
	// Results are of runs.
	Results []*result.Document `json:"results"`
	Items   []Printed          `json:"items"`
}

var errNoResults = errors.New("there are no results")

// ReadPrinted reads one object, or the items of a List.
func ReadPrinted(raw []byte) ([]Printed, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	var p Printed
	if err := decoder.Decode(&p); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoResults
	}
	objects := p.Items
	if p.Kind != "List" {
		objects = []Printed{p}
	}
	noRows := func(p Printed) bool { return p.Rows == nil }
	if len(objects) == 0 || slices.ContainsFunc(objects, noRows) {
		return nil, errNoResults
	}
	return objects, nil
}

// Verdict is the verdict on the object as its status in a cluster would have it; nil without gates.
func (p *Printed) Verdict() *verdict.Verdict {
	gates := p.Gates
	if len(gates) == 0 {
		gates = advice.GateResults(&p.Status.CommonStatus) // all that a run prints of its gates
	}
	if len(gates) == 0 {
		return nil
	}
	if p.Steps != nil {
		v := result.JudgeSteps(p.Steps)
		return &v
	}
	v := result.Judge(gates)
	if v.Outcome != verdict.Fail && v.Reason != verdict.ChangeNotExercised && p.keepsBaseline() {
		v.Outcome, v.Reason, v.Message, v.Next = verdict.Fail, verdict.BaselineIsBest, p.Leaderboard.KeepBaseline(), ""
	}
	return &v
}

// keepsBaseline reports whether the baseline ranks first and nothing else is proposed.
func (p *Printed) keepsBaseline() bool {
	if p.Leaderboard == nil || p.proposal() != nil {
		return false
	}
	all := p.Leaderboard.Candidates
	return slices.ContainsFunc(all, func(c result.Ranked) bool { return c.Baseline && c.Rank == all[0].Rank })
}

// proposal is the candidate that the sweep proposes; nil without one.
func (p *Printed) proposal() *result.Ranked {
	for i := range p.Leaderboard.Candidates {
		if c := &p.Leaderboard.Candidates[i]; c.Name() == experiment.Configuration+"="+experiment.ProposedProfile {
			return c
		}
	}
	return nil
}

// Report is the report of a printed sweep. Its errors are faults: the file is the reader's to mend.
func (p *Printed) Report() (*page.Sweep, error) {
	board := p.Leaderboard
	switch {
	case board == nil:
		return nil, Fault{errors.New("report needs the output of run or sweep -o json, and the object is neither a SimulationRun nor a PolicySweep")}
	case board.SchemaVersion != result.LeaderboardSchemaVersion:
		return nil, Fault{fmt.Errorf("the leaderboard has schemaVersion %q, and this version of windtunnel reads %q", board.SchemaVersion, result.LeaderboardSchemaVersion)}
	case p.Status.EngineVersion != "" && p.Status.EngineVersion != board.EngineVersion:
		return nil, Fault{fmt.Errorf("the leaderboard is of engine version %s and the status of %s: simulate all of the sweep with one version", board.EngineVersion, p.Status.EngineVersion)}
	case len(board.Candidates) == 0 || !board.Candidates[0].Complete():
		return nil, Fault{ErrNoPoint}
	}
	r := &report.Sweep{
		Title: v1alpha1.PolicySweepKind + " " + p.Metadata.Name, Board: board, Best: board.Candidates[0].Point, Top: advice.ReportedTop, Gates: p.Gates,
		StepTimes: p.Status.StepTimes, Warnings: p.Status.Warnings, Approximations: p.Status.Approximations,
	}
	if c := p.proposal(); c != nil {
		r.Best, r.Proposed = c.Point, true
	}
	if p.Steps != nil {
		r.Best, r.Rollout = result.Deciding(p.Steps).Point, p.Steps
	}
	if v := p.Verdict(); v != nil && v.Reason == verdict.BaselineIsBest {
		r.Keep = v.Message
	}
	facts := []page.Fact{{Name: "Engine", Value: board.EngineVersion, Code: true}}
	if p.Status.PlanHash != "" {
		facts = append(facts, page.Fact{Name: "Plan", Value: p.Status.PlanHash, Code: true})
	}
	return &page.Sweep{Report: r, Facts: append(facts, inputFacts(p.Status.Inputs)...), WithoutSeries: WithoutSeries}, nil
}
