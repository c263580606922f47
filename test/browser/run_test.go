// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A page of a run draws its charts, says nothing on the console, asks for nothing, and fits into
// each window.
func TestPagesOfRuns(t *testing.T) {
	for name, r := range runs {
		t.Run(name, func(t *testing.T) {
			file, _ := r.file(t)
			checkPage(t, file, name)
		})
	}
}

// The charts hold the numbers of the page's JSON.
func TestChartsOfRunsHoldTheNumbers(t *testing.T) {
	r := runs["a run that fails"]
	file, data := r.file(t)
	tab := openTab(t)
	tab.size(t, 1280, 900)
	tab.open(t, file)

	var curve [][]float64
	c := data.Series.Curves[0]
	for i := range c.Values {
		curve = append(curve, []float64{c.Values[i], c.Shares[i]})
	}
	drawn := eval[[][]float64](t, tab, `windtunnel.charts.curves.getOption().series[0].data`)
	if diff := cmp.Diff(curve, drawn); diff != "" {
		t.Errorf("the first curve (-data +chart):\n%s", diff)
	}

	var waiting []*float64
	for _, track := range data.Series.Tracks {
		if track.Kind == "pool" {
			waiting = track.Lines["waiting"]
		}
	}
	values := eval[[]*float64](t, tab, `(() => { const o = windtunnel.charts.lines.getOption(); const at = windtunnel.data.series.lines.findIndex((l) => l.name === "waiting"); return o.series.find((s) => s.xAxisIndex === at && s.name === "llama").data.map((d) => d[1]); })()`)
	if diff := cmp.Diff(waiting, values); diff != "" {
		t.Errorf("waiting requests (-data +chart):\n%s", diff)
	}

	shares := data.Series.Heat.Lines["share"]
	cells := eval[[][]float64](t, tab, `windtunnel.charts.map.getOption().series[0].data`)
	if want := len(shares) * len(shares[0]); len(cells) != want {
		t.Errorf("the map has %d cells, want %d", len(cells), want)
	}
	for _, cell := range cells {
		if want := *shares[len(shares)-1-int(cell[1])][int(cell[0])]; cell[2] != want {
			t.Errorf("cell %v, %v has %v, want %v", cell[0], cell[1], cell[2], want)
		}
	}

	groups := map[float64]bool{}
	for _, f := range data.Figures {
		if f.Name == "ttft.p99" {
			groups[*f.Mean] = true
		}
	}
	for _, point := range eval[[][]float64](t, tab, `windtunnel.charts.groups.getOption().series[1].data`) {
		if !groups[point[0]] {
			t.Errorf("no group has %v", point[0])
		}
	}
}

// Other choices draw other numbers.
func TestChoicesOfRunsDraw(t *testing.T) {
	r := runs["a run that fails"]
	file, _ := r.file(t)
	tab := openTab(t)
	tab.size(t, 1280, 900)
	tab.open(t, file)
	for id, chart := range map[string]string{"lines-of": "lines", "curves-latency": "curves", "curves-scale": "curves", "map-line": "map", "groups-metric": "groups"} {
		n := eval[int](t, tab, fmt.Sprintf(`document.getElementById(%q).options.length`, id))
		if n < 2 {
			t.Errorf("%s has %d choices", id, n)
		}
		seen := eval[int](t, tab, fmt.Sprintf(`(() => {
			const select = document.getElementById(%q), seen = new Set();
			for (let i = 0; i < select.options.length; i++) {
				select.value = String(i);
				select.dispatchEvent(new Event("change"));
				const o = windtunnel.charts[%q].getOption();
				seen.add(JSON.stringify([o.series.map((s) => s.data), o.xAxis.map((a) => [a.type, a.name]), o.yAxis.map((a) => a.name)]));
			}
			return seen.size;
		})()`, id, chart))
		if seen != n {
			t.Errorf("%s: %d choices draw %d charts", id, n, seen)
		}
	}
	tab.checkQuiet(t, file)
}

// Text of users is text on pages of runs, too.
func TestNamesOfRunsRunNothing(t *testing.T) {
	r := runs["a run of names that look like …"]
	file, _ := r.file(t)
	tab := openTab(t)
	tab.open(t, file)
	showTooltips(t, tab)
	if n := eval[int](t, tab, `document.images.length`); n != 0 {
		t.Errorf("the page has %d images", n)
	}
	if n := eval[int](t, tab, `[...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length`); n != 0 {
		t.Errorf("%d elements have inline handlers", n)
	}
	tab.checkQuiet(t, file)
}
