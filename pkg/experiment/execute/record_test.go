// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"bytes"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// recordedTrace is the trace of one simulation: its lines, and its decisions and other records.
type recordedTrace struct {
	lines   bytes.Buffer
	ended   []endedRouting
	records []result.Record
	closed  int
}

// endedRouting is what tests look at of a decision.
type endedRouting struct {
	request  int
	outcome  execute.RoutingResult
	rejected bool
}

func (r *recordedTrace) Decision(d *execute.RoutingRecord) error {
	r.lines.Write(d.AppendRecord(nil))
	e := endedRouting{request: d.Request.ID, rejected: d.TurnedAway()}
	if d.Outcome != nil {
		e.outcome = *d.Outcome
	}
	r.ended = append(r.ended, e)
	d.Release()
	return nil
}

func (r *recordedTrace) Record(one result.Record) error {
	r.lines.Write(result.AppendRecord(nil, one))
	if batch, ok := one.(*result.BatchRecord); ok {
		copied := *batch
		one = &copied
	}
	r.records = append(r.records, one)
	return nil
}

func (r *recordedTrace) Close() error {
	r.closed++
	return nil
}

// text is the lines of the trace.
func (r *recordedTrace) text() string { return r.lines.String() }

// recordsOf are those of one type.
func recordsOf[T any](r *recordedTrace) []*T {
	var all []*T
	for _, one := range r.records {
		if of, ok := any(one).(*T); ok {
			all = append(all, of)
		}
	}
	return all
}

// traceOf simulates some simulations of a plan, and returns the rows and the traces.
func traceOf(t *testing.T, c *compile.Compiled, which []int, parallelism int, by *execute.Tracing) ([]experiment.Simulation, []*recordedTrace) {
	t.Helper()
	return tracedBy(t, c, which, execute.Options{Parallelism: parallelism}, by)
}

func tracedBy(t *testing.T, c *compile.Compiled, which []int, o execute.Options, by *execute.Tracing) ([]experiment.Simulation, []*recordedTrace) {
	t.Helper()
	traces := make([]*recordedTrace, len(which))
	var mu sync.Mutex
	o.Trace = by
	if by != nil {
		by.To = func(simulation int) (execute.TraceSink, error) {
			mu.Lock()
			defer mu.Unlock()
			traces[simulation] = &recordedTrace{}
			return traces[simulation], nil
		}
	}
	all, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), which, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range traces {
		if by != nil && r.closed != 1 {
			t.Errorf("trace %d was closed %d times", i, r.closed)
		}
	}
	return all, traces
}

// scenarios are plans whose traces have all kinds of records. Each has two seeds.
func scenarios(t *testing.T) map[string]*compile.Compiled {
	t.Helper()
	all := map[string]*compile.Compiled{}
	for _, name := range []string{"thrashing-tiers", "starved-decode", "oscillating-scaler", "priority-ignored"} {
		run := flawedRun(t, name)
		run.Spec.Replications.Count = ptr.To[int32](2)
		run.Spec.Scenario.Horizon.Requests = ptr.To[int64](300)
		run.Spec.Scenario.Horizon.Warmup = ""
		all[name] = experimenttest.MustCompileRun(t, run)
	}
	crowded := flawedRun(t, "priority-ignored")
	crowded.Spec.Replications.Count = ptr.To[int32](2)
	crowded.Spec.Scenario.Horizon.Requests = ptr.To[int64](300)
	crowded.Spec.Scenario.Pools[0].KVCache.Blocks = ptr.To[int32](300)
	all["preemptions"] = experimenttest.MustCompileRun(t, crowded)
	grown := experimenttest.Run(t)
	scaled(grown)
	all["scaled"] = experimenttest.MustCompileRun(t, grown)
	all["admission"] = guarded(t, v1alpha1.GatewayPolicy{
		Policy: "tenant-budget", Parameters: parameters{"capacity": "1", "over": "delay", "retryEvery": "1ms", "maxDelay": "5ms"},
	})
	return all
}

// flawedRun is the first run of a scenario of pkg/insight.
func flawedRun(t *testing.T, name string) *v1alpha1.SimulationRun {
	t.Helper()
	return experimenttest.ReadSet(t, testfile.Read(t, "../../insight/testdata/flaws/"+name+".yaml")).Runs[0]
}

// A trace changes no result, at no level, and is the same to the byte on any number of cores and
// whichever simulations run beside it.
func TestTracesAreTheSameOnAnyNumberOfCores(t *testing.T) {
	for name, c := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			want, _ := traceOf(t, c, []int{0, 1}, 1, nil)
			rows := experimenttest.EncodeRows(t, want)
			for level, by := range map[string]execute.Tracing{
				"Decisions": {}, "Full": {Full: true}, "a sample": {Full: true, Sample: 0.2},
			} {
				all, first := traceOf(t, c, []int{0, 1}, 1, &by)
				if experimenttest.EncodeRows(t, all) != rows {
					t.Errorf("level %s changes results", level)
				}
				func() {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
					_, again := traceOf(t, c, []int{0, 1}, 2, &by)
					compareTraces(t, level+" on one core", first, again)
				}()
				func() {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
					_, again := traceOf(t, c, []int{0, 1}, 2, &by)
					compareTraces(t, level+" on two cores", first, again)
				}()
				_, second := traceOf(t, c, []int{1}, 1, &by)
				compareTraces(t, level+" of the second alone", first[1:], second)
			}
		})
	}
}

func compareTraces(t *testing.T, what string, want, got []*recordedTrace) {
	t.Helper()
	for i := range want {
		if want[i].text() != got[i].text() {
			t.Errorf("%s: trace %d is another one (%d and %d bytes)", what, i, want[i].lines.Len(), got[i].lines.Len())
		}
	}
}

// The steps that a replica goes through at once are in a trace as those that are looked at one by one.
func TestTracesAreTheSameWithoutShortcuts(t *testing.T) {
	all := scenarios(t)
	for _, name := range []string{"thrashing-tiers", "scaled"} {
		by := execute.Tracing{Full: true}
		_, first := traceOf(t, all[name], []int{0}, 1, &by)
		_, checked := tracedBy(t, all[name], []int{0}, execute.Options{Parallelism: 1, CheckInvariants: true}, &by)
		compareTraces(t, name, first, checked)
	}
}

// At level Full the decisions are those of level Decisions, with the kind of record before them.
func TestDecisionsAreTheSameAtLevelFull(t *testing.T) {
	for name, c := range scenarios(t) {
		_, decisions := traceOf(t, c, []int{0}, 1, &execute.Tracing{})
		_, full := traceOf(t, c, []int{0}, 1, &execute.Tracing{Full: true})
		var routing strings.Builder
		for line := range strings.Lines(full[0].text()) {
			if strings.HasPrefix(line, `{"record":"routing",`) {
				routing.WriteString(line)
			}
		}
		if routing.String() != decisions[0].text() {
			t.Errorf("%s: the decisions are others", name)
		}
	}
}

// The records of a simulation fit together, and with its results.
func TestRecordsFitTogether(t *testing.T) {
	kinds, summed := map[result.RecordKind]int{}, 0
	for name, c := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			all, traces := traceOf(t, c, []int{0}, 1, &execute.Tracing{Full: true})
			row, trace := &all[0].Row, traces[0]
			for _, r := range trace.records {
				kinds[r.Kind()]++
			}
			checkRequests(t, trace)
			if checkBatches(t, row, trace) {
				summed++
			}
			checkMoves(t, row, trace)
			checkScaling(t, trace)
			checkGateway(t, trace)
		})
	}
	if summed < 2 {
		t.Errorf("the tokens of %d scenarios were summed up", summed)
	}
	for _, kind := range result.RecordKinds {
		if kinds[kind] == 0 {
			t.Errorf("no scenario has records of kind %s", kind)
		}
	}
}

// countOf is a metric of a row; 0 where it has none.
func countOf(row *result.Row, name string) int {
	value, _ := row.Metrics.Get(name)
	return int(math.Round(value))
}

// checkRequests checks that each record is of a request that has a decision, in its time.
func checkRequests(t *testing.T, trace *recordedTrace) {
	decided := map[int64]bool{}
	for _, d := range trace.ended {
		decided[int64(d.request)] = true
	}
	for _, r := range trace.records {
		if request, ok := r.About(); ok && !decided[request] {
			t.Fatalf("a %s record is of request %d, which has no decision", r.Kind(), request)
		}
		if of := r.Of(); of.Seed != 42 && of.Seed != 1 || of.AtSeconds < 0 {
			t.Fatalf("a %s record of %+v", r.Kind(), of)
		}
	}
}

// checkBatches checks that the steps of a replica follow each other, and that they compute what the
// requests needed.
func checkBatches(t *testing.T, row *result.Row, trace *recordedTrace) (summed bool) {
	ends := map[string]float64{}
	prefill, decode := 0, 0
	for _, b := range recordsOf[result.BatchRecord](trace) {
		prefill, decode = prefill+int(b.PrefillTokens), decode+int(b.DecodeTokens)
		if b.Running < 1 || b.PrefillTokens+b.DecodeTokens < 1 || b.DurationSeconds <= 0 || b.KVUsage <= 0 || b.KVUsage > 1 || b.AtSeconds < ends[b.Replica]-1e-9 {
			t.Fatalf("%+v, after %g", b, ends[b.Replica])
		}
		ends[b.Replica] = b.AtSeconds + b.DurationSeconds
	}
	if countOf(row, "preemptions")+countOf(row, "handoffs") > 0 {
		return false // some tokens are computed twice
	}
	computed, generated := 0, 0
	for _, d := range trace.ended {
		o := &d.outcome
		if o.Ended != "completed" && !d.rejected {
			return false // some of its tokens were never computed
		}
		if o.OutputTokens != nil {
			generated += *o.OutputTokens - 1
		}
		computed -= o.GPUTokens + o.CPUTokens + o.StorageTokens
	}
	if prompts := promptTokens(trace); prefill != prompts+computed || decode != generated {
		t.Errorf("steps computed %d and %d tokens, the requests needed %d and %d", prefill, decode, prompts+computed, generated)
	}
	return true
}

// promptTokens are those of the requests that came to an engine.
func promptTokens(trace *recordedTrace) int {
	n := 0
	for line := range strings.Lines(trace.text()) {
		if d := decodeDecision(line); d != nil && d.Rejected == "" && d.Error == "" {
			n += d.Request.PromptTokens
		}
	}
	return n
}
