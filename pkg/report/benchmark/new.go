// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// tool is what the reports call the load generator and the engines.
const tool = "windtunnel"

// Epoch is the time at which each simulated window starts in a report. A simulation has
// no date, and the same simulation gives the same bytes.
var Epoch = time.Unix(0, 0).UTC()

// Input is what a report is made of: one candidate under all of its seeds.
type Input struct {
	// Name is what the candidate is called, Point its number in a sweep, and Parameters
	// its values. Experiment identifies the run or the sweep.
	Name       string
	Point      int
	Parameters []result.Assignment
	Experiment string
	// Scenario is the scenario with references resolved, Tree the same as JSON.
	Scenario *v1alpha1.Scenario
	Tree     map[string]any
	// Rows are those of complete simulations, one a seed, and Requests sum up theirs in the
	// same order.
	Rows     []result.Row
	Requests *Summary
	// Series are those of all seeds together; nil without series. WarmUpSeconds is the part
	// of a run before the measured window, on the average.
	Series        *result.Series
	WarmUpSeconds float64
	// Own are further figures of results.profiling.windtunnel.
	Own map[string]any
	// Live says that servers answered the requests; nil where they were simulated.
	Live *Live
}

// Live is a run against servers, of which the client knows the answers alone.
type Live struct {
	Start, End time.Time
	// Target is the URL of the server, or the address of the EPP.
	Target string
}

// New returns the report of a candidate. Its figures are over the requests of all seeds.
// What is not simulated is absent.
func New(in Input) (*Report, error) {
	if n := len(in.Requests.completedOf); n != len(in.Rows) || n == 0 {
		return nil, fmt.Errorf("a report needs a summary of each simulation: there are %d rows and %d summaries", len(in.Rows), n)
	}
	if in.Live != nil {
		return in.live(), nil
	}
	over := in.timeline()
	return &Report{
		Version:  Version,
		Run:      in.run(),
		Scenario: &Scenario{Stack: in.stack(), Load: in.load()},
		Results: Results{
			RequestPerformance: &RequestPerformance{Aggregate: in.aggregate(), TimeSeries: over.requests()},
			SessionPerformance: in.Requests.sessions.report(in.seconds()),
			Observability:      in.observability(over),
			Profiling:          map[string]any{tool: in.own()},
			ComponentHealth:    in.health(),
		},
	}, nil
}

func (in *Input) run() Run {
	r := Run{
		UID:         digest(in.Experiment, in.Point, in.seeds(), simulator.EngineVersion),
		EID:         digest(in.Experiment),
		CID:         digest(in.Tree["pools"], in.Tree["router"], in.Tree["routers"]),
		PID:         digest(in.Tree["workload"]),
		Description: in.description(),
		Keywords:    []string{"simulated", tool},
	}
	longest := 0.0
	for i := range in.Rows {
		longest = max(longest, in.secondsOf(i))
	}
	if longest > 0 {
		window := time.Duration(math.Round(longest*1e3)) * time.Millisecond
		r.Time = &RunTime{
			Start:    Epoch.Format(time.RFC3339Nano),
			End:      Epoch.Add(window).Format(time.RFC3339Nano),
			Duration: "PT" + strconv.FormatFloat(window.Seconds(), 'f', -1, 64) + "S",
		}
	}
	return r
}

// description is the label that Prism shows.
func (in *Input) description() string {
	label := in.Name
	if len(in.Parameters) > 0 {
		var values []string
		for _, p := range in.Parameters {
			values = append(values, p.String())
		}
		label += " " + strings.Join(values, " ")
	}
	n := len(in.Rows)
	if n == 1 {
		return label + " (simulated by windtunnel, 1 seed)"
	}
	return fmt.Sprintf("%s (simulated by windtunnel, %d seeds)", label, n)
}

func (in *Input) seeds() []int64 {
	var seeds []int64
	for i := range in.Rows {
		seeds = append(seeds, in.Rows[i].Seed)
	}
	slices.Sort(seeds)
	return seeds
}

// digest identifies values in 32 hex digits, as other reports do.
func digest(of ...any) string {
	raw, err := json.Marshal(of)
	if err != nil {
		panic(fmt.Sprintf("benchmark: digest: %v", err))
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// secondsOf is the time over which the i-th simulation has its throughput; 0 where nothing
// completed in it.
func (in *Input) secondsOf(i int) float64 {
	rate, _ := in.Rows[i].Metrics.Get("throughput.requests")
	if rate == 0 {
		return 0
	}
	// The simulator measures in whole nanoseconds.
	return math.Round(float64(in.Requests.completedOf[i])/rate*1e9) / 1e9
}

// seconds is that time of all simulations together.
func (in *Input) seconds() float64 {
	sum := 0.0
	for i := range in.Rows {
		sum += in.secondsOf(i)
	}
	return sum
}

// mean returns a metric's mean over the seeds that have it; nil where none has.
func (in *Input) mean(metric string) *float64 {
	sum, n := 0.0, 0
	for i := range in.Rows {
		if value, ok := in.Rows[i].Metrics.Get(metric); ok {
			sum, n = sum+value, n+1
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}

// statistics has the mean of a metric over the seeds; nil where it was not measured.
func (in *Input) statistics(metric, units string) *Statistics {
	mean := in.mean(metric)
	if mean == nil {
		return nil
	}
	return &Statistics{Units: units, Mean: *mean}
}

// greatest returns a metric's greatest value under a seed; nil where none has it.
func (in *Input) greatest(metric string) *float64 {
	var most *float64
	for i := range in.Rows {
		if value, ok := in.Rows[i].Metrics.Get(metric); ok && (most == nil || value > *most) {
			most = &value
		}
	}
	return most
}
