// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// The published cases have the answers that are stated, and those of the corrected form.
func TestPublishedCases(t *testing.T) {
	answers, err := publishedCases()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"9 + 25", "7 + 21", "6 + 18", "6 + 19"},
		{"12 + 36", "12 + 36", "12 + 36", "12 + 36"},
		{"5 + 15", "4 + 12", "4 + 12", "4 + 11"},
		{"2 + 2", "1 + 1", "1 + 1", "1 + 1"},
		{"2 + 3", "1 + 2", "1 + 2", "1 + 2"},
		{"2 + 4", "1 + 3", "1 + 3", "1 + 3"},
		{"2 + 5", "1 + 4", "1 + 4", "1 + 4"},
		{"10 + 30", "7 + 21", "7 + 21", "7 + 20"},
		{"10 + 30", "9 + 27", "8 + 24", "8 + 25"},
		{"12 + 36", "10 + 30", "10 + 30", "10 + 30"},
		{"15 + 44", "10 + 30", "10 + 30", "10 + 30"},
	}
	var got [][]string
	for _, a := range answers {
		got = append(got, append([]string{a.heteroscale}, a.seed...))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestTheDayIsThatOfServeGen(t *testing.T) {
	sum := 0.0
	for _, perSecond := range halfHours {
		sum += perSecond
	}
	l := day(1)
	if len(halfHours) != 48 || math.Abs(sum/48-16.01) > 0.01 || l.length() != 12*time.Hour ||
		l.peak() != slices.Max(halfHours) || l.least() != slices.Min(halfHours) {
		t.Errorf("%.2f requests/s in %d half hours; %s from %.1f to %.1f", sum/48, len(halfHours), l.length(), l.least(), l.peak())
	}
}

func TestTheShareOutsideOfABurst(t *testing.T) {
	l := spike() // 50 minutes of 5, and 10 of 40
	if got, want := l.outside(), 15.0/39; math.Abs(got-want) > 1e-9 {
		t.Errorf("%.4f, want %.4f", got, want)
	}
}

func TestVerdicts(t *testing.T) {
	for want, holds := range map[string][]bool{
		"confirmed in all of 2 cases": {true, true}, "denied in all of 2 cases": {false, false}, "holds in 1 of 3 cases": {false, true, false},
	} {
		c := claim{holds: holds}
		if got := c.verdict(); got != want {
			t.Errorf("%v: %q, want %q", holds, got, want)
		}
	}
}

// A policy has one colour in all charts.
func TestAPolicyHasOneColour(t *testing.T) {
	f := withFigures(t)
	type look struct {
		colour int
		hollow bool
	}
	looks := map[string]look{}
	for i := range f.scale.loads {
		for _, chart := range f.charts(&f.scale.loads[i]) {
			for _, l := range chart.Lines {
				now := look{l.Colour, l.Hollow}
				if before, ok := looks[l.Name]; ok && before != now {
					t.Errorf("%s has %v and %v", l.Name, before, now)
				}
				looks[l.Name] = now
			}
		}
	}
	seen := map[look]string{}
	for name, l := range looks {
		if other, ok := seen[l]; ok {
			t.Errorf("%s and %s look alike", name, other)
		}
		seen[l] = name
	}
	if len(looks) != len(contenders()) {
		t.Errorf("%d lines, want %d", len(looks), len(contenders()))
	}
}

// A schedule asks for replicas as long ahead as they take to start, and gives none away
// before the load falls.
func TestSchedule(t *testing.T) {
	l := spike()
	c := &cluster{pools: []abilities{{requests: 7}}}
	for startup, want := range map[time.Duration]string{
		30 * time.Second: "0s=1,19m15s=7,20m0s=7,30m0s=1",
		10 * time.Minute: "0s=1,9m45s=7,20m0s=7,30m0s=1",
	} {
		s := setting{&l, c, startup}
		if got := s.schedule(); got != want {
			t.Errorf("%s: %s, want %s", startup, got, want)
		}
	}
}

// A load that is sent twice has the second time measured alone.
func TestRounds(t *testing.T) {
	c, err := readCluster("monolithic", monolithic)
	if err != nil {
		t.Fatal(err)
	}
	l := spike()
	s := &c.run.Spec.Scenario
	l.arrivals(s, 2)
	want := []v1alpha1.RateStage{
		{Rate: "0", Duration: "1h0m0s"}, {Rate: "5", Duration: "20m0s"}, {Rate: "40", Duration: "10m0s"}, {Rate: "5", Duration: "30m0s"},
	}
	if diff := cmp.Diff(want, s.Workload.Clients[1].Arrivals.Stages); diff != "" || s.Horizon.Warmup != "1h0m0s" || s.Horizon.Duration != "2h0m0s" {
		t.Errorf("horizon %+v; want -, got +:\n%s", s.Horizon, diff)
	}
}

// Each policy can be used in each setting that the study has it for.
func TestContendersAreValid(t *testing.T) {
	for name, text := range map[string]string{"monolithic": monolithic, "disaggregated": disaggregated} {
		c, err := readCluster(name, text)
		if err != nil {
			t.Fatal(err)
		}
		c.pools = []abilities{{7, 6800, 5300}, {9, 9000, 7000}}[:len(c.run.Spec.Scenario.Scalers[0].Pools)]
		short := load{name: "short", stages: []stage{{2, time.Minute}, {1, time.Minute}}, repeats: true}
		for _, k := range contenders() {
			s := setting{&short, c, 10 * time.Second}
			if k.policy == "schedule" || k.can != nil && !k.can(&s) {
				continue
			}
			if _, err := c.simulate(t.Context(), []int64{1}, k.edits(&s)...); err != nil {
				t.Errorf("%s, %s: %v", name, k.name, err)
			}
		}
	}
}

// withFigures are findings whose cells all have the same figures.
func withFigures(t *testing.T) *findings {
	t.Helper()
	f := &findings{scale: fullScale()}
	for name, text := range map[string]string{"monolithic": monolithic, "disaggregated": disaggregated} {
		c, err := readCluster(name, text)
		if err != nil {
			t.Fatal(err)
		}
		c.pools = []abilities{{7, 6800, 5300}, {9, 9000, 7000}}[:len(c.run.Spec.Scenario.Scalers[0].Pools)]
		f.clusters = append(f.clusters, c)
	}
	slices.SortFunc(f.clusters, func(a, b *cluster) int { return len(a.pools) - len(b.pools) })
	for _, c := range f.clusters {
		for i := range f.scale.loads {
			contest := &contest{load: &f.scale.loads[i], cluster: c}
			contest.fill(f.scale.startups)
			for k := range contest.cells {
				contest.cells[k].figures = map[string][]float64{}
				for _, metric := range metrics {
					contest.cells[k].figures[metric] = []float64{0.5, 0.75}
				}
			}
			f.contests = append(f.contests, contest)
		}
	}
	var err error
	if f.answers, err = publishedCases(); err != nil {
		t.Fatal(err)
	}
	return f
}

// The page and its charts can be written from figures of all cells.
func TestWritePage(t *testing.T) {
	f := withFigures(t)
	page := filepath.Join(t.TempDir(), "study.md")
	if err := f.write(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(string(text), "| `heteroscale-seed` | 3 min | 62.5 % |"); rows != 2 {
		t.Errorf("%d rows of heteroscale-seed with 3 minutes, want those of the disaggregated cluster", rows)
	}
	for _, load := range []string{"day", "spike"} {
		if _, err := os.Stat(strings.TrimSuffix(page, ".md") + "-" + load + ".svg"); err != nil {
			t.Error(err)
		}
	}
}
