// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// An engine of vLLM 0.15 has scheduled its next step when a request comes, and the clock of
// its own log starts after that wait: only the times of a client have it.
func TestCalibrateKnowsWhoseClockItReads(t *testing.T) {
	for name, tc := range map[string]struct {
		file runFile
		want bool
	}{
		"a log of an older engine":        {runFile{Engine: runEngine{Version: "0.10"}}, false},
		"a log of a newer engine":         {runFile{Engine: runEngine{Version: "0.15"}}, false},
		"a log of a client":               {runFile{Engine: runEngine{Version: "0.15", AsynchronousScheduling: "Enabled"}}, true},
		"a result file of a newer engine": {runFile{Engine: runEngine{Version: "0.15"}, Report: &runReport{}}, true},
		"of one that was told not to":     {runFile{Engine: runEngine{Version: "0.15", AsynchronousScheduling: "Disabled"}, Report: &runReport{}}, false},
		"of an older one":                 {runFile{Engine: runEngine{Version: "0.10"}, Report: &runReport{}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			version, fault := latency.ParseEngineVersion(tc.file.Engine.Version, nil)
			if got := tc.file.schedulesAsynchronously(version); fault != nil || got != tc.want {
				t.Errorf("%v, %v, want %v", got, fault, tc.want)
			}
		})
	}
}
