// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// chartsDigest is that of the chart library that `make assets` builds.
const chartsDigest = "6100d8c0e8ce3b2b82d807f5010d382dd86c9766104fe6cfe50cf68cfcaa1b38"

func TestTheChartLibraryIsTheOneOfMakeAssets(t *testing.T) {
	if sum := sha256.Sum256(charts); hex.EncodeToString(sum[:]) != chartsDigest {
		t.Errorf("assets/echarts.js has the digest %x, want %s: run make assets; a new version needs its digest here", sum, chartsDigest)
	}
	for _, script := range [][]byte{charts, app()} {
		if bytes.Contains(script, []byte("</script")) || bytes.Contains(script, []byte("<!--")) {
			t.Error("a script has text that ends its element")
		}
	}
}

// recorded is the report of a recorded leaderboard.
func recorded(t testing.TB, name string) *report.Sweep {
	t.Helper()
	raw := testfile.Read(t, filepath.Join("..", "..", "result", "testdata", name))
	board := jsontest.Decode[result.Leaderboard](t, raw)
	return &report.Sweep{Title: "PolicySweep chat", Board: &board, Best: board.Candidates[0].Point, Top: 10}
}

func written(t *testing.T, s *Sweep) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Pages of all kinds of leaderboards are whole, and have the JSON that -o json prints.
func TestPagesOfLeaderboards(t *testing.T) {
	for _, name := range []string{
		"leaderboard.json", "leaderboard-raced.json", "leaderboard-no-baseline.json", "leaderboard-one-seed.json", "leaderboard-capacity.json", "leaderboard-kinds.json",
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, name)
			text := written(t, &Sweep{Report: r})
			if !strings.HasPrefix(text, "<!doctype html>") || !strings.HasSuffix(text, "</html>\n") {
				t.Error("the page is not whole")
			}
			if again := written(t, &Sweep{Report: r}); again != text {
				t.Error("a second page of the report has other bytes")
			}
			_, after, _ := strings.Cut(text, `id="data">`)
			embedded, _, _ := strings.Cut(after, "</script>")
			var got, want any
			direct := jsontest.Encode(t, NewSweepData(r))
			if err := errors.Join(json.Unmarshal([]byte(embedded), &got), json.Unmarshal(direct, &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("numbers (-data +page):\n%s", diff)
			}
		})
	}
}

// The verdict of a search for capacity is the load that the best candidate bears.
func TestTheVerdictOfACapacity(t *testing.T) {
	const holds, open = "The scenario holds a rate of 10, the greatest that was tried.", "No gates are stated."
	r := recorded(t, "leaderboard-capacity.json")
	text := written(t, &Sweep{Report: r})
	for _, want := range []string{"</span> Capacity</h1>", `<p class="why">` + holds + "</p>", "<p>" + open + "</p>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var markdown bytes.Buffer
	if err := r.Write(&markdown); err != nil {
		t.Fatal(err)
	}
	if want := "# PolicySweep chat\n\n**Capacity**: the scenario holds a rate of 10, the greatest that was tried.\n\n**Not judged**: no gates are stated."; !strings.HasPrefix(markdown.String(), want) {
		t.Errorf("the report begins\n%.300s", markdown.String())
	}
}

// The chart of differences says how many candidates it leaves out, and none where it leaves out none.
func TestTheChartOfDifferencesSaysWhatItLacks(t *testing.T) {
	r := recorded(t, "leaderboard.json")
	r.Board.Candidates = slices.DeleteFunc(r.Board.Candidates, func(c result.Ranked) bool { return !c.Complete() })
	r.Board.Counts.All = len(r.Board.Candidates)
	if text := written(t, &Sweep{Report: r}); strings.Contains(text, "The chart shows") {
		t.Error("a chart of all candidates says that it lacks some")
	}
	compared := slices.IndexFunc(r.Board.Candidates, func(c result.Ranked) bool { return len(c.VersusBaseline) > 0 })
	for len(r.Board.Candidates) < 30 {
		c := r.Board.Candidates[compared]
		c.Point, c.Rank, c.Baseline = 1000+len(r.Board.Candidates), 1+len(r.Board.Candidates), false
		r.Board.Candidates = append(r.Board.Candidates, c)
	}
	r.Board.Counts.All = 30
	points := map[int]bool{}
	for _, d := range NewSweepData(r).Versus {
		if points[d.Point] = true; d.Rank == 0 {
			t.Errorf("the difference of point %d has no rank", d.Point)
		}
	}
	want := fmt.Sprintf("The chart shows %d of 29 candidates, the best first.", len(points))
	if text := written(t, &Sweep{Report: r}); !strings.Contains(text, want) {
		t.Errorf("the page lacks %q", want)
	}
}

// A line of a table may break before a margin, and nowhere else in a figure.
func TestFiguresOfTablesStayTogether(t *testing.T) {
	for text, want := range map[string]string{
		"  19391 ± 17588  ": "19391 ±\u00a017588", "-25.6 ± 5.2 %, better": "-25.6 ±\u00a05.2\u00a0%, better",
		"86596 ± 34354 ms": "86596 ±\u00a034354\u00a0ms", "target=14 window=120": "target=14 window=120",
	} {
		if got := joinedFigure(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Sentences of other outputs begin in lower case; those of a page do not, unless a name begins them.
func TestSentencesBeginInUpperCase(t *testing.T) {
	for text, want := range map[string]string{
		"no candidate wins: none meets the constraints": "No candidate wins: none meets the constraints",
		"target=14 window=120 wins":                     "target=14 window=120 wins",
		"the EPP configuration epp.yaml":                "The EPP configuration epp.yaml",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestAPageNeedsItsBestPoint(t *testing.T) {
	r := recorded(t, "leaderboard.json")
	r.Best = 99
	var b bytes.Buffer
	if err := (&Sweep{Report: r}).Write(&b); err == nil || b.Len() > 0 {
		t.Errorf("error %v and %d bytes, want an error alone", err, b.Len())
	}
}

var elements = regexp.MustCompile(`<(img|svg|script|style|iframe|link|object)[\s>]`)

// No text of a user becomes an element or an attribute.
func FuzzNamesAreText(f *testing.F) {
	for _, name := range []string{"chat", `</script><img onerror=alert(1)>`, `" onload="x`, "<!--", "]]>", "\u2028", "{{.}}", "&lt;script>"} {
		f.Add(name)
	}
	plain := elementsOf(f, "chat")
	f.Fuzz(func(t *testing.T, name string) {
		if got := elementsOf(t, name); got != plain {
			t.Errorf("a page with the name %q has other elements:\n%s\nwant\n%s", name, got, plain)
		}
	})
}

// elementsOf lists the elements of a page in which users' texts are a name, without the scripts'
// own bytes.
func elementsOf(t testing.TB, name string) string {
	t.Helper()
	r := recorded(t, "leaderboard.json")
	for i := range r.Board.Candidates {
		for j := range r.Board.Candidates[i].Parameters {
			r.Board.Candidates[i].Parameters[j] = result.Assignment{Name: fmt.Sprint(name, j), Value: name}
		}
	}
	r.Title, r.Assumptions, r.Warnings = name, []string{name}, []string{name}
	r.Diffs = []report.Diff{{Title: name, Text: "+" + strings.ReplaceAll(name, "\n", " ") + "\n"}}
	r.Policy, r.Steps = name, []string{name, name}
	r.Gates = []result.GateResult{{Gate: result.Gate{Name: name, Measure: r.Board.Objectives[0].Measure}, Verdict: verdict.Fail, Message: name}}
	var b bytes.Buffer
	if err := (&Sweep{Report: r, Facts: []Fact{{Name: name, Value: name, Code: true}}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	markup, _, _ := strings.Cut(b.String(), string(charts))
	return strings.Join(elements.FindAllString(markup, -1), " ")
}

func BenchmarkPage(b *testing.B) {
	for _, points := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(points), func(b *testing.B) {
			r := recorded(b, "leaderboard.json")
			first := r.Board.Candidates[0]
			for i := len(r.Board.Candidates); i < points; i++ {
				c := first
				c.Point, c.Rank, c.Pareto, c.Baseline = 1000+i, i, false, false
				r.Board.Candidates = append(r.Board.Candidates, c)
			}
			r.Board.Counts.All = points
			b.ReportAllocs()
			for b.Loop() {
				var out bytes.Buffer
				if err := (&Sweep{Report: r}).Write(&out); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(out.Len()), "bytes")
			}
		})
	}
}
