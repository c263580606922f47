// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
)

const smallTable = `
prefill:
  newTokens: [100, 200, 400]
  contextTokens: [0, 1000]
  microseconds: [[1000, 1500], [1800, 2400], [3400, 4200]]
decode:
  sequences: [1, 11]
  contextTokens: [100, 1100]
  microseconds: [[500, 600], [700, 1300]]
`

func parseTable(t testing.TB, text string) Table {
	t.Helper()
	table, errs := ParseTable([]byte(text), nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return table
}

func TestTable(t *testing.T) {
	tests := map[string]struct {
		step    Step
		micros  float64
		outside int64
	}{
		"a point of the prefill grid":             {step(sequence{tokens: 200}), 1800, 0},
		"between new tokens":                      {step(sequence{tokens: 150}), 1400, 0},
		"between contexts":                        {step(sequence{tokens: 200, before: 500}), 2100, 0},
		"in the middle of a cell":                 {step(sequence{tokens: 300, before: 500}), (1800 + 2400 + 3400 + 4200) / 4., 0},
		"chunks of the same attention":            {step(sequence{tokens: 150}, sequence{tokens: 150, before: 150}), 2600, 0},
		"chunks that attend to less than one":     {step(sequence{tokens: 150}, sequence{tokens: 150}), 2600, 0},
		"fewer new tokens than measured":          {step(sequence{tokens: 10}), 1000, 1},
		"more new tokens rise as before":          {step(sequence{tokens: 500}), 3400 + 800, 1},
		"more context rises as before":            {step(sequence{tokens: 200, before: 3000}), 2400 + 2*600, 1},
		"both":                                    {step(sequence{tokens: 600, before: 2000}), 4200 + 1800 + 800, 1},
		"a point of the decode grid":              {step(decodes(11, 1100)...), 1300, 0},
		"the context of decodes is their mean":    {step(append(decodes(3, 200), decodes(3, 1000)...)...), (500 + 600 + 700 + 1300) / 4., 0},
		"more decodes":                            {step(decodes(21, 100)...), 900, 1},
		"less context":                            {step(decodes(1, 50)...), 500, 1},
		"both phases share what is fixed":         {step(append(decodes(11, 100), sequence{tokens: 200})...), 1800 + 700 - 500, 0},
		"both phases, the decodes take longer":    {step(append(decodes(81, 100), sequence{tokens: 100})...), 700 + 7*200 + 1000 - 500, 1},
		"the shorter one is within what is fixed": {step(append(decodes(1, 100), sequence{tokens: 200})...), 1800, 0},
		"nothing": {Step{}, 500, 0},
	}
	table := parseTable(t, smallTable)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			timer := table.Timer()
			if got := microseconds(timer.StepTime(tc.step)); math.Abs(got-tc.micros) > 1e-3 {
				t.Errorf("step = %.3f µs, want %.3f", got, tc.micros)
			}
			var e Extrapolator = timer
			if got := e.Extrapolated(); got != tc.outside {
				t.Errorf("%d steps outside, want %d", got, tc.outside)
			}
		})
	}
}

func TestTableFixedTime(t *testing.T) {
	timer := parseTable(t, smallTable+"fixedMicroseconds: 100\n").Timer()
	if got, want := timer.StepTime(step(append(decodes(11, 100), sequence{tokens: 200})...)), 2400*time.Microsecond; got != want {
		t.Errorf("step = %s, want %s", got, want)
	}
}

func TestTableOfOnePointIsConstant(t *testing.T) {
	timer := parseTable(t, `{prefill: {newTokens: [100], contextTokens: [0], microseconds: [[10]]}, decode: {sequences: [1], contextTokens: [0], microseconds: [[5]]}}`).Timer()
	if got := timer.StepTime(step(sequence{tokens: 5000, before: 7})); got != 10*time.Microsecond {
		t.Errorf("step = %s", got)
	}
	if got := timer.Extrapolated(); got != 1 {
		t.Errorf("%d steps outside", got)
	}
}

func TestTableDoesNotExtrapolateFallingEdge(t *testing.T) {
	timer := parseTable(t, `{prefill: {newTokens: [100, 200], contextTokens: [0], microseconds: [[20], [10]]}, decode: {sequences: [1], contextTokens: [0], microseconds: [[5]]}}`).Timer()
	if got := timer.StepTime(step(sequence{tokens: 5000})); got != 10*time.Microsecond {
		t.Errorf("step = %s", got)
	}
}

// A table measured from a plane gives the plane back, inside and outside.
func TestTableOfPlaneIsExact(t *testing.T) {
	plane := func(n, c int) float64 { return 1000 + 3*float64(n) + 0.25*float64(c) }
	axis, contexts := []int{1, 7, 50, 51, 300}, []int{0, 10, 500, 4000}
	times := make([][]float64, len(axis))
	for i, n := range axis {
		for _, c := range contexts {
			times[i] = append(times[i], plane(n, c))
		}
	}
	timer := Table{Prefill: PrefillGrid{axis, contexts, times}, Decode: DecodeGrid{axis, contexts, times}}.Timer()
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		n, c := 1+r.IntN(600), 1+r.IntN(8000)
		for _, s := range []Step{step(sequence{tokens: n, before: c}), step(decodes(n, c)...)} {
			if got, want := microseconds(timer.StepTime(s)), plane(n, c); math.Abs(got-want) > 2e-3 {
				t.Fatalf("%d by %d: %.3f µs, want %.3f", n, c, got, want)
			}
		}
	}
}

func TestTableValidation(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing": {"{}", []string{
			"t.prefill.newTokens: Required value: an axis has at least 1 point",
			"t.prefill.contextTokens: Required value: an axis has at least 1 point",
			"t.decode.sequences: Required value: an axis has at least 1 point",
			"t.decode.contextTokens: Required value: an axis has at least 1 point",
		}},
		"an unknown key": {smallTable + "unit: ms\n", []string{`t: Invalid value: unknown field "unit"`}},
		"a word for a number": {"prefill: {newTokens: many}", []string{
			`t.prefill.newTokens: Invalid value: "string": must be a list`}},
		"no YAML": {"{", []string{"t: Invalid value: yaml: line 1: did not find expected node content"}},
		"points out of order, times that are none": {`
prefill: {newTokens: [0, 5, 5], contextTokens: [-1], microseconds: [[1], [0], [5.0e+9]]}
decode: {sequences: [2], contextTokens: [0, 9], microseconds: [[1], [2, 3]]}
fixedMicroseconds: -1
`, []string{
			"t.prefill.newTokens[0]: Invalid value: 0: must be at least 1 and at most 1073741824",
			"t.prefill.newTokens[2]: Invalid value: 5: must be more than the 5 before it",
			"t.prefill.contextTokens[0]: Invalid value: -1: must be at least 0 and at most 1073741824",
			"t.prefill.microseconds[1][0]: Invalid value: 0: must be greater than 0 and at most half an hour",
			"t.prefill.microseconds[2][0]: Invalid value: 5e+09: must be greater than 0 and at most half an hour",
			"t.decode.microseconds: Invalid value: 2: must have 1 rows, one for each point of the first axis",
			"t.decode.microseconds[0]: Invalid value: 1: must have 2 times, one for each of contextTokens",
			"t.fixedMicroseconds: Invalid value: -1: must be 0 or more and at most half an hour",
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := ParseTable([]byte(tc.text), field.NewPath("t"))
			if diff := cmp.Diff(tc.want, errorMessages(errs)); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

func TestTableLimitsValidation(t *testing.T) {
	table := parseTable(t, smallTable)
	if errs := table.ValidateLimits(EngineLimits{MaxNumSeqs: 22, MaxNumBatchedTokens: 800, MaxModelLen: 2000}, nil); len(errs) > 0 {
		t.Errorf("faults: %v", errs)
	}
	if errs := table.ValidateLimits(EngineLimits{}, nil); len(errs) > 0 {
		t.Errorf("faults: %v", errs)
	}
	// A step has no more decodes than tokens.
	if errs := table.ValidateLimits(EngineLimits{MaxNumSeqs: 1000, MaxNumBatchedTokens: 22}, nil); len(errs) > 0 {
		t.Errorf("faults: %v", errs)
	}
	want := []string{
		"t.prefill.newTokens: Invalid value: 400: the last point must be at least 401: maxNumBatchedTokens is 801, and times are extrapolated to 2 times the last point",
		"t.prefill.contextTokens: Invalid value: 1000: the last point must be at least 1500: maxModelLen is 3000, and times are extrapolated to 2 times the last point",
		"t.decode.sequences: Invalid value: 11: the last point must be at least 12: maxNumSeqs is 23, and times are extrapolated to 2 times the last point",
		"t.decode.contextTokens: Invalid value: 1100: the last point must be at least 1500: maxModelLen is 3000, and times are extrapolated to 2 times the last point",
	}
	errs := table.ValidateLimits(EngineLimits{MaxNumSeqs: 23, MaxNumBatchedTokens: 801, MaxModelLen: 3000}, field.NewPath("t"))
	if diff := cmp.Diff(want, errorMessages(errs)); diff != "" {
		t.Errorf("faults (−want +got):\n%s", diff)
	}
}

func TestInvalidTableHasNoTimer(t *testing.T) {
	defer paniccheck.Want(t, "no panic")
	Table{}.Timer()
}

func FuzzParseTable(f *testing.F) {
	f.Add([]byte(smallTable))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, errs := ParseTable(raw, field.NewPath("table"))
		if len(errs) > 0 {
			return
		}
		timer := table.Timer()
		for _, s := range []Step{{}, step(sequence{tokens: 100, before: 7}), step(append(decodes(9, 100), sequence{tokens: 1})...)} {
			if got := timer.StepTime(s); got < 1 || got > longestStep {
				t.Errorf("%+v takes %d ns", s, got)
			}
		}
	})
}
