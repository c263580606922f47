// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"fmt"
	"maps"
	"strconv"
	"time"
)

// live is the report of a run against servers: what a client sees, and nothing of the stack.
func (in *Input) live() *Report {
	l := in.Live
	own := map[string]any{"simulated": false, "target": l.Target, "seeds": in.seeds(), "metrics": in.metrics()}
	maps.Copy(own, in.Own)
	return &Report{
		Version: Version,
		Run: Run{
			UID:         digest(in.Experiment, in.seeds(), l.Target, l.Start),
			EID:         digest(in.Experiment),
			PID:         digest(in.Tree["workload"]),
			Description: fmt.Sprintf("%s (sent to %s by windtunnel)", in.Name, l.Target),
			Keywords:    []string{tool},
			Time: &RunTime{
				Start: l.Start.UTC().Format(time.RFC3339Nano), End: l.End.UTC().Format(time.RFC3339Nano),
				Duration: "PT" + strconv.FormatFloat(l.End.Sub(l.Start).Seconds(), 'f', -1, 64) + "S",
			},
		},
		Scenario: &Scenario{Load: in.load()},
		Results: Results{
			RequestPerformance: &RequestPerformance{Aggregate: in.aggregate()},
			SessionPerformance: in.Requests.sessions.report(in.seconds()),
			Profiling:          map[string]any{tool: own},
		},
	}
}
