// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// seriesOf follows a small cluster under a seed, for so many requests.
func seriesOf(t *testing.T, seed int64, requests int) *Series {
	t.Helper()
	client := func(class string, tokens float64) workload.Client {
		return workload.Client{
			Name: class, Tenant: "acme", Class: class,
			Arrivals:    workload.Arrivals{Process: workload.Poisson, RatePerSecond: 30},
			Input:       workload.Lengths{Distribution: stats.Exponential{Mean: tokens}, Min: 1},
			Output:      workload.Lengths{Distribution: stats.Exponential{Mean: 40}, Min: 1},
			PrefixGroup: "acme", PrefixTokens: 128,
		}
	}
	pools := []simulator.Pool{{
		Name: "llama", Replicas: 2, Timer: latency.Linear{BaseMicroseconds: 5000, PerPrefillTokenMicroseconds: 20, PerDecodeTokenMicroseconds: 50},
		BlockTokens: 16, KVBlocks: 200, PrefixCaching: true, MaxNumSeqs: 16, MaxNumBatchedTokens: 512,
	}}
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools: pools, Policies: policy.RoutedBy(&turns{endpoints: 2}), Seed: seed,
		Source:  workload.NewClients([]workload.Client{client("critical", 200), client("sheddable", 600)}, seed),
		Horizon: simulator.Horizon{Requests: requests, Drain: 100 * time.Millisecond},
		Series:  simulator.SeriesConfig{Bins: 40, Width: 16 * time.Millisecond, Unit: time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	return NewSeries(o, pools, &Meta{})
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestSeriesMergeInAnyOrderAndGrouping(t *testing.T) {
	var all []*Series
	for seed := range int64(7) {
		all = append(all, seriesOf(t, seed, 20<<seed)) // bins of several widths
	}
	merged := func(all ...*Series) *Series {
		s, err := MergeSeries(all...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := encoded(t, merged(all...))
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		a, b := r.IntN(len(all)), r.IntN(len(all))
		shards := []*Series{merged(all[:min(a, b)]...), merged(all[min(a, b):max(a, b)]...), merged(all[max(a, b):]...)}
		if diff := cmp.Diff(want, encoded(t, merged(shards...))); diff != "" {
			t.Fatalf("another order (−want +got):\n%s", diff)
		}
	}
	if s := merged(all...); s.Runs != 7 || len(s.Lasted) > 40 {
		t.Errorf("%d runs in %d bins", s.Runs, len(s.Lasted))
	}
}

func TestMergingLeavesSeriesAsTheyAre(t *testing.T) {
	a, b := seriesOf(t, 1, 50), seriesOf(t, 2, 800)
	before := encoded(t, []*Series{a, b})
	if _, err := MergeSeries(a, b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, encoded(t, []*Series{a, b})); diff != "" {
		t.Errorf("(−before +after):\n%s", diff)
	}
}

func TestSeriesOfOtherScenariosDoNotMerge(t *testing.T) {
	a, b := seriesOf(t, 1, 50), seriesOf(t, 2, 50)
	b.Pools[0].KVBlocks++
	if _, err := MergeSeries(a, b); err == nil {
		t.Error("series of pools with other caches were merged")
	}
}

func TestPackedSeriesFitAndComeBack(t *testing.T) {
	s := seriesOf(t, 1, 300)
	all, err := s.Pack(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	read, err := UnpackSeries(bytes.Repeat(all, 2))
	if err != nil || len(read) != 2 {
		t.Fatalf("%d pieces, %v", len(read), err)
	}
	if diff := cmp.Diff(s, read[1]); diff != "" {
		t.Errorf("(−written +read):\n%s", diff)
	}
	small, err := s.Pack(len(all) - 1)
	if err != nil {
		t.Fatal(err)
	}
	if read, err = UnpackSeries(small); err != nil || len(read[0].Lasted) != (len(s.Lasted)+1)/2 {
		t.Errorf("%v, %v", read, err)
	}
	if _, err := s.Pack(10); err == nil {
		t.Error("series fit into 10 bytes")
	}
}

func TestSpoiltSeriesAreRefused(t *testing.T) {
	good := seriesOf(t, 1, 100)
	whole, err := good.Pack(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	packed := map[string][]byte{"a cut file": whole[:len(whole)/2], "no gzip file": []byte("series")}
	for name, spoil := range map[string]func(*Series){
		"another schema version": func(s *Series) { s.SchemaVersion = "windtunnel.dev/series/v9" },
		"no bins":                func(s *Series) { s.Lasted = nil },
		"a longer column":        func(s *Series) { s.Pools[0].Columns["waiting"] = make([]int64, 1000) },
		"no width":               func(s *Series) { s.WidthUnits = 0 },
		"too few counts":         func(s *Series) { s.Distributions[0].Counts = s.Distributions[0].Counts[1:] },
	} {
		s := good.clone()
		spoil(s)
		if packed[name], err = s.Pack(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	for name, raw := range packed {
		if _, err := UnpackSeries(raw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzUnpackSeries(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":"windtunnel.dev/series/v1","runs":1,"unitNanoseconds":1,"widthUnits":1,"lasted":[1]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var s Series
		if json.Unmarshal(line, &s) != nil || s.check() != nil {
			return
		}
		s.Lines()
		if merged, err := MergeSeries(&s, &s); err == nil {
			merged.Lines()
		}
	})
}

// TestLinesSayWhatTheSumsSay holds a few values against what they mean.
func TestLinesSayWhatTheSumsSay(t *testing.T) {
	track := func(columns map[string][]int64) SeriesTrack {
		return SeriesTrack{Name: "llama", KVBlocks: 10, Columns: columns, PeakWaiting: 4, PeakBlocks: 5}
	}
	s := &Series{
		SchemaVersion: SeriesSchemaVersion, Runs: 2, UnitNanoseconds: 1e6, WidthUnits: 500, Lasted: []int64{1000, 250},
		Pools: []SeriesTrack{track(map[string][]int64{
			"waiting": {2000, 0}, "present": {4000, 0}, "blocks": {10000, 0}, "busy": {1000, 0},
			"arrived": {7, 1}, "promptTokens": {100, 0}, "cachedTokens": {25, 0},
		})},
		Routers: []SeriesRouter{{Law: "l", Known: []int64{500, 0}, Prefix: []int64{1_500_000, 0}, Load: []int64{250_000, 0}}},
	}
	l := s.Lines()
	nan := math.NaN()
	for name, want := range map[string]LineValues{
		"waiting": {2, 0}, "replicas": {4, 0}, "kvUsage": {0.25, nan}, "utilization": {0.25, nan},
		"arrivals": {7, 1}, "hitShare": {0.25, nan}, "rejected": {0, 0}, "running": {0, 0},
	} {
		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(l.Pools[0].Lines[name])); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff("[3 NaN] [0.5 NaN] [1 0.25] 0.5", fmt.Sprint(l.Routers[0].Lines["prefixWeight"], l.Routers[0].Lines["loadWeight"], l.BinsSeconds, l.BinSeconds)); diff != "" {
		t.Errorf("routers and time (−want +got):\n%s", diff)
	}
	want := &TrackTotal{
		Requests: 8, PromptTokens: 100, CachedTokens: 25, HitShare: new(0.25), Utilization: new(0.25),
		MeanWaiting: new(0.5), MeanRunning: new(0.0), MeanKVUsage: new(0.25), PeakWaiting: 4, PeakKVUsage: 0.5,
	}
	if diff := cmp.Diff(want, l.Pools[0].Total); diff != "" {
		t.Errorf("total (−want +got):\n%s", diff)
	}
	again := jsontest.Decode[Lines](t, []byte(encoded(t, l)))
	if diff := cmp.Diff(encoded(t, l), encoded(t, &again)); diff != "" {
		t.Errorf("JSON (−written +read):\n%s", diff)
	}
}

func TestDistributionsEndWithAllValues(t *testing.T) {
	s := seriesOf(t, 3, 500)
	for _, d := range s.Lines().Distributions {
		last := len(d.Shares) - 1
		if d.Count == 0 || d.Shares[last] != 1 || len(d.Seconds) > MaxDistributionPoints {
			t.Errorf("%s of %s: %d values in %d points end at %v", d.Metric, d.Class, d.Count, len(d.Seconds), d.Shares[last])
		}
	}
	if n := len(s.Distributions); n != 10 {
		t.Errorf("%d distributions of 5 latencies and 2 classes", n)
	}
}

const seriesPage = "../../docs/series.md"

// TestSeriesPage keeps the tables of the page equal to the declarations.
func TestSeriesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| line | of | kind | unit | what it is |\n|---|---|---|---|---|\n")
	for _, d := range SeriesDefinitions {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, d.Of(), d.Kind, d.Unit, d.Help)
	}
	for _, line := range []string{"prefix", "load"} {
		fmt.Fprintf(&b, "| `%sWeight` | routers | mean | weight | weight of the scorers that look at %s together, over the epochs that ended |\n", line, map[string]string{"prefix": "prefixes", "load": "load"}[line])
	}
	b.WriteString("\n| distribution | what it is |\n|---|---|\n")
	for _, l := range seriesLatencies {
		fmt.Fprintf(&b, "| `%s` | %s |\n", l.name, l.help)
	}
	raw := testfile.Read(t, seriesPage)
	const begin, end = "<!-- begin: written by go test ./pkg/result -run TestSeriesPage -update -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the tables", seriesPage)
	}
	golden.Check(t, seriesPage, before+begin+b.String()+end+after)
}
