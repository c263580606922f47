// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	return string(testfile.Read(t, filepath.Join(root, name)))
}

// rows are those of the two tables of docs/accuracy.md.
func rows(t *testing.T) [][2]string {
	t.Helper()
	var all [][2]string
	inside := false
	for line := range strings.Lines(read(t, "docs/accuracy.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case strings.HasPrefix(line, "|--"):
			inside = true
		case inside:
			if len(cells) != 2 {
				t.Fatalf("a claim has %d cells, want 2: %s", len(cells), line)
			}
			all = append(all, [2]string{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])})
		}
	}
	return all
}

func TestEveryRowIsAClaim(t *testing.T) {
	rows := rows(t)
	if len(rows) != len(Claims) {
		t.Errorf("docs/accuracy.md has %d rows, and there are %d claims", len(rows), len(Claims))
	}
	for i := range min(len(rows), len(Claims)) {
		if !strings.HasPrefix(rows[i][0], Claims[i].Row) {
			t.Errorf("row %d begins %q, want %q", i+1, rows[i][0], Claims[i].Row)
		}
	}
}

func TestTheTestsOfClaimsExist(t *testing.T) {
	for _, claim := range Claims {
		for _, test := range claim.Tests {
			folder, name, _ := strings.Cut(test, ".")
			files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, file := range files {
				raw := testfile.Read(t, file)
				found = found || bytes.Contains(raw, []byte("func "+name+"("))
			}
			if !found {
				t.Errorf("%q: there is no test %s in %s", claim.Row, name, folder)
			}
		}
	}
}

// TestFigures compares the figures of each row with those of where they come
// from, rounded as the row has them.
func TestFigures(t *testing.T) {
	rows := rows(t)
	computed := map[string]func(*testing.T, string) []float64{
		"vLLM 0.19 with Llama-3.1-8B":        fittedErrors,
		"fitted on one of these two GPUs":    predictedErrors,
		"verdicts of the EPP's real loaders": loaderVerdicts,
		"recorded decisions of the real EPP": recordedDecisions,
	}
	for i, claim := range Claims {
		t.Run(claim.Row, func(t *testing.T) {
			row := rows[i][1]
			var want []float64
			if compute := computed[claim.Row]; compute != nil {
				want = compute(t, row)
			} else {
				want = onPage(t, claim)
			}
			got := figures(row)
			if len(got) != len(want) {
				t.Fatalf("the row has the figures %v, and %v are known: %s", got, want, row)
			}
			for n, text := range got {
				if !same(text, want[n]) {
					t.Errorf("docs/accuracy.md says %s, and it is %v: %s", text, want[n], row)
				}
			}
		})
	}
}

func onPage(t *testing.T, claim Claim) []float64 {
	t.Helper()
	var all []float64
	for _, place := range claim.Places {
		match := regexp.MustCompile(place).FindStringSubmatch(read(t, claim.Page))
		if match == nil {
			t.Fatalf("%s has no %s", claim.Page, place)
		}
		for _, text := range match[1:] {
			all = append(all, number(t, text))
		}
	}
	return all
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, " ", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// figure is a number that is neither part of a name, such as P99, nor an
// exponent nor a fraction such as 1/m.
var figure = regexp.MustCompile(`(^|[^\w./-])(\d{1,3}(?: \d{3})+|\d+(?:\.\d+)?)($|[^\w/])`)

// link is a Markdown link: its text is the row's, its target is not.
var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

func figures(row string) []string {
	var all []string
	// Two figures may have one character between them.
	for _, word := range figure.FindAllStringSubmatch(strings.ReplaceAll(link.ReplaceAllString(row, "$1"), "  ", " "), -1) {
		all = append(all, word[2])
	}
	return all
}

// same reports whether a figure is the value, or the value in percent, rounded to
// the figure's digits.
func same(text string, value float64) bool {
	text = strings.ReplaceAll(text, " ", "")
	_, decimals, _ := strings.Cut(text, ".")
	for _, v := range []float64{value, 100 * value} {
		if strconv.FormatFloat(v, 'f', len(decimals), 64) == text {
			return true
		}
	}
	return false
}

// An errorRow is a line of a table of docs/validation.md: a metric, its
// statistic, and the error in percent.
var errorRow = regexp.MustCompile(`(?m)^\| (TTFT|TPOT|E2E) (mean|p\d+) \|(?:[^|]*\|){2} ([+-][\d.]+) \|`)

// validated returns the largest mean error of metrics in the tables of a part of
// docs/validation.md, and the largest error of a percentile with its name.
func validated(t *testing.T, part string, metrics ...string) (mean, percentile float64, name string) {
	t.Helper()
	_, text, found := strings.Cut(read(t, "docs/validation.md"), "\n## "+part+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	all := errorRow.FindAllStringSubmatch(text, -1)
	if !found || len(all) == 0 {
		t.Fatalf("docs/validation.md has no errors under %q", part)
	}
	for _, m := range all {
		size := math.Abs(number(t, m[3]))
		switch {
		case m[2] != "mean" && size > percentile:
			percentile, name = size, strings.ToUpper(m[2])+" of "+m[1]
		case m[2] == "mean" && strings.Contains(strings.Join(metrics, " "), m[1]):
			mean = max(mean, size)
		}
	}
	return mean, percentile, name
}

// within is the bound with one decimal that a table's errors keep.
func within(percent float64) float64 { return math.Ceil(percent*10-1e-9) / 10 }

func fittedErrors(t *testing.T, row string) []float64 {
	mean, percentile, name := validated(t, "Fitted to itself", "TTFT", "TPOT", "E2E")
	requireText(t, row, name)
	return []float64{within(mean), percentile}
}

func predictedErrors(t *testing.T, row string) []float64 {
	steady, percentile, name := validated(t, "Fitted to one, predicting the other", "TPOT", "E2E")
	first, _, _ := validated(t, "Fitted to one, predicting the other", "TTFT")
	requireText(t, row, name)
	return []float64{within(steady), within(first), percentile}
}

func requireText(t *testing.T, row, words string) {
	t.Helper()
	if !strings.Contains(row, words) {
		t.Errorf("docs/accuracy.md does not say that the worst is %s: %s", words, row)
	}
}

// loaderVerdicts counts files, versions and verdicts of the real loaders.
func loaderVerdicts(t *testing.T, _ string) []float64 {
	files, verdicts := map[string]bool{}, 0
	versions := map[string]bool{}
	for _, folder := range []string{"verdicts", "published", "mutants"} {
		tables, err := filepath.Glob(filepath.Join(root, "pkg/policy/epp/testdata/loader", folder, "*.tsv"))
		if err != nil || len(tables) == 0 {
			t.Fatalf("no verdicts in %s: %v", folder, err)
		}
		for _, table := range tables {
			versions[filepath.Base(table)] = true
			for line := range strings.Lines(read(t, strings.TrimPrefix(table, root+"/"))) {
				if strings.HasPrefix(line, "#") {
					continue
				}
				name, _, _ := strings.Cut(line, "\t")
				files[folder+"/"+name] = true
				verdicts++
			}
		}
	}
	return []float64{float64(len(files)), float64(len(versions)), float64(verdicts)}
}

// recordedDecisions counts what was recorded from the real EPP.
func recordedDecisions(t *testing.T, _ string) []float64 {
	var counts []float64
	for _, name := range []string{"schedule.jsonl", "approx-prefix.jsonl"} {
		raw := testfile.Read(t, testdata.File(t, "epp", "golden", name))
		counts = append(counts, float64(bytes.Count(raw, []byte("\n"))))
	}
	return counts
}

func TestFiguresOfARow(t *testing.T) {
	for row, want := range map[string]string{
		"means within 0.4 %, P99 of TTFT 1.6 %":     "[0.4 1.6]",
		"[the same](a/2.md) on all 12 096, to 1e-9": "[12 096]",
		"grows beyond 1/m, found to 0.5 %":          "[0.5]",
		"26 to 33 %":                                "[26 33]",
		"no figure":                                 "[]",
	} {
		if got := fmt.Sprint(figures(row)); got != want {
			t.Errorf("figures of %q are %s, want %s", row, got, want)
		}
	}
}

func TestAFigureIsRoundedAsItIsWritten(t *testing.T) {
	for text, value := range map[string]float64{"0.4": 0.4, "1.84": 1.8351, "26": 0.259, "12 096": 12096} {
		if !same(text, value) {
			t.Errorf("%s is not taken for %v", text, value)
		}
	}
	for text, value := range map[string]float64{"0.4": 0.46, "11 736": 12096, "26": 0.249} {
		if same(text, value) {
			t.Errorf("%s is taken for %v", text, value)
		}
	}
}

// TestTheRatioToInferenceSim compares the speeds and the ratio in the table of alternatives with
// those of docs/performance.md.
func TestTheRatioToInferenceSim(t *testing.T) {
	measured := onPage(t, Claim{Page: "docs/performance.md", Places: []string{
		`\| R\(50000,16\) \| ([\d ]+) requests per CPU second \| ([\d ]+) requests per CPU second \| (\d+) \|`,
	}})
	row := onPage(t, Claim{Page: "README.md", Places: []string{
		`\| Windtunnel \|.*\| (\d[\d ]*\d) requests per CPU second, R\(50000,16\)`,
		`\| inference-sim \|.*\| (\d[\d ]*\d), at its fastest setting; Windtunnel is (\d+) times as fast`,
	}})
	if !slices.Equal(row, measured) {
		t.Errorf("the README has the speeds and their ratio %v, want %v", row, measured)
	}
}
