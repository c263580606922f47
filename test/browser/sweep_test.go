// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A page of a sweep draws its charts, says nothing on the console, asks for nothing, and fits
// into each window.
func TestPagesOfSweeps(t *testing.T) {
	for name, s := range samples {
		t.Run(name, func(t *testing.T) {
			file, _ := s.file(t)
			checkPage(t, file, name)
		})
	}
}

// checkPage looks at a page light, dark, printed and in a small window.
func checkPage(t *testing.T, file, name string) {
	t.Helper()
	tab := openTab(t)
	tab.media(t, "", "light")
	tab.size(t, 1280, 900)
	tab.open(t, file)
	showTooltips(t, tab)
	tab.shoot(t, name+" light")
	tab.media(t, "", "dark")
	tab.open(t, file)
	tab.shoot(t, name+" dark")
	tab.media(t, "print", "light")
	tab.shoot(t, name+" print")
	tab.media(t, "", "light")
	tab.size(t, 360, 740)
	tab.open(t, file)
	if eval[bool](t, tab, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		t.Error("the page is wider than a window of 360 pixels")
	}
	tab.shoot(t, name+" 360")
	checkNarrow(t, tab)
	tab.checkQuiet(t, file)
	checkAccessible(t, tab)
}

// showTooltips shows a tooltip of each chart: they break the policy of a page if anything does.
func showTooltips(t *testing.T, tab *tab) {
	t.Helper()
	eval[bool](t, tab, `Object.entries(windtunnel.charts).filter(([name]) => name !== "parallel").every(([, c]) => { c.dispatchAction({ type: "showTip", seriesIndex: c.getOption().series.length > 1 ? 1 : 0, dataIndex: 0 }); return true; })`)
}

// checkAccessible has axe-core look at the page, if hack/assets has it.
func checkAccessible(t *testing.T, tab *tab) {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("..", "..", "hack", "assets", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Log("axe-core does not look at the page: make assets fetches it")
		return
	}
	eval[any](t, tab, string(axe)+"; true")
	found := eval[string](t, tab, `axe.run().then((r) => r.violations.map((v) => v.impact + ": " + v.id + ": " + v.nodes.map((n) => n.html).join(" ")).join("\n"))`)
	for _, line := range strings.Split(found, "\n") {
		if strings.HasPrefix(line, "serious") || strings.HasPrefix(line, "critical") {
			t.Errorf("axe-core: %s", line)
		} else if line != "" {
			t.Logf("axe-core: %s", line)
		}
	}
}

// The charts hold the numbers of the page's JSON.
func TestChartsHoldTheNumbers(t *testing.T) {
	s := samples["a gate that passes"]
	file, data := s.file(t)
	tab := openTab(t)
	tab.open(t, file)
	drawn := eval[[][]float64](t, tab, `windtunnel.charts.front.getOption().series.flatMap((s) => s.data).map((d) => d.slice(0, 3)).sort((a, b) => a[2] - b[2])`)
	var want [][]float64
	for i := range data.Points.ID {
		want = append(want, []float64{*data.Points.Mean[0][i], *data.Points.Mean[1][i], float64(i)})
	}
	if diff := cmp.Diff(want, drawn); diff != "" {
		t.Errorf("points of the front (-data +chart):\n%s", diff)
	}
	for _, chart := range []string{"versus", "front", "parallel", "response", "heat"} {
		if n := eval[int](t, tab, fmt.Sprintf(`windtunnel.charts[%q].getOption().series.reduce((n, s) => n + s.data.length, 0)`, chart)); n == 0 {
			t.Errorf("chart %s is empty", chart)
		}
	}
}

// Text of users is text.
func TestNamesRunNothing(t *testing.T) {
	s := samples["names that look like tags"]
	file, _ := s.file(t)
	tab := openTab(t)
	tab.open(t, file)
	showTooltips(t, tab)
	if n := eval[int](t, tab, `document.images.length`); n != 0 {
		t.Errorf("the page has %d images", n)
	}
	if got := eval[string](t, tab, `document.querySelector(".object").textContent`); got != hostile {
		t.Errorf("the title is %q, want %q", got, hostile)
	}
	if n := eval[int](t, tab, `[...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length`); n != 0 {
		t.Errorf("%d elements have inline handlers", n)
	}
	tab.checkQuiet(t, file)
}

// The bytes of a page stay below what a browser opens at once.
func TestSizesOfPages(t *testing.T) {
	for name, most := range map[string]int64{"a gate that passes": 1_500_000, "one hundred thousand": 5_000_000} {
		s := samples[name]
		file, _ := s.file(t)
		info, err := os.Stat(file)
		must(t, err)
		t.Logf("%s: %d bytes", name, info.Size())
		if info.Size() > most {
			t.Errorf("%s: %d bytes, want at most %d", name, info.Size(), most)
		}
	}
}

// The page of policies that evolved has a chart of generations, and no axis of policies.
func TestPoliciesHaveGenerations(t *testing.T) {
	s := samples["policies that evolved"]
	file, data := s.file(t)
	tab := openTab(t)
	tab.open(t, file)
	for i, drawn := range eval[[][]float64](t, tab, `windtunnel.charts.generations.getOption().series[0].data.slice().sort((a, b) => a[2] - b[2])`) {
		if want := []float64{float64(*data.Evolution.Generations[i]), *data.Points.Mean[0][i], float64(i)}; !cmp.Equal(want, drawn) {
			t.Errorf("point %d is %v, want %v", i, drawn, want)
		}
	}
	if got := eval[[]string](t, tab, `[...document.getElementById("response-parameter").options].map((o) => o.text)`); !cmp.Equal(got, []string{"prefix", "router"}) {
		t.Errorf("the parameters are %v", got)
	}
}

// cutTexts are the texts of the chart of differences that lie beyond an edge.
const cutTexts = `["versus"].filter((name) => windtunnel.charts[name]).flatMap((name) => {
  const chart = windtunnel.charts[name];
  return chart.getZr().storage.getDisplayList(true).filter((d) => d.type === "tspan").filter((d) => {
    const box = d.getBoundingRect().clone();
    if (d.getComputedTransform()) box.applyTransform(d.getComputedTransform());
    return box.x < -1 || box.x + box.width > chart.getWidth() + 1;
  }).map((d) => name + ": " + d.style.text);
})`

// checkNarrow checks that a narrow page cuts no text that the reader needs to tell things apart.
func checkNarrow(t *testing.T, tab *tab) {
	t.Helper()
	for _, text := range eval[[]string](t, tab, cutTexts) {
		t.Errorf("an edge cuts a text of a chart: %s", text)
	}
	if eval[bool](t, tab, `[...document.querySelectorAll(".diff, .command")].some((e) => e.scrollWidth > e.clientWidth)`) {
		t.Error("a diff or a command is cut at its right edge")
	}
	labels := eval[[]string](t, tab, `windtunnel.charts.versus ? windtunnel.charts.versus.getOption().yAxis[0].data : []`)
	for i, label := range labels {
		if slices.Contains(labels[:i], label) {
			t.Errorf("two candidates are both called %q", label)
		}
	}
}
