// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func TestATargetIsMetHoweverLarge(t *testing.T) {
	const day = 24 * 3600 * 1e9
	for name, c := range map[string]struct {
		target, decode simtime.Time
		gaps           int32
		met            bool
	}{
		"none":                    {0, day, 5, true},
		"met to the nanosecond":   {10, 50, 5, true},
		"missed by a nanosecond":  {10, 51, 5, false},
		"365 days a token, twice": {365 * day, 2 * day, 2, true},
		"a day, 120000 times":     {day, 120000 * 1e6, 120000, true},
		"no gaps":                 {1, 0, 0, true},
	} {
		m := NewMetrics([]simulator.Target{{TPOT: c.target.Sub(0)}}, nil, 0, make([]simulator.Pool, 1), workload.Labels{})
		q := &request.Request{}
		q.Prompt, q.Total = 1, 2+c.gaps
		q.Cell = m.Arrived(0, 0, q)
		m.Completed(c.decode, c.decode, q)
		if got := m.Cells[q.Cell].MetTPOT == 1; got != c.met {
			t.Errorf("%s: met is %v", name, got)
		}
	}
}
