// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
)

func TestTableOfPoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.yaml")
	var stdout, stderr bytes.Buffer
	if err := run([]string{"-table", path, "testdata/tiny.csv"}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if want := "measure: not in the table: a context of 8192, which was not measured for 64 sequences\n"; stderr.String() != want {
		t.Errorf("said %q, want %q", stderr.String(), want)
	}
	text := testfile.Read(t, path)
	got, errs := latency.ParseTable(text, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := latency.Table{
		Prefill: latency.PrefillGrid{
			NewTokens: []int{512, 2048}, ContextTokens: []int{0, 4096},
			Microseconds: [][]float64{{13000, 14000}, {46000, 52000}},
		},
		Decode: latency.DecodeGrid{
			Sequences: []int{1, 64}, ContextTokens: []int{128, 2048},
			Microseconds: [][]float64{{6000, 6100}, {6500, 9000}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestTheTableGivesItsPointsBack: what is measured and what a step is said to
// be fit together.
func TestTheTableGivesItsPointsBack(t *testing.T) {
	points, err := readFile("testdata/tiny.csv")
	if err != nil {
		t.Fatal(err)
	}
	table, _ := toTable(points)
	timer := table.Timer()
	for _, p := range points {
		if p.contextTokens == 8192 {
			continue
		}
		if got, want := timer.StepTime(p.step()), time.Duration(p.microseconds*1e3); got != want {
			t.Errorf("%+v: the table gives %v", p, got)
		}
	}
	if n := timer.Extrapolated(); n != 0 {
		t.Errorf("%d points lie outside the table", n)
	}
}

func TestErrorsOfTheRoofline(t *testing.T) {
	var out bytes.Buffer
	points := []point{
		{decode: true, sequences: 1, newTokens: 1, contextTokens: 10, microseconds: 800},
		{decode: true, sequences: 4, newTokens: 1, contextTokens: 10, microseconds: 1250},
		{sequences: 1, newTokens: 8, contextTokens: 0, microseconds: 1000},
	}
	if err := writeErrors(&out, points, millisecond{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"+25.0 %", "-20.0 %", "decode: 2 points, mean error +2.5 %, mean size of it 22.5 %", "prefill: 1 points, mean error +0.0 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

type millisecond struct{}

func (millisecond) StepTime(latency.Step) time.Duration { return time.Millisecond }

func TestFaults(t *testing.T) {
	const title = "phase,sequences,new_tokens,context_tokens,microseconds\n"
	for text, want := range map[string]string{
		"":                               "want a first line of phase,sequences",
		"a,b\n":                          "want a first line of phase,sequences",
		title + "decode,1,1,10,fast\n":   `line 2: microseconds "fast": want a number above 0`,
		title + "decode,1,2,10,5\n":      "line 2: a decode of 1 sequences computes 2 tokens",
		title + "decode,1,x,10,5\n":      `line 2: new_tokens "x": want a whole number`,
		title + "prefill,2,8,0,5\n":      `line 2: a "prefill" of 2 sequences`,
		title + "encode,1,8,0,5\n":       `line 2: a "encode" of 1 sequences`,
		title + "# why\nprefill,1,1,1\n": "wrong number of fields",
	} {
		if _, err := readPoints(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for args, want := range map[string]string{
		"":                                      "want one file of points",
		"-model gpt testdata/tiny.csv":          `-model "gpt": want one of`,
		"-accelerator abacus testdata/tiny.csv": `-accelerator "abacus": want one of`,
		"missing.csv":                           "missing.csv",
	} {
		if err := run(strings.Fields(args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
