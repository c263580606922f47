// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// aboutRequests splits the lines of a trace by the request that each is about; -1 is none.
func aboutRequests(t *testing.T, trace *recordedTrace) map[int64][]string {
	t.Helper()
	lines := map[int64][]string{}
	for line := range strings.Lines(trace.text()) {
		var about struct {
			Record  string
			Request json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &about); err != nil {
			t.Fatal(err)
		}
		request := int64(-1)
		switch {
		case about.Record == string(result.RoutingKind):
			request = int64(decodeDecision(line).Request.ID)
		case about.Request != nil:
			if err := json.Unmarshal(about.Request, &request); err != nil {
				t.Fatal(err)
			}
		}
		lines[request] = append(lines[request], line)
	}
	return lines
}

// A sample has about its share of the requests and all that did not complete, each with all of its
// lines in their order, and all lines that are about no request.
func TestASampleHasWholeRequests(t *testing.T) {
	const share = 0.1
	for name, c := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			_, all := traceOf(t, c, []int{0}, 1, &execute.Tracing{Full: true})
			_, some := traceOf(t, c, []int{0}, 1, &execute.Tracing{Full: true, Sample: share})
			whole, sample := aboutRequests(t, all[0]), aboutRequests(t, some[0])
			for request, want := range whole {
				got := sample[request]
				late := got != nil && len(got) < len(want) && onlyCopies(want[len(got):])
				if got != nil && !late && strings.Join(got, "") != strings.Join(want, "") {
					t.Fatalf("request %d has %d lines of %d", request, len(got), len(want))
				}
			}
			for _, d := range all[0].ended {
				if d.outcome.Ended != "completed" && d.outcome.Ended != execute.RoutedAgain && sample[int64(d.request)] == nil {
					t.Errorf("request %d ended %s, and is not in the sample", d.request, d.outcome.Ended)
				}
			}
			if len(sample) < len(whole)/20 {
				t.Errorf("%d requests of %d", len(sample), len(whole))
			}
		})
	}
}

// onlyCopies reports whether lines are of copies of blocks to lower tiers, which may end after their
// request.
func onlyCopies(lines []string) bool {
	for _, line := range lines {
		if !strings.Contains(line, `"reason":"offload"`) {
			return false
		}
	}
	return true
}

// Where nothing goes wrong, the share is that of the sample, and the requests are those of another
// policy's trace under the same seed.
func TestASampleIsOfTheSameRequests(t *testing.T) {
	sampled := func(pool int32) map[int64][]string {
		run := experimenttest.Run(t)
		requests := int64(2000)
		run.Spec.Scenario.Horizon.Requests = &requests
		run.Spec.Scenario.Pools[0].Replicas = pool
		c := experimenttest.MustCompileRun(t, run)
		_, some := traceOf(t, c, []int{0}, 1, &execute.Tracing{Sample: 0.1})
		return aboutDecisions(some[0])
	}
	few, many := sampled(8), sampled(9)
	if n := len(few); n < 150 || n > 260 {
		t.Errorf("%d requests of 2000 in a sample of 0.1", n)
	}
	other := 0
	for request := range few {
		if many[request] == nil {
			other++
		}
	}
	if other > len(few)/10 {
		t.Errorf("%d requests of %d are not in the sample of another cluster", other, len(few))
	}
}

func aboutDecisions(trace *recordedTrace) map[int64][]string {
	lines := map[int64][]string{}
	for _, d := range trace.ended {
		lines[int64(d.request)] = append(lines[int64(d.request)], d.outcome.Ended)
	}
	return lines
}

// failing is a sink that fails after some decisions.
type failing struct {
	left   int
	closed bool
}

var errFull = errors.New("the disk is full")

func (f *failing) Decision(*execute.RoutingRecord) error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return nil
}

func (f *failing) Record(result.Record) error { return nil }

func (f *failing) Close() error {
	f.closed = true
	return nil
}

// A sink that fails ends its simulation with its own error, and is closed.
func TestASinkThatFailsEndsTheSimulation(t *testing.T) {
	run := experimenttest.Run(t)
	requests := int64(100_000)
	run.Spec.Scenario.Horizon.Requests = &requests
	c := experimenttest.MustCompileRun(t, run)
	sink := &failing{left: 10}
	o := execute.Options{Parallelism: 1, Trace: &execute.Tracing{To: func(int) (execute.TraceSink, error) { return sink, nil }}}
	_, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, o)
	if !errors.Is(err, errFull) || strings.Contains(err.Error(), "cancel") || !sink.closed || sink.left < -10_000 {
		t.Errorf("error %v, closed: %v, %d decisions later", err, sink.closed, -sink.left)
	}
}
