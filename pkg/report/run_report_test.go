// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// ofRun is the report of a recorded run.
func ofRun(t *testing.T) *RunReport {
	t.Helper()
	r := &RunReport{Title: "SimulationRun chat"}
	recorded(t, "run.json", &r.Documents)
	r.Gates = []result.GateResult{
		{Gate: result.Gate{Name: "fast"}, Verdict: verdict.Pass, Message: "ttft.p99 ≤ 500 ms passes"},
		{Gate: result.Gate{Name: "useful"}, Verdict: verdict.Fail, Message: "goodput ≥ 99 % fails"},
	}
	r.Targets = []Target{{r.Documents[0].Classes[0].Class, "ttft", 0.5}}
	r.Flaws = &insight.Report{Seed: 42, Anomalies: []insight.Anomaly{{
		Type: insight.HotReplica, About: "llama/0", Count: 31, Share: 0.25, Severity: 0.5, Values: []insight.Value{{Name: "times the equal share", Number: 2.5}},
	}}}
	r.Worst = []WorstRequest{{Request: 17, Seed: 42, What: "It waited", Known: "3 waiting there", Story: "request 17\n```\n", Command: "windtunnel run --explain 17"}}
	r.StepTimes, r.Warnings, r.Approximations = []string{"pool llama: of a model"}, []string{"a warning"}, []string{"a plugin"}
	return r
}

func TestReportOfARunGolden(t *testing.T) {
	var b bytes.Buffer
	if err := ofRun(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/run-report.md", b.Bytes())
}

func TestReportOfARunThatLacksThings(t *testing.T) {
	r := ofRun(t)
	r.Gates, r.Targets, r.Flaws, r.Worst = nil, nil, nil, nil
	r.WithoutFlaws, r.WithoutWorst = "Nobody looked", "No decisions are stored"
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**Not judged**: no gates are stated.", "Nobody looked.\n", "No decisions are stored.\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
}

func TestReportsOfRunsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*RunReport)
		want  string
	}{
		"no results":                    {func(r *RunReport) { r.Documents = nil }, "there are no results"},
		"two engines":                   {func(r *RunReport) { r.Documents[1].EngineVersion = "0" }, "several versions of the engine"},
		"series of another engine":      {func(r *RunReport) { r.Series = &result.Series{EngineVersion: "0"} }, "time series 0"},
		"series of the engine are fine": {func(r *RunReport) { r.Series = &result.Series{EngineVersion: r.Documents[0].EngineVersion} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := ofRun(t)
			test.spoil(r)
			var b bytes.Buffer
			err := r.Write(&b)
			switch {
			case test.want == "" && err == nil:
			case err == nil || test.want == "" || !strings.Contains(err.Error(), test.want) || b.Len() > 0:
				t.Errorf("error %v and %d bytes, want %q and none", err, b.Len(), test.want)
			}
		})
	}
}

// A page shows each table with a title for each column.
func TestTablesOfARunHaveTitles(t *testing.T) {
	tables := ofRun(t).Tables()
	if len(tables) < 3 {
		t.Errorf("%d tables", len(tables))
	}
	for _, table := range tables {
		for i, title := range table.Titles {
			if title == "" {
				t.Errorf("%s: column %d has no title", table.Caption, i)
			}
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Titles) {
				t.Errorf("%s: %d cells below %d titles", table.Caption, len(row), len(table.Titles))
			}
		}
	}
}

func TestFindingOfARun(t *testing.T) {
	one := ofRun(t)
	one.Documents = one.Documents[:1]
	nothing := ofRun(t)
	for _, d := range nothing.Documents {
		d.Overall.TTFT = nil
	}
	for name, test := range map[string]struct {
		r    *RunReport
		want string
	}{
		"with targets":  {ofRun(t), "of the requests meet every target of their class, over 3 seeds"},
		"of one seed":   {one, "over 1 seed"},
		"of no answers": {nothing, "No request had an answer, over 3 seeds"},
	} {
		if got := test.r.Finding(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
