// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// followed are simulations of a run that keeps series, if it does.
func followed(t *testing.T, series *v1alpha1.SeriesTrace) []experiment.Simulation {
	t.Helper()
	run := experimenttest.Run(t)
	run.Spec.Replications = v1alpha1.Replications{Seeds: []int64{1, 2, 3, 4, 5}}
	run.Spec.Trace.Series = series
	c := experimenttest.MustCompileRun(t, run)
	round := experimenttest.FirstRound(t, c.Plan)
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, round, experimenttest.AllSimulations(t, c.Plan).Indices(),
		execute.Options{Parallelism: 2, Series: c.Plan.Series})
	if err != nil {
		t.Fatal(err)
	}
	return simulations
}

func chunksOf(t *testing.T, simulations []experiment.Simulation) []store.Chunk {
	t.Helper()
	chunks, err := store.Chunks(simulations)
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

func TestRowsAndDocumentsAreThoseWithoutSeries(t *testing.T) {
	want, got := chunksOf(t, followed(t, nil)), chunksOf(t, followed(t, &v1alpha1.SeriesTrace{}))
	if want[0].Binary[store.SeriesKey] != nil || got[0].Binary[store.SeriesKey] == nil {
		t.Fatal("series are kept where nobody asks, or are not where somebody does")
	}
	delete(got[0].Binary, store.SeriesKey)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (−without +with):\n%s", diff)
	}
}

// TestSeriesOfShardsAreTheSameInAnyOrder, whatever simulations a shard has.
func TestSeriesOfShardsAreTheSameInAnyOrder(t *testing.T) {
	simulations := followed(t, &v1alpha1.SeriesTrace{Bins: new(int32(50))})
	read := func(chunks []store.Chunk) string {
		series, err := store.ReadSeries(chunks)
		if err != nil {
			t.Fatal(err)
		}
		raw := jsontest.Encode(t, series)
		return string(raw)
	}
	want := read(chunksOf(t, simulations))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(simulations), func(i, j int) { simulations[i], simulations[j] = simulations[j], simulations[i] })
		cut := 1 + r.IntN(len(simulations)-1)
		shards := slices.Concat(chunksOf(t, simulations[:cut]), chunksOf(t, simulations[cut:]))
		if got := read(shards); got != want {
			t.Fatalf("other series: %s", cmp.Diff(want, got))
		}
	}
}

func TestSeriesTakeNoMoreThanTheirRoom(t *testing.T) {
	simulations := followed(t, &v1alpha1.SeriesTrace{})
	r := rand.New(rand.NewPCG(3, 4))
	big := simulations[0].Series
	big.Replicas = nil
	for range 64 {
		columns := map[string][]int64{}
		for _, name := range []string{"waiting", "running", "busy", "blocks"} {
			for range big.Lasted {
				columns[name] = append(columns[name], r.Int64N(1<<40))
			}
		}
		big.Replicas = append(big.Replicas, result.SeriesTrack{Columns: columns})
	}
	packed := chunksOf(t, simulations[:1])[0].Binary[store.SeriesKey]
	series, err := result.UnpackSeries(packed)
	if err != nil || len(packed) > 256<<10 || len(series[0].Lasted) >= len(big.Lasted) {
		t.Errorf("%d bytes: %v", len(packed), err)
	}
}
