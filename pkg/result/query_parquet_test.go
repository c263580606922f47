// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

func TestParquetHoldsWhatTheRowsHold(t *testing.T) {
	type row struct {
		Key        string  `parquet:"key"`
		Point      int64   `parquet:"point"`
		Share      float64 `parquet:"share"`
		Seed       int64   `parquet:"seed"`
		Parameters struct {
			Queue  *string `parquet:"queue,optional"`
			Prefix *string `parquet:"prefix,optional"`
		} `parquet:"parameters"`
		Metrics struct {
			Goodput *float64 `parquet:"goodput,optional"`
			TTFT    *float64 `parquet:"ttft.p99{class=a},optional"`
		} `parquet:"metrics"`
		Error string `parquet:"error"`
	}
	rows := slices.Concat(
		makeRows(2, map[string]float64{"goodput": 0.9, "ttft.p99{class=a}": 0.25}),
		makeRows(1, map[string]float64{"goodput": 0}, map[string]float64{"goodput": 0.75}),
		[]Row{{Point: 3, Seed: -42, Share: 0.25, Error: "no weights"}},
	)
	parameters := Parameters{1: {{"queue", "2"}}, 2: {{"queue", "3"}, {"prefix", "a b"}}}
	var b bytes.Buffer
	if err := (&Query{}).WriteParquet(&b, rows, parameters); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]row, 4)
	want[0] = row{Key: "key", Point: 1, Share: 1, Seed: 42}
	want[0].Parameters.Queue, want[0].Metrics.Goodput = new("2"), new(0.0)
	want[1] = row{Key: "key", Point: 1, Share: 1, Seed: 43}
	want[1].Parameters.Queue, want[1].Metrics.Goodput = new("2"), new(0.75)
	want[2] = row{Key: "key", Point: 2, Share: 1, Seed: 42}
	want[2].Parameters.Queue, want[2].Parameters.Prefix = new("3"), new("a b")
	want[2].Metrics.Goodput, want[2].Metrics.TTFT = new(0.9), new(0.25)
	want[3] = row{Point: 3, Share: 0.25, Seed: -42, Error: "no weights"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
}

func TestParquetOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := (&Query{}).WriteParquet(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || file.NumRows() != 0 {
		t.Errorf("%v, %v", file, err)
	}
}
