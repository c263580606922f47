// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestChunksHoldDecisions(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	simulations := experimenttest.MustSimulate(t, c, experiment.Span{End: 4})
	for i := range simulations {
		simulations[i].Decisions = packed(t, experimenttest.DecisionLine{Seed: int64(i)})
	}
	chunks, err := store.Chunks(simulations)
	if err != nil || len(chunks) != 1 {
		t.Fatalf("%d chunks: %v", len(chunks), err)
	}
	lines := experimenttest.DecisionLines(t, chunks[0].Binary[store.DecisionsKey])
	if len(lines) != 4 || lines[3].Seed != 3 {
		t.Errorf("lines are %+v", lines)
	}
	simulations[1].Decisions = make([]byte, store.MaxChunkBytes*3/4)
	simulations[2].Decisions = make([]byte, store.MaxChunkBytes*3/4)
	if chunks, err = store.Chunks(simulations); err != nil || len(chunks) != 2 {
		t.Errorf("%d chunks of decisions that do not go together: %v", len(chunks), err)
	}
}

func packed(t *testing.T, line experimenttest.DecisionLine) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(line), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestARowLargerThanAConfigMapIsAnError(t *testing.T) {
	_, err := store.Chunks([]experiment.Simulation{{Row: result.Row{Key: strings.Repeat("x", store.MaxChunkBytes), Share: 1}}})
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("error is %v", err)
	}
}

func TestChunksHoldAllRowsInOrder(t *testing.T) {
	var many []experiment.Simulation
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		values := map[string]float64{}
		for _, m := range result.RegisteredMetrics() {
			values[m.String()] = r.Float64()
		}
		many = append(many, experiment.Simulation{Row: result.Row{Key: "k", Point: i, Share: 1, Metrics: result.NewMetrics(values)}})
	}
	chunks, err := store.Chunks(many)
	if err != nil {
		t.Fatal(err)
	}
	if len(chunks) < 2 {
		t.Fatalf("%d rows fit into %d chunk", len(many), len(chunks))
	}
	var text string
	rows := 0
	for i, chunk := range chunks {
		if size := len(chunk.Binary[store.RowsKey]); size > store.MaxChunkBytes || i < len(chunks)-1 && size < store.MaxChunkBytes*9/10 {
			t.Errorf("chunk %d has %d bytes", i, size)
		}
		decoded, err := chunk.Decode()
		if err != nil || len(decoded) != chunk.Rows {
			t.Fatalf("chunk %d: %d rows, says %d: %v", i, len(decoded), chunk.Rows, err)
		}
		lines, err := chunk.Lines()
		if err != nil {
			t.Fatal(err)
		}
		text += string(lines)
		rows += chunk.Rows
	}
	if rows != len(many) || text != experimenttest.EncodeRows(t, many) {
		t.Errorf("%d of %d rows, or in another order", rows, len(many))
	}
}

// TestAShardOfAMillionTakesTwoChunks has the rows of one of 32 shards of a million points of a fine grid,
// which behave alike: 52 MB of text, of which the keys alone do not repeat.
func TestAShardOfAMillionTakesTwoChunks(t *testing.T) {
	values := map[string]float64{}
	r := rand.New(rand.NewPCG(3, 4))
	for _, m := range result.RegisteredMetrics()[:43] { // 1.65 kB a row, as that of a usual sweep
		values[m.String()] = r.Float64()
	}
	metrics := result.NewMetrics(values)
	shard := make([]experiment.Simulation, 1_000_000/32)
	for i := range shard {
		key := fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())
		shard[i].Row = result.Row{Key: key, Point: i, Seed: 1, Share: 1, Metrics: metrics}
	}
	chunks, err := store.Chunks(shard)
	if err != nil || len(chunks) != 2 {
		t.Fatalf("%d chunks, want 2: %v", len(chunks), err)
	}
	var rows []result.Row
	for _, c := range chunks {
		some, digest, err := c.DecodeAndDigest(math.MaxInt)
		if err != nil || digest != c.SHA256() {
			t.Fatalf("digest %s, want %s: %v", digest, c.SHA256(), err)
		}
		rows = append(rows, some...)
	}
	for i := range shard {
		if rows[i].Key != shard[i].Row.Key || !rows[i].Metrics.Equal(metrics) {
			t.Fatalf("row %d is %+v", i, rows[i])
		}
	}
}

func TestAChunkThatUnpacksToTooMuchIsAnError(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range 65 {
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	c := store.Chunk{Binary: map[string][]byte{store.RowsKey: b.Bytes()}}
	if _, err := c.Decode(); err == nil || err.Error() != "rows.jsonl.gz: holds more than 64 MiB" {
		t.Errorf("error is %v", err)
	}
}

// Three rows, of which one more than expected is an error that keeps the digest.
func TestAChunkWithMoreRowsThanExpectedIsAnError(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	chunks, err := store.Chunks(experimenttest.MustSimulate(t, c, experiment.Span{End: 3}))
	if err != nil || len(chunks) != 1 {
		t.Fatalf("%d chunks: %v", len(chunks), err)
	}
	for most, fails := range map[int]bool{2: true, 3: false} {
		rows, digest, err := chunks[0].DecodeAndDigest(most)
		if (err != nil) != fails || fails != (rows == nil) || digest != chunks[0].SHA256() {
			t.Errorf("at most %d rows: %d rows, digest %s, error %v", most, len(rows), digest, err)
		}
	}
}
