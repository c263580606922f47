// SPDX-License-Identifier: Apache-2.0

package archive_test

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// What no verb has printed is an error.
func TestReadPrinted(t *testing.T) {
	const run = `{"kind":"SimulationRun","metadata":{"name":"a"},"status":{"metrics":[{"metric":"goodput","mean":"1"}],"planHash":"x"},"rows":[]}`
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"a run":                {run, 1},
		"a list":               {`{"kind":"List","items":[` + run + `,` + run + `]}`, 2},
		"an empty list":        {`{"kind":"List","items":[]}`, 0},
		"an item without rows": {`{"kind":"List","items":[` + run + `,{"kind":"SimulationRun"}]}`, 0},
		"two documents":        {run + run, 0},
		"an output cut off":    {run[:len(run)-1], 0},
		"a manifest":           {`{"kind":"SimulationRun","spec":{}}`, 0},
		"a row that is none":   {strings.Replace(run, `"rows":[]`, `"rows":[{"point":-1}]`, 1), 0},
	} {
		objects, err := archive.ReadPrinted([]byte(test.text))
		if len(objects) != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("%s: %d objects, %v; want %d", name, len(objects), err, test.want)
		}
		for _, o := range objects {
			if o.Metadata.Name != "a" || o.Status.PlanHash != "x" || len(o.Status.Metrics) != 1 {
				t.Errorf("%s: %+v", name, o.Status)
			}
		}
	}
}

func TestReportsOfPrintedSweepsRefuse(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a run":               {`{"kind":"SimulationRun","rows":[]}`, "the object is neither a SimulationRun nor a PolicySweep"},
		"a later version":     {`{"rows":[],"leaderboard":{"schemaVersion":"windtunnel.dev/leaderboard/v9"}}`, `has schemaVersion "windtunnel.dev/leaderboard/v9"`},
		"a sweep of no point": {`{"rows":[],"leaderboard":{"schemaVersion":"windtunnel.dev/leaderboard/v2"}}`, "no point has all of its results"},
	} {
		objects, err := archive.ReadPrinted([]byte(test.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := objects[0].Report(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// The verdict on a file is the one that a status would have: the worst gate decides, and a baseline
// that ranks first fails unless no simulation could tell.
func TestVerdictsOfPrintedObjects(t *testing.T) {
	for name, test := range map[string]struct {
		gates    []verdict.Outcome
		baseline int // its rank
		want     verdict.Reason
	}{
		"a gate fails":            {[]verdict.Outcome{verdict.Pass, verdict.Undecided, verdict.Fail}, 2, verdict.GateFailed},
		"a gate is undecided":     {[]verdict.Outcome{verdict.Pass, verdict.Undecided}, 2, verdict.TooFewSeeds},
		"all pass":                {[]verdict.Outcome{verdict.Pass, verdict.Pass}, 2, verdict.GatesPassed},
		"the baseline is first":   {[]verdict.Outcome{verdict.NotJudged, verdict.Pass}, 1, verdict.BaselineIsBest},
		"it is, and a gate fails": {[]verdict.Outcome{verdict.Fail}, 1, verdict.GateFailed},
	} {
		p := archive.Printed{Leaderboard: &result.Leaderboard{Candidates: []result.Ranked{{Rank: 1, Baseline: test.baseline == 1}, {Rank: 2, Baseline: test.baseline == 2}}}}
		for _, o := range test.gates {
			p.Gates = append(p.Gates, result.GateResult{Verdict: o})
		}
		if got := p.Verdict(); got == nil || got.Reason != test.want {
			t.Errorf("%s: %+v, want %s", name, got, test.want)
		}
	}
	if got := new(archive.Printed).Verdict(); got != nil {
		t.Errorf("without gates: %+v, want none", got)
	}
}
