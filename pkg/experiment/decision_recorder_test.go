// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// keptLine is what tests look at.
type keptLine struct {
	Seed    int64
	Request struct{ ID int }
	LeftOut int
}

func unpack(t *testing.T, packed []byte) []keptLine {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var lines []keptLine
	for d := json.NewDecoder(z); d.More(); {
		var l keptLine
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestDecisionsAreKeptWhereThePlanSaysSo(t *testing.T) {
	for name, tc := range map[string]struct {
		trace v1alpha1.RunTrace
		want  int
	}{
		"not by default":  {v1alpha1.RunTrace{Level: v1alpha1.MinimalTrace}, 0},
		"all of forty":    {v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace}, 40},
		"as many as said": {v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace, Decisions: ptr.To[int32](3)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			run := testRun(t)
			run.Spec.Trace = tc.trace
			c, errs, err := compile.Run(t.Context(), run, traceInputs(t))
			if err != nil || len(errs) > 0 {
				t.Fatal(errs, err)
			}
			kept, err := execute.Simulate(t.Context(), c.Plan, c.Trace, firstRound(t, c.Plan), all(t, c.Plan).Indices(), execute.Options{Parallelism: 2, KeepDecisions: true})
			if err != nil {
				t.Fatal(err)
			}
			plain := mustSimulate(t, c, all(t, c.Plan))
			if encodeRows(t, kept) != encodeRows(t, plain) {
				t.Error("keeping decisions changes results")
			}
			for i, s := range kept {
				if plain[i].Decisions != nil || (s.Decisions == nil) != (tc.want == 0) {
					t.Fatalf("%d bytes kept, %d unasked", len(s.Decisions), len(plain[i].Decisions))
				}
				if tc.want > 0 {
					if lines := unpack(t, s.Decisions); len(lines) != tc.want || lines[0].Seed != s.Row.Seed {
						t.Errorf("%d lines, the first is %+v", len(lines), lines[0])
					}
				}
			}
		})
	}
}

func TestChunksHoldDecisions(t *testing.T) {
	c := mustCompileSweep(t, testSweep(t))
	simulations := mustSimulate(t, c, experiment.Span{End: 4})
	for i := range simulations {
		simulations[i].Decisions = packed(t, keptLine{Seed: int64(i)})
	}
	chunks, err := store.Chunks(simulations)
	if err != nil || len(chunks) != 1 {
		t.Fatalf("%d chunks: %v", len(chunks), err)
	}
	lines := unpack(t, chunks[0].Binary[store.DecisionsKey])
	if len(lines) != 4 || lines[3].Seed != 3 {
		t.Errorf("lines are %+v", lines)
	}
	simulations[1].Decisions = make([]byte, store.MaxChunkBytes*3/4)
	simulations[2].Decisions = make([]byte, store.MaxChunkBytes*3/4)
	if chunks, err = store.Chunks(simulations); err != nil || len(chunks) != 2 {
		t.Errorf("%d chunks of decisions that do not go together: %v", len(chunks), err)
	}
}

func packed(t *testing.T, line keptLine) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(line), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
