// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/result"
)

func TestParquetHoldsWhatTheRowsHold(t *testing.T) {
	type row struct {
		Key     string   `parquet:"key"`
		Point   int64    `parquet:"point"`
		Share   float64  `parquet:"share"`
		Seed    int64    `parquet:"seed"`
		Queue   *string  `parquet:"queue,optional"`
		Clash   *string  `parquet:"parameter.seed,optional"`
		Goodput *float64 `parquet:"goodput,optional"`
		TTFT    *float64 `parquet:"ttft.p99{class=a},optional"`
		Error   string   `parquet:"error"`
	}
	rows := slices.Concat(
		makeRows(2, map[string]float64{"goodput": 0.9, "ttft.p99{class=a}": 0.25}),
		makeRows(1, map[string]float64{"goodput": 0}, map[string]float64{"goodput": 0.75}),
		[]result.Row{{Point: 3, Seed: -42, Share: 0.25, Error: "no weights"}},
	)
	parameters := Parameters{{Point: 1}: {{Name: "queue", Value: "2"}}, {Point: 2}: {{Name: "queue", Value: "3"}, {Name: "seed", Value: "a b"}}}
	var b bytes.Buffer
	if err := (&Query{}).WriteParquet(&b, rows, parameters); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range file.Schema().Columns() {
		names = append(names, strings.Join(path, "/"))
	}
	wantNames := []string{"key", "point", "share", "seed", "queue", "parameter.seed", "goodput", "ttft.p99{class=a}", "error"}
	if diff := cmp.Diff(wantNames, names); diff != "" {
		t.Errorf("columns, −want +got:\n%s", diff)
	}
	got, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := []row{
		{Key: "key", Point: 1, Share: 1, Seed: 42, Queue: new("2"), Goodput: new(0.0)},
		{Key: "key", Point: 1, Share: 1, Seed: 43, Queue: new("2"), Goodput: new(0.75)},
		{Key: "key", Point: 2, Share: 1, Seed: 42, Queue: new("3"), Clash: new("a b"), Goodput: new(0.9), TTFT: new(0.25)},
		{Point: 3, Share: 0.25, Seed: -42, Error: "no weights"},
	}
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
