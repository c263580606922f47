// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"compress/gzip"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// The figures of the published day of deepseek-r1 were computed from the files without this
// package.
func TestThePublishedDayHasItsClientsAndFits(t *testing.T) {
	file := testfile.Open(t, testdata.File(t, "traces", "servegen", "deepseek-r1.tar.gz"))
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	day, err := ReadArchive(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	const windows, length = 144, 600 * time.Second
	type figures struct {
		Clients             int
		Fits                map[string]int
		Mean, Lowest, Peak  float64 // requests/s, the last two of a window
		OtherWindowsOfAnyOf []string
	}
	round := func(x, unit float64) float64 { return math.Round(x/unit) * unit }
	got := figures{Clients: len(day.clients), Fits: map[string]int{}, Mean: round(day.Expected()/day.Span().Seconds(), 0.1), Lowest: math.Inf(1)}
	for _, c := range day.clients {
		if len(c.windows) != windows {
			got.OtherWindowsOfAnyOf = append(got.OtherWindowsOfAnyOf, c.name)
		}
		for _, w := range c.windows {
			got.Fits[w.gaps.pattern]++
		}
	}
	for i := range windows {
		from := time.Duration(i) * length
		rate := round(day.Slice(from, from+length).Expected()/length.Seconds(), 0.1)
		got.Lowest, got.Peak = min(got.Lowest, rate), max(got.Peak, rate)
	}
	want := figures{
		Clients: 73, Fits: map[string]int{"": 7401, gammaPattern: 2589, weibullPattern: 522},
		Mean: round(16, 0.1), Lowest: round(4.3, 0.1), Peak: round(42.5, 0.1),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}
