// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func TestNew(t *testing.T) {
	for _, form := range append(stability.Forms(), "") {
		c, err := stability.New(form, stability.DefaultConfig(), 0)
		if err != nil {
			t.Fatalf("%q: %v", form, err)
		}
		want := "*stability.Queueing"
		if form == stability.FormQueueingSeed {
			want = "*stability.QueueingSeed"
		}
		if got := fmt.Sprintf("%T", c); got != want {
			t.Errorf("%q is %s, want %s", form, got, want)
		}
	}
	if _, err := stability.New("queuing", stability.DefaultConfig(), 0); err == nil {
		t.Error("an unknown form is made")
	}
}

func TestNumbersThatCannotBe(t *testing.T) {
	for name, call := range map[string]func(stability.Controller){
		"negative output":        func(c stability.Controller) { c.Completion(0, stability.Completion{OutputTokens: -1}) },
		"more shared than held":  func(c stability.Controller) { c.Completion(0, stability.Completion{Blocks: 1, SharedBlocks: 2}) },
		"more free than total":   func(c stability.Controller) { c.State(0, stability.Memory{TotalBlocks: 1, FreeBlocks: 2}) },
		"more shared than used":  func(c stability.Controller) { c.State(0, stability.Memory{TotalBlocks: 1, SharedBlocks: 2}) },
		"negative evictable":     func(c stability.Controller) { c.State(0, stability.Memory{EvictableBlocks: -1}) },
		"no memory, not decided": func(c stability.Controller) { c.Decide(0, stability.Memory{FreeBlocks: 1}, 1) },
	} {
		for _, form := range stability.Forms() {
			t.Run(fmt.Sprintf("%s, %s", name, form), func(t *testing.T) {
				c, err := stability.New(form, stability.DefaultConfig(), 0)
				if err != nil {
					t.Fatal(err)
				}
				defer paniccheck.Want(t, "no panic")
				call(c)
			})
		}
	}
}

// traceRequest is a row of a trace.
type traceRequest struct {
	at             simtime.Time
	prompt, output int
}

func readTrace(t *testing.T, format trace.Format, path string) []traceRequest {
	t.Helper()
	file := testfile.Open(t, path)
	recorded, err := trace.Read(format, file, path)
	if err != nil {
		t.Fatal(err)
	}
	source := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1)
	var rows []traceRequest
	for {
		r, ok := source.Next()
		if !ok {
			return rows
		}
		rows = append(rows, traceRequest{r.Arrival, r.Prompt.Tokens(), r.OutputTokens})
	}
}

// TestTraces has both forms watch the arrivals of recorded traffic, all of it
// in steps of 20 ms and with the KV cache of Llama-3.1-8B on an 80 GB GPU.
func TestTraces(t *testing.T) {
	for name, tc := range map[string]struct {
		rows func(t *testing.T) []traceRequest
		// wantDemand is by o·(s+o/2), and wantServed the rate that it lets through.
		wantDemand, wantServed float64
		// wantSketch is the sketch's arrival rate, over the true one.
		wantSketch float64
	}{
		"a small trace": {func(t *testing.T) []traceRequest {
			return readTrace(t, trace.Azure, "testdata/lengths.csv")
		}, (2*73_728 + 40_050 + 116_000 + 1.5) / 5, 420_992 / (0.020 * 60_701.5), 0},
		"Azure code": {func(t *testing.T) []traceRequest {
			return readTrace(t, trace.Azure, testdata.File(t, "traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"))
		}, 59_416, 354, 1.47},
		"Mooncake conversation": {func(t *testing.T) []traceRequest {
			return readTrace(t, trace.Mooncake, testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
		}, 4_497_181, 4.68, 0.10},
	} {
		t.Run(name, func(t *testing.T) {
			rows := tc.rows(t)
			demand := 0.0
			for _, r := range rows {
				demand += stability.ApproximateTokenIterations(r.prompt, r.output) / float64(len(rows))
			}
			within(t, "E[g]", demand, tc.wantDemand, 1e-4)
			within(t, "μ", stability.ServedPerSecond(420_992, 0.020, demand), tc.wantServed, 2e-3)
			if tc.wantSketch == 0 {
				return
			}
			duration := rows[len(rows)-1].at.Seconds()
			truth := float64(len(rows)) / duration
			corrected, sketch := watch(t, rows)
			t.Logf("%.3f requests/s: corrected %.3f, sketch %.3f", truth, corrected, sketch)
			within(t, "λ", corrected, truth, 0.05)
			within(t, "λ of the sketch", sketch/truth, tc.wantSketch, 0.05)
		})
	}
}

// watch returns the arrival rates that the forms say: Queueing's averaged over
// the seconds of a trace, the sketch's over its arrivals, which alone change it.
func watch(t *testing.T, rows []traceRequest) (corrected, sketch float64) {
	t.Helper()
	memory := stability.Memory{TotalBlocks: 26_312}
	controllers := make([]stability.Controller, 2)
	for i, form := range stability.Forms() {
		c, err := stability.New(form, stability.DefaultConfig(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			c.Steps(0, 1, 20*time.Millisecond)
			c.Completion(0, stability.Completion{PromptTokens: 512, OutputTokens: 128, Blocks: 40, Service: time.Second})
		}
		controllers[i] = c
	}
	seconds := 0.0
	for next, now := 0, simtime.Time(1e9); now < rows[len(rows)-1].at; now = now.Add(time.Second) {
		for ; rows[next].at < now; next++ {
			for _, c := range controllers {
				c.Arrival(rows[next].at)
			}
			sketch += controllers[1].State(now, memory).ArrivalsPerSecond / float64(len(rows))
		}
		corrected += controllers[0].State(now, memory).ArrivalsPerSecond
		seconds++
	}
	return corrected / seconds, sketch
}

// FuzzController tells both forms of events in any order of times and checks
// what holds of every answer.
func FuzzController(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 0, 0, 0, 1, 200, 200, 2, 50, 9, 3, 0, 0, 4, 10, 10})
	f.Add([]byte("0000000000111111111122222222223333333333444444444455555555555"))
	f.Fuzz(func(t *testing.T, script []byte) {
		for _, form := range stability.Forms() {
			first, second := answers(t, form, script), answers(t, form, script)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Fatalf("%s: equal calls, other answers (-first +second):\n%s", form, diff)
			}
		}
	})
}

// answers plays a script of three bytes an event: what, when and how much.
func answers(t *testing.T, form stability.Form, script []byte) []string {
	config := stability.DefaultConfig()
	config.MinCompletions = 2
	c, err := stability.New(form, config, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	at := simtime.Time(0)
	for ; len(script) >= 3; script = script[3:] {
		what, when, much := script[0]%5, script[1], int(script[2])
		at = max(0, at+simtime.Time(int64(when)-8)*50_000_000) // now and then back
		memory := stability.Memory{
			TotalBlocks: 600, FreeBlocks: much, EvictableBlocks: int(when), SharedBlocks: (600 - much - int(when)) / 2,
		}
		switch what {
		case 0:
			c.Arrival(at)
		case 1:
			c.Completion(at, stability.Completion{
				PromptTokens: 40 * much, OutputTokens: int(when), Blocks: much, SharedBlocks: much / 3, Service: time.Duration(much) * time.Second / 10,
			})
		case 2:
			c.Steps(at, 1+much, time.Duration(when)*time.Millisecond)
		case 3:
			s := c.State(at, memory)
			checkState(t, s)
			all = append(all, fmt.Sprintf("%+v", s))
		case 4:
			d := c.Decide(at, memory, much)
			if form == stability.FormQueueing && (d.EvictBlocks+d.DeferredBlocks > memory.EvictableBlocks || d.Infeasible) {
				t.Fatalf("%+v of %+v", d, memory)
			}
			if d.EvictBlocks < 0 || d.DeferredBlocks < 0 || d.ShortfallBlocks < 0 {
				t.Fatalf("below 0: %+v", d)
			}
			all = append(all, fmt.Sprintf("%+v", d))
		}
	}
	return all
}

func checkState(t *testing.T, s stability.State) {
	t.Helper()
	for name, x := range map[string]float64{
		"ArrivalsPerSecond": s.ArrivalsPerSecond, "ServedPerSecond": s.ServedPerSecond,
		"Utilization": s.Utilization, "UtilizationStdError": s.UtilizationStdError,
		"StepSeconds": s.StepSeconds, "TokenIterationsPerRequest": s.TokenIterationsPerRequest, "BlocksPerRequest": s.BlocksPerRequest,
		"UsedBlocks": s.UsedBlocks, "UsedBlocksStdDev": s.UsedBlocksStdDev, "CriticalArrivalsPerSecond": s.CriticalArrivalsPerSecond,
		"MinimumStableBlocks": float64(s.MinimumStableBlocks), "MissingBlocks": float64(s.MissingBlocks), "ReserveBlocks": float64(s.ReserveBlocks),
	} {
		if math.IsNaN(x) || x < 0 {
			t.Fatalf("%s is %v: %+v", name, x, s)
		}
	}
	if !s.Insufficient && s.RecommendedKVBits == 0 || math.IsNaN(s.StabilityMarginPercent) {
		t.Fatalf("state %+v", s)
	}
}
