// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMetricsAreAMap(t *testing.T) {
	cases := map[string]map[string]float64{
		"none":                    {},
		"one":                     {"goodput": 0.5},
		"names that begin alike":  {"ttft.p9": 1, "ttft.p99": 2, "ttft.p99{class=a}": 3, "p99": 4},
		"zero is a value":         {"a": 0, "b": 1},
		"tiny, huge and negative": {"a": 1e-300, "b": 1e300, "c": -1},
		"sorted by bytes":         {"z": 1, "a{class=b}": 2, "a": 3, "B": 4},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			m := NewMetrics(want)
			if diff := cmp.Diff(want, maps.Collect(m.All())); diff != "" {
				t.Errorf("all, −want +got:\n%s", diff)
			}
			for name, value := range want {
				if got, ok := m.Get(name); !ok || got != value {
					t.Errorf("%s is %v, %t; want %v", name, got, ok, value)
				}
			}
			for _, name := range []string{"", "ttft", "p9", "99"} {
				if got, ok := m.Get(name); ok {
					t.Errorf("%q is %v", name, got)
				}
			}
			wantJSON, _ := json.Marshal(want)
			got, err := json.Marshal(m)
			if err != nil || string(got) != string(wantJSON) {
				t.Errorf("JSON is %s, %v; want %s", got, err, wantJSON)
			}
			var back Metrics
			if err := json.Unmarshal(got, &back); err != nil || !back.Equal(m) {
				t.Errorf("read back %v, %v", maps.Collect(back.All()), err)
			}
		})
	}
}

func TestMetricsDiffer(t *testing.T) {
	m := NewMetrics(map[string]float64{"a": 1, "b": 2})
	for _, other := range []Metrics{{}, NewMetrics(map[string]float64{"a": 1}), NewMetrics(map[string]float64{"a": 1, "b": 3}), NewMetrics(map[string]float64{"a": 1, "c": 2})} {
		if m.Equal(other) {
			t.Errorf("equal to %v", maps.Collect(other.All()))
		}
	}
}

// Rows are what a large sweep holds most of.
func TestMetricsShareTheirNames(t *testing.T) {
	values := map[string]float64{}
	for _, m := range RegisteredMetrics()[:60] {
		values[m.String()] = rand.Float64()
	}
	want := NewMetrics(values)
	raw, _ := json.Marshal(want)
	var got Metrics
	if err := json.Unmarshal(raw, &got); err != nil || got.names != want.names {
		t.Errorf("metrics that were read have names of their own: %v", err)
	}
}

func BenchmarkReadRows(b *testing.B) {
	var text bytes.Buffer
	rows := slices.Repeat([]Row{NewRow(makeDocument(42, 0), 0, nil)}, 1000)
	if err := WriteRows(&text, rows); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ReadRows(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
