// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// TestThePageOnTraceSessions runs the sample of two replays of the same conversations, and
// holds docs/trace-sessions.md against what it says.
func TestThePageOnTraceSessions(t *testing.T) {
	name := filepath.Join(cmdtest.Samples, "policysweep-trace-sessions.yaml")
	before := turnsBefore(t, name)
	sessions := 0
	for _, length := range before {
		if length == 0 {
			sessions++
		}
	}
	file, stdout := cmdtest.RequestsOf(t, windtunnel, "sweep", "-f", name, "-o", "json")
	var out struct{ Rows []result.Row }
	if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&out); err != nil {
		t.Fatal(err)
	}
	// The requests of a point under one workload follow those under the one before.
	requests := slices.Collect(slices.Chunk(cmdtest.ReadRequests(t, file), len(before)))
	if len(requests) != len(out.Rows) {
		t.Fatalf("requests of %d simulations for %d rows", len(requests), len(out.Rows))
	}
	var rows []sessionsRow
	for i, row := range out.Rows {
		r := sessionsRow{Replicas: []string{"4", "2", "1"}[row.Point], Replay: row.Workload}
		last, early := 0.0, 0
		end := map[int64]float64{}
		for _, q := range requests[i] {
			end[q.PromptTokens] = q.ArrivalSeconds + *q.E2ESeconds
			last = max(last, end[q.PromptTokens])
		}
		if len(end) != len(before) {
			t.Fatalf("point %d under %s has %d turns, want %d", row.Point, row.Workload, len(end), len(before))
		}
		for _, q := range requests[i] {
			if length := before[q.PromptTokens]; length != 0 && q.ArrivalSeconds < end[length] {
				early++
			}
		}
		figure := func(metric, format string) string {
			value, ok := row.Metrics.Get(metric)
			if !ok {
				t.Fatalf("no %s", metric)
			}
			return fmt.Sprintf(format, value)
		}
		r.E2E, r.TTFT, r.Rate = figure("e2e.mean", "%.1f"), figure("ttft.p90", "%.2f"), figure("throughput.requests", "%.2f")
		r.Last, r.Early = fmt.Sprintf("%.0f", last), fmt.Sprintf("%d of %d", early, len(before)-sessions)
		rows = append(rows, r)
	}
	comparePage(t, "trace-sessions.md", map[string]any{"Sessions": sessions, "Turns": len(before), "Rows": rows})
}

// sessionsRow is a row of the page's table.
type sessionsRow struct{ Replicas, Replay, E2E, TTFT, Rate, Last, Early string }

// turnsBefore reads both traces of the sample, which must be of the same conversations. It
// returns the length of the prompt of the turn before each turn, by the length of its own
// prompt; 0 for first turns.
func turnsBefore(t *testing.T, name string) map[int64]int64 {
	t.Helper()
	raw := cmdtest.TextOf(t, filepath.Clean(name))
	all := map[string]map[int64]int64{}
	for _, key := range []string{"delays", "timestamps"} {
		_, text, found := strings.Cut(raw, "  "+key+".jsonl: |\n")
		if !found {
			t.Fatalf("the sample has no %s", key)
		}
		before, last := map[int64]int64{}, map[string]int64{}
		for line := range strings.Lines(text) {
			var row struct {
				Session string `json:"session_id"`
				Length  int64  `json:"input_length"`
			}
			if json.Unmarshal([]byte(line), &row) != nil {
				break
			}
			before[row.Length], last[row.Session] = last[row.Session], row.Length
		}
		all[key] = before
	}
	if diff := cmp.Diff(all["delays"], all["timestamps"]); diff != "" {
		t.Fatalf("turns (-delays +timestamps):\n%s", diff)
	}
	return all["delays"]
}
