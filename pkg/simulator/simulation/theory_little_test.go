// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"path/filepath"
	"sort"
	"strconv"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// TestLittlesLawOfScenarios: in every scenario file the requests in the system,
// summed over time, are the times that each spent there, summed over requests.
// The left side is the area between the curves of arrivals and of departures.
// A departure is not taken from the figures of the run: it is the first
// nanosecond at which a run cut off there has the request as completed, so that
// the test also says that what is to come changes nothing that has been.
func TestLittlesLawOfScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := testfile.Read(t, file)
			whole, arrivals := cutOffAt(t, string(text), simtime.Time(time.Hour))
			area, spent := int64(0), uint64(0)
			for i := range whole.Cells {
				c := &whole.Cells[i]
				if c.Completed == 0 {
					continue
				}
				area += int64(departure(t, string(text), c.Tenant, whole.End) - arrivals[c.Tenant])
				_, sum := c.E2E.Sum()
				spent += sum
			}
			if uint64(area) != spent {
				t.Errorf("%d request·ns in the system, %d spent by requests", area, spent)
			}
		})
	}
}

// departure is the first time at which the request is seen to have completed,
// by halving the span in which that can be.
func departure(t *testing.T, text string, id int, end simtime.Time) simtime.Time {
	return 1 + simtime.Time(sort.Search(int(end), func(before int) bool {
		o, _ := cutOffAt(t, text, simtime.Time(before+1))
		for i := range o.Cells {
			if o.Cells[i].Tenant == id {
				return o.Cells[i].Completed == 1
			}
		}
		return false
	}))
}

// cutOffAt runs a scenario up to a time, at least 1 ns, whatever its own
// horizon, with a tenant for each request. It also gives their arrivals.
func cutOffAt(t *testing.T, text string, at simtime.Time) (*simulator.Result, []simtime.Time) {
	c := newScenario(t, text)
	source := &script{requests: c.requests}
	var arrivals []simtime.Time
	for id := range c.requests {
		c.requests[id].Tenant = id
		source.labels.Tenants = append(source.labels.Tenants, strconv.Itoa(id))
		arrivals = append(arrivals, c.requests[id].Arrival)
	}
	c.config.Source = source
	// Where no request is left the drain begins with the last one.
	closed := min(at, arrivals[len(arrivals)-1])
	c.config.Horizon = simulator.Horizon{Duration: time.Duration(at), Drain: at.Sub(closed)}
	o, err := Run(context.Background(), c.config)
	if err != nil {
		t.Fatal(err)
	}
	return o, arrivals
}
