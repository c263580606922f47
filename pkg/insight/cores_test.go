// SPDX-License-Identifier: Apache-2.0

package insight_test

import (
	"encoding/json"
	"runtime"
	"sync"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// Reports and summaries are the same to the byte on any number of cores, alone and beside others.
func TestReportsAreTheSameOnAnyNumberOfCores(t *testing.T) {
	of := flaws
	if testing.Short() {
		of = of[3:6]
	}
	want := make([]string, len(of))
	for i := range of {
		want[i] = toldOf(t, of[i].name)
	}
	for _, cores := range []int{1, 2} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			var group sync.WaitGroup
			for i := range of {
				group.Go(func() {
					if toldOf(t, of[i].name) != want[i] {
						t.Errorf("%s on %d cores is told otherwise", of[i].name, cores)
					}
				})
			}
			group.Wait()
		}()
	}
}

// toldOf is the report of a flawed run with its summaries.
func toldOf(t *testing.T, flaw string) string {
	run := runsOf(t, "testdata/flaws/"+flaw+".yaml")[0]
	c := experimenttest.MustCompileRun(t, run)
	at := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 42}
	_, report, err := execute.Reflect(t.Context(), c.Plan, c.Traces, at, nil, insight.Thresholds{}, false)
	if err != nil {
		t.Error(err)
		return ""
	}
	raw, err := json.Marshal(report)
	if err != nil {
		t.Error(err)
	}
	text := string(raw)
	for _, strategy := range insight.Strategies {
		text += insight.Summarize(report, insight.SummaryOptions{Strategy: strategy})
	}
	return text
}
