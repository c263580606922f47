// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// lengths is the size of a request in tokens.
type lengths struct{ input, output int }

// heldTokens is the KV that a request takes, summed over its steps:
// o·(s + o/2).
func (l lengths) heldTokens() float64 {
	return float64(l.output) * (float64(l.input) + float64(l.output)/2)
}

const (
	stabilityStep   = 20 * time.Millisecond
	stabilityBlocks = 26_312 // of 16 tokens: Llama-3.1-8B on an 80 GB GPU
)

// TestStabilityBoundary holds the engine against the boundary of Nie, Si and
// Zhou (ICML 2026): an engine whose KV cache holds M tokens and whose steps
// last b serves at most M/(b·E[g]) requests a time, with g the tokens that one
// holds summed over its steps. With steps of one length, no token budget and no
// prefix cache the queue grows if and only if the arrivals are above that, at
// 0.7 to 1.3 times the boundary. What is served above it is the boundary less
// 1 to 2 %: last blocks are not full, and blocks that do not suffice for the head
// of the queue serve nobody.
func TestStabilityBoundary(t *testing.T) {
	for name, tc := range map[string]struct {
		rows func(t *testing.T) []lengths
		// half of a run: many times the time that a request takes.
		half time.Duration
	}{
		"constant lengths": {func(*testing.T) []lengths { return []lengths{{512, 128}} }, 2 * time.Minute},
		"lengths of a small trace": {func(t *testing.T) []lengths {
			return readLengths(t, trace.Azure, "testdata/lengths.csv")
		}, 2 * time.Minute},
		"lengths of the Azure code trace": {func(t *testing.T) []lengths {
			return readLengths(t, trace.Azure, testdata.File(t, "traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"))
		}, 2 * time.Minute},
		"lengths of the Mooncake conversation trace": {func(t *testing.T) []lengths {
			return readLengths(t, trace.Mooncake, testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
		}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := tc.rows(t)
			held := 0.0
			for _, l := range rows {
				held += l.heldTokens() / float64(len(rows))
			}
			boundary := 16 * stabilityBlocks / (held * stabilityStep.Seconds())
			for _, share := range []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3} {
				rate := share * boundary
				growth, served := secondHalf(t, rows, rate, tc.half)
				t.Logf("%.1f of %.2f requests/s: the queue grows by %.2f/s, %.2f/s are served", share, boundary, growth, served)
				// Half of what arrives beyond the boundary at 1.1 times it.
				if grows := growth > 0.05*rate; grows != (share > 1) {
					t.Errorf("at %.1f of %.2f requests/s the queue grows by %.2f/s", share, boundary, growth)
				}
				if share > 1 && (served < 0.97*boundary || served > 1.01*boundary) {
					t.Errorf("at %.1f of %.2f requests/s %.2f/s are served", share, boundary, served)
				}
			}
		})
	}
}

// secondHalf returns by how much a second the requests in the system grow, and
// how many of them complete, in the second half of a run.
func secondHalf(t *testing.T, rows []lengths, rate float64, half time.Duration) (growth, served float64) {
	middle, end := inFlightAt(t, rows, rate, half), inFlightAt(t, rows, rate, 2*half)
	growth = float64(end.Unfinished-middle.Unfinished) / half.Seconds()
	served = float64(end.Completed-middle.Completed) / half.Seconds()
	return growth, served
}

// inFlightAt runs one engine up to a time, without a drain: what is then
// unfinished is in the system.
func inFlightAt(t *testing.T, rows []lengths, rate float64, at time.Duration) *simulator.Cell {
	return run(t, simulator.Config{
		Pools: []simulator.Pool{{
			Name: "engine", Replicas: 1,
			Timer:       timer(func(latency.Step) time.Duration { return stabilityStep }),
			BlockTokens: 16, KVBlocks: stabilityBlocks, MaxNumSeqs: 1 << 16, MaxNumBatchedTokens: 1 << 30,
		}},
		Policies: policy.RoutedBy(&inTurn{}),
		Source: &arrivals{
			stream: stats.NewStream(1, "stability"), gap: 1e9 / rate, grid: 1,
			size: func(s *stats.Stream) (int, int) {
				l := rows[s.IntN(len(rows))]
				return l.input, l.output
			},
		},
		Horizon: simulator.Horizon{Duration: at},
	})
}

// readLengths reads the lengths of a trace.
func readLengths(t *testing.T, format trace.Format, path string) []lengths {
	file := testfile.Open(t, path)
	recorded, err := trace.Read(format, file, path)
	if err != nil {
		t.Fatal(err)
	}
	source := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1)
	var rows []lengths
	for {
		r, ok := source.Next()
		if !ok {
			return rows
		}
		rows = append(rows, lengths{r.Prompt.Tokens(), r.OutputTokens})
	}
}
