// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// policies are content security policies in markup.
var policies = regexp.MustCompile(`(Policy" content=")[^"]*(")`)

// seriesOf are series with a pool of so many replicas, in so many bins of 1 s.
func seriesOf(replicas, bins int) *result.Series {
	column := func(base int64) []int64 {
		values := make([]int64, bins)
		for i := range values {
			values[i] = base * int64(i%7+1)
		}
		return values
	}
	track := func(name string, share int64) result.SeriesTrack {
		return result.SeriesTrack{Name: name, KVBlocks: 100, PeakWaiting: 3, PeakRunning: 8, PeakBlocks: 90, Columns: map[string][]int64{
			"waiting": column(100 * share), "running": column(400 * share), "busy": column(90 * share), "blocks": column(1000 * share), "present": column(1000 * share),
			"arrived": column(share), "completed": column(share), "promptTokens": column(100 * share), "cachedTokens": column(40 * share),
		}}
	}
	s := &result.Series{
		SchemaVersion: result.SeriesSchemaVersion, EngineVersion: simulator.EngineVersion, Runs: 3, UnitNanoseconds: 1e6, WidthUnits: 1000, Lasted: column(1000),
		Gateway: result.SeriesTrack{Columns: map[string][]int64{"rejected": column(1)}},
		Pools:   []result.SeriesTrack{track("small", int64(replicas))},
		Routers: []result.SeriesRouter{{Law: "ratio", Known: column(1000), Prefix: column(700), Load: column(300)}},
		Distributions: []result.SeriesDistribution{{Class: "critical", Metric: "ttft", Outline: stats.Outline{
			Bits: 1, Lows: []int64{1 << 20, 1 << 24, 1 << 28}, Counts: []int64{50, 30, 20},
		}}},
	}
	for i := range replicas {
		s.Replicas = append(s.Replicas, track(fmt.Sprint("small/", i), int64(i+1)))
	}
	return s
}

// ofRun is the report of a recorded run.
func ofRun(t testing.TB) *report.RunReport {
	t.Helper()
	raw := testfile.Read(t, filepath.Join("..", "..", "result", "testdata", "run.json"))
	r := &report.RunReport{
		Title: "SimulationRun chat", Series: seriesOf(3, 20), WithoutSeries: "No series", WithoutFlaws: "Nobody looked", WithoutWorst: "No decisions", WorstAmong: "The worst of all",
		Gates: []result.GateResult{{Gate: result.Gate{Name: "fast"}, Verdict: verdict.Fail, Message: "ttft.p99 ≤ 100 ms fails: 203.7"}},
		Flaws: &insight.Report{
			Seed: 42, Anomalies: []insight.Anomaly{{Type: insight.HotReplica, About: "small/2", Count: 31, Share: 0.25, Severity: 0.5, Values: []insight.Value{{Name: "times the equal share", Number: 2.5}}, Requests: []int{3, 4}}},
			Patterns: []insight.Pattern{{Feature: "replica small/2", With: 50, BadWith: 20, Without: 100, BadWithout: 4}},
		},
		Worst:     []report.WorstRequest{{Request: 17, Seed: 42, What: "It went to small/2", Known: "3 waiting there", Story: "why\nso", Command: "windtunnel run --explain 17"}},
		StepTimes: []string{"pool small: measured"}, Warnings: []string{"a warning"}, Approximations: []string{"a plugin"},
	}
	if err := json.Unmarshal(raw, &r.Documents); err != nil {
		t.Fatal(err)
	}
	r.Targets = []report.Target{{Class: "critical", Latency: "ttft", Seconds: 0.1}}
	return r
}

func writtenRun(t testing.TB, r *report.RunReport) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&Run{Report: r, Facts: []Fact{{Name: "Engine", Value: "6", Code: true}}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The markup and the numbers of a page are as recorded; its style and its scripts are not in
// the record.
func TestPageOfARunGolden(t *testing.T) {
	text := writtenRun(t, ofRun(t))
	text = strings.Replace(text, style, "…", 1)
	text = policies.ReplaceAllString(text, "$1…$2")
	head, data, _ := strings.Cut(text, `<script type="application/json" id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(data), "", " "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/run.html", head)
	golden.Check(t, "testdata/run.json", indented.Bytes())
}

// The numbers of a page are those of -o json, and the same report gives the same bytes.
func TestThePageOfARunHasItsNumbers(t *testing.T) {
	r := ofRun(t)
	text := writtenRun(t, r)
	if text != writtenRun(t, r) {
		t.Error("a second page of the report has other bytes")
	}
	_, after, _ := strings.Cut(text, `id="data">`)
	embedded, _, _ := strings.Cut(after, "</script>")
	direct, err := json.Marshal((&Run{Report: r}).Numbers())
	var got, want any
	if err := errors.Join(err, json.Unmarshal([]byte(embedded), &got), json.Unmarshal(direct, &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("numbers (-data +page):\n%s", diff)
	}
}

func TestPagesOfRunsThatLackThings(t *testing.T) {
	r := ofRun(t)
	r.Series, r.Flaws, r.Worst, r.Gates, r.Targets = nil, nil, nil, nil, nil
	text := writtenRun(t, r)
	for _, want := range []string{"<p>No series.</p>", "<p>Nobody looked.</p>", "<p>No decisions.</p>", "The run has no gates.", "Not judged"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	r.Documents[1].EngineVersion = "0"
	var b bytes.Buffer
	if err := (&Run{Report: r}).Write(&b); err == nil || b.Len() > 0 {
		t.Errorf("error %v and %d bytes, want an error alone", err, b.Len())
	}
}

// Charts of long runs and of many replicas have bounded numbers.
func TestSeriesOfPagesAreBounded(t *testing.T) {
	for name, test := range map[string]struct{ replicas, bins, most int }{
		"a short run":   {2, 40, 40},
		"a long run":    {2, 600, mostBins},
		"many replicas": {64, 600, mostValues / 66},
	} {
		d := NewSeriesData([]NamedSeries{{Series: seriesOf(test.replicas, test.bins)}})
		for _, track := range d.Tracks {
			for line, values := range track.Lines {
				if len(values) > test.most || len(values) <= test.most/2-1 {
					t.Errorf("%s: line %s of %s has %d values, want about %d", name, line, track.Name, len(values), test.most)
				}
			}
		}
		if n := len(d.Heat.Lines["share"][0]); n > mostHeatBins {
			t.Errorf("%s: the map has %d columns", name, n)
		}
	}
}

// Series of several candidates have bins of one width, and those of the report stay as they are.
func TestSeriesOfCandidatesAreLevel(t *testing.T) {
	fine, coarse := seriesOf(2, 40), seriesOf(2, 20)
	coarse.WidthUnits = 2000
	d := NewSeriesData([]NamedSeries{{Name: "baseline", Series: fine}, {Name: "best", Series: coarse}})
	if d.BinSeconds != 2 || len(fine.Lasted) != 40 {
		t.Errorf("bins of %v s, and the series have %d bins", d.BinSeconds, len(fine.Lasted))
	}
	for _, track := range d.Tracks {
		if n := len(track.Lines["waiting"]); track.Kind == poolKind && n != 20 {
			t.Errorf("%s of %s has %d values", track.Name, track.Of, n)
		}
	}
	if d.Heat != nil {
		t.Error("there is a map of two candidates")
	}
}

// A map of shares adds up to all arrivals.
func TestSharesOfReplicasAddUp(t *testing.T) {
	heat := NewSeriesData([]NamedSeries{{Series: seriesOf(5, 30)}}).Heat
	for i := range heat.Lines["share"][0] {
		sum := 0.0
		for _, row := range heat.Lines["share"] {
			sum += *row[i]
		}
		if sum < 99.9 || sum > 100.1 {
			t.Errorf("bin %d: the shares add up to %v %%", i, sum)
		}
	}
}

// The curves have few points; the table has the figures of the documents, so that a page has one value of
// each quantity.
func TestQuantilesAreThoseOfTheFigures(t *testing.T) {
	r := ofRun(t)
	of := func(name string) string {
		text, ok := r.Estimate(result.MustParseMetric(name + "{class=critical}"))
		if !ok {
			t.Fatalf("no %s", name)
		}
		return strings.TrimSuffix(text, " ms")
	}
	want := report.Table{
		Titles: []string{"latency", "class", "p50", "p90", "p95", "p99", "target", "within it"},
		Rows:   [][]string{{"ttft", "critical", of("ttft.p50"), of("ttft.p90"), of("ttft.p95"), of("ttft.p99"), "100 ms", of("attainment.ttft")}},
	}
	if diff := cmp.Diff(want, quantileTable(namedSeries(r)).Table); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	best := namedSeries(r)[0]
	best.Name = "best"
	if got := quantileTable([]NamedSeries{best, {Name: "baseline", Series: r.Series}}); got.Rows[0][0] != "best" || got.Rows[1][3] != figure.Absent {
		t.Errorf("the table of two candidates, one without documents:\n%v", got.Rows)
	}
}

func TestNoNumberOfATableHasAnExponent(t *testing.T) {
	s := seriesOf(1, 12)
	s.WidthUnits = 5_000_000
	for _, table := range timeTables([]NamedSeries{{Series: s}}) {
		for _, row := range table.Rows {
			for _, cell := range row {
				if strings.Contains(cell, "e+") {
					t.Errorf("%s has %s", table.Caption, cell)
				}
			}
		}
	}
}

// Few groups are columns, a long list is two.
func TestTablesFitThePage(t *testing.T) {
	long := report.CaptionedTable{Table: report.Table{Titles: []string{"metric", "value"}}}
	for i := range mostFigures + 1 {
		long.Rows = append(long.Rows, []string{fmt.Sprint(i), "x"})
	}
	got := readable([]report.CaptionedTable{long, {Table: report.Table{Titles: []string{"class", "a", "b", "c"}, Rows: [][]string{{"chat", "1", "2", "3"}, {"batch", "4", "5", "6"}}}}})
	if len(got) != 3 || len(got[0].Rows)+len(got[1].Rows) != mostFigures+1 {
		t.Fatalf("%d tables", len(got))
	}
	want := report.Table{Titles: []string{"class", "chat", "batch"}, Rows: [][]string{{"a", "1", "4"}, {"b", "2", "5"}, {"c", "3", "6"}}}
	if diff := cmp.Diff(want, got[2].Table); diff != "" {
		t.Errorf("the groups (-want +got):\n%s", diff)
	}
}

// No text of a user becomes an element or an attribute of the page of a run.
func FuzzNamesOfRunsAreText(f *testing.F) {
	for _, name := range []string{"chat", `</script><img onerror=alert(1)>`, `" onload="x`, "<!--", "]]>", "\u2028", "{{.}}", "&lt;script>", "a.b/0"} {
		f.Add(name)
	}
	plain := elementsOfRun(f, "chat")
	f.Fuzz(func(t *testing.T, name string) {
		if got := elementsOfRun(t, name); got != plain {
			t.Errorf("a page with the name %q has other elements:\n%s\nwant\n%s", name, got, plain)
		}
	})
}

// elementsOfRun lists the elements of a page in which users' texts are a name, without the
// scripts' own bytes.
func elementsOfRun(t testing.TB, name string) string {
	t.Helper()
	r := ofRun(t)
	r.Title, r.WorstAmong, r.WithoutSeries, r.StepTimes, r.Warnings, r.Approximations = name, name, name, []string{name}, []string{name}, []string{name}
	r.Gates[0].Name, r.Gates[0].Message = name, name
	r.Worst[0] = report.WorstRequest{What: name, Known: name, Story: name, Command: name}
	r.Flaws.Anomalies[0].About, r.Flaws.Patterns[0].Feature = name, name
	for _, d := range r.Documents {
		d.Classes[0].Class, d.Tenants[0].Tenant, d.Pools[0].Pool, d.Provenance.Pools[0].Model = name, name, name, name
	}
	s := r.Series
	s.Pools[0].Name, s.Routers[0].Model, s.Distributions[0].Class = name, name, name
	for i := range s.Replicas {
		s.Replicas[i].Name = name + "/" + fmt.Sprint(i)
	}
	var b bytes.Buffer
	if err := (&Run{Report: r, Facts: []Fact{{Name: name, Value: name, Code: true}}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	markup, _, _ := strings.Cut(b.String(), string(charts))
	return strings.Join(elements.FindAllString(markup, -1), " ")
}

func BenchmarkPageOfARun(b *testing.B) {
	for _, replicas := range []int{2, 64} {
		b.Run(fmt.Sprint(replicas), func(b *testing.B) {
			r := ofRun(b)
			r.Series = seriesOf(replicas, 600)
			b.ReportAllocs()
			for b.Loop() {
				b.ReportMetric(float64(len(writtenRun(b, r))), "bytes")
			}
		})
	}
}

// What a run does in its last moment is no rate.
func TestRatesNeedTime(t *testing.T) {
	rate := shownLine{rate: true, factor: 1}
	got := rate.values(result.LineValues{4, 4, 4}, &result.Lines{BinSeconds: 2, BinsSeconds: result.LineValues{2, 1, 0.9}})
	if diff := cmp.Diff([]*float64{new(2.0), new(4.0), nil}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
