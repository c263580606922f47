// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A run of our own: made up, simulated with coefficients that are known and
// written down as if it had been measured.
const (
	ownLog    = "testdata/own.jsonl"
	ownBlocks = "testdata/own-blocks.jsonl"
)

var ownCoefficients = coefficients{
	memoryShare:      0.78,
	flopsShare:       0.66,
	layerOverhead:    45e3,
	tokenOverhead:    3e3,
	sequenceOverhead: 25e3,
}

// five are the coefficients of a dense model on one GPU.
var five = shared(memoryShare, flopsShare, layerOverhead, tokenOverhead, sequenceOverhead)

func ownEngine() Engine {
	return Engine{
		Instance:    instance("Llama-3.1-8B", "rtx-4090"),
		BlockTokens: 16, KVBlocks: 1200, MaxNumSeqs: 64, MaxNumBatchedTokens: 1024, MaxModelLen: 131072,
		PrefixCaching: true, ReserveFullPrompt: true,
	}
}

func instance(model, accelerator string) latency.Instance {
	m, ok := latency.Builtin().Model(model)
	a, found := latency.Builtin().Accelerator(accelerator)
	if !ok || !found {
		panic(model + " on " + accelerator + " is not in the catalogue")
	}
	return latency.Instance{Model: m, Accelerator: a, TensorParallelism: 1}
}

// ownRun reads the run of our own.
func ownRun(t testing.TB) *Run {
	t.Helper()
	return readRun(t, "own", ownEngine(), ownLog, ownBlocks)
}

// readRun reads a run from a log and its blocks of 16 tokens.
func readRun(t testing.TB, name string, e Engine, log, blocks string) *Run {
	t.Helper()
	f := testfile.Open(t, log)
	requests, err := ReadLog(JSONL, f, log)
	if err != nil {
		t.Fatal(err)
	}
	b := testfile.Open(t, blocks)
	if err := ReadBlocks(b, blocks, 16, requests); err != nil {
		t.Fatal(err)
	}
	return NewRun(name, e, requests)
}

// TestWriteOwnRun makes the run of our own, with -update.
func TestWriteOwnRun(t *testing.T) {
	if !*golden.Update {
		t.Skip("writes testdata, with -update only")
	}
	run := NewRun("own", ownEngine(), ownRequests())
	all, err := run.Replay(context.Background(), ownCoefficients.roofline(run.Engine.Instance), 0)
	if err != nil {
		t.Fatal(err)
	}
	var log, blocks bytes.Buffer
	const start = 1000.0 // engines' clocks start anywhere
	for i, q := range run.Requests {
		queued := start + q.Queued.Seconds()
		fmt.Fprintf(&log, `{"request_id": "own-%d", "input_toks": %d, "output_toks": %d, "queued_ts": %.6f, "first_token_ts": %.6f, "last_token_ts": %.6f}`+"\n",
			i, q.InputTokens, q.OutputTokens, queued, queued+all[i].TTFT, queued+all[i].E2E)
		ids := jsontest.Encode(t, q.Blocks)
		fmt.Fprintf(&blocks, `{"input_length": %d, "output_length": %d, "hash_ids": %s}`+"\n", q.InputTokens, q.OutputTokens, ids)
	}
	for name, text := range map[string]*bytes.Buffer{ownLog: &log, ownBlocks: &blocks} {
		testfile.Write(t, name, text.Bytes())
	}
}

// ownRequests arrive slowly at first and then faster than the engine serves
// them, so that the log has steps of all sizes, a queue and preemptions. Half of
// them start with one of three system prompts.
func ownRequests() []Request { return requestsOf(30, 110, 80*time.Millisecond) }

// requestsOf returns some requests that arrive slowly and then some that do at
// mean gaps of fastGap.
func requestsOf(slow, fast int, fastGap time.Duration) []Request {
	const systemBlocks = 10
	s := stats.NewStream(7, "calibrate/own")
	var all []Request
	var now time.Duration
	next := uint64(1000)
	for i := range slow + fast {
		gap := fastGap
		if i < slow {
			gap = 1500 * time.Millisecond
		}
		now += time.Duration(s.Exponential() * float64(gap))
		q := Request{
			Queued:       simtime.Time(now),
			InputTokens:  200 + min(1300, int(s.Exponential()*300)),
			OutputTokens: 20 + min(480, int(s.Exponential()*120)),
			BlockTokens:  16,
		}
		system := s.IntN(6)
		for b := range q.InputTokens / 16 {
			id := next
			if b < systemBlocks && system < 3 {
				id = uint64(system*systemBlocks + b)
			}
			q.Blocks = append(q.Blocks, id)
			next++
		}
		all = append(all, q)
	}
	return all
}
