// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
)

func TestRowsGolden(t *testing.T) {
	rows := []Row{
		NewRow(makeDocument(42, 0), 3, []Metric{MustParseMetric("ttft.p99{class=critical}")}),
		{Key: "k", Point: 4, Seed: 43, Share: 1, Metrics: NewMetrics(map[string]float64{"goodput": 0.1, "ttft.p99": 1e-7, "preemptions": 1e21})},
		{Key: "k", Point: 4, Seed: 44, Share: 0.25},
		{Point: 5, Seed: 44, Share: 1, Error: "weights: must not all be 0"},
		{Key: "l", Point: 6, Seed: 44, Share: 1, Error: "out of memory", ByMachine: true},
	}
	var b bytes.Buffer
	if err := WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/rows.jsonl", b.Bytes())
	got, err := ReadRows(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("rows read back, −want +got:\n%s", diff)
	}
}

func TestRowHoldsWhatObjectivesName(t *testing.T) {
	meta := makeMeta(42)
	meta.Metrics = []Metric{MustParseMetric("e2e.p99{class=critical,pool=small}"), MustParseMetric("ttft.p99{class=critical}")}
	row := NewRow(NewDocument(makeOutcome(0), meta), 0, meta.Metrics)
	for _, m := range meta.Metrics {
		if _, ok := row.Metrics.Get(m.String()); !ok {
			t.Errorf("the row lacks %s", m)
		}
	}
}

// A row without a document is that of the document, with whatever metrics.
func TestRowOfIsTheRowOfTheDocument(t *testing.T) {
	for name, texts := range map[string][]string{
		"usual metrics":      nil,
		"one of the usual":   {"ttft.p99"},
		"of a class":         {"ttft.p99{class=critical}", "goodput"},
		"of a tenant":        {"ttft.mean{tenant=acme}", "ttft.mean{tenant=acme}"},
		"of a pool":          {"cacheHit.gpu{pool=small}", "e2e.p99{pool=large}"},
		"of two labels":      {"e2e.p99{class=critical,pool=small}", "ttft.p99{class=critical}"},
		"of an absent class": {"ttft.p99{class=absent}"},
	} {
		t.Run(name, func(t *testing.T) {
			meta := makeMeta(42)
			for _, text := range texts {
				meta.Metrics = append(meta.Metrics, MustParseMetric(text))
			}
			want := NewRow(NewDocument(makeOutcome(0), meta), 7, meta.Metrics)
			if diff := cmp.Diff(want, RowOf(makeOutcome(0), meta, 7)); diff != "" {
				t.Errorf("−of the document +of the outcome:\n%s", diff)
			}
		})
	}
}

func TestNewRowPanicsOnGroupsNotKept(t *testing.T) {
	defer paniccheck.Want(t, "a metric of two labels that the document was not made for went unnoticed")
	NewRow(makeDocument(42, 0), 0, []Metric{MustParseMetric("ttft.p99{class=critical,pool=small}")})
}

func TestReadRowsFaults(t *testing.T) {
	const good = `{"key":"k","point":0,"seed":42,"metrics":{"goodput":0.5}}` + "\n"
	cases := map[string]struct{ text, want string }{
		"not JSON":                   {good + "hello\n", "read rows: line 2: invalid character 'h' looking for beginning of value"},
		"an empty line":              {good + "\n" + good, "read rows: line 2: empty"},
		"the last line is cut off":   {good + strings.TrimSuffix(good, "\n"), "read rows: line 2: cut off"},
		"an unknown field":           {`{"key":"k","point":0,"seed":42,"metrics":{},"more":1}` + "\n", `read rows: line 1: json: unknown field "more"`},
		"no key":                     {`{"key":"","point":0,"seed":42,"metrics":{}}` + "\n", "read rows: line 1: key is missing"},
		"a negative point":           {`{"key":"k","point":-1,"seed":42,"metrics":{}}` + "\n", "read rows: line 1: point -1 is negative"},
		"no share":                   {`{"key":"k","point":0,"seed":42,"share":2,"metrics":{}}` + "\n", "read rows: line 1: share 2 is not in (0, 1]"},
		"a share that is all":        {`{"key":"k","point":0,"seed":42,"share":1,"metrics":{}}` + "\n", "read rows: line 1: not in the form in which rows are written: spaces, repeated or unsorted keys, or other digits"},
		"an error beside metrics":    {`{"key":"k","point":0,"seed":42,"metrics":{"goodput":1},"error":"e"}` + "\n", "read rows: line 1: the row has metrics and an error"},
		"a machine without an error": {`{"key":"k","point":0,"seed":42,"metrics":{},"byMachine":true}` + "\n", "read rows: line 1: byMachine is set without an error"},
		"no metrics":                 {`{"key":"k","point":0,"seed":42}` + "\n", "read rows: line 1: metrics are missing"},
		"an unknown metric":          {`{"key":"k","point":0,"seed":42,"metrics":{"goodput.p99":1}}` + "\n", `read rows: line 1: metrics: Invalid value: "goodput.p99": goodput takes no statistic`},
		"labels out of order":        {`{"key":"k","point":0,"seed":42,"metrics":{"goodput{pool=a,class=b}":1}}` + "\n", "read rows: line 1: metric goodput{pool=a,class=b} must be written goodput{class=b,pool=a}"},
		"a repeated metric":          {`{"key":"k","point":0,"seed":42,"metrics":{"goodput":1,"goodput":1}}` + "\n", "read rows: line 1: not in the form in which rows are written: spaces, repeated or unsorted keys, or other digits"},
		"something behind the row":   {`{"key":"k","point":0,"seed":42,"metrics":{}} {}` + "\n", "read rows: line 1: not in the form in which rows are written: spaces, repeated or unsorted keys, or other digits"},
		"a number that is too large": {`{"key":"k","point":0,"seed":42,"metrics":{"goodput":1e999}}` + "\n", "read rows: line 1: json: cannot unmarshal number 1e999 into Go struct field rowJSON.metrics of type float64"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rows, err := ReadRows(strings.NewReader(tc.text))
			if err == nil {
				t.Fatalf("read %v", rows)
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("error, −want +got:\n%s", diff)
			}
		})
	}
}

func TestReadRowsOfABrokenReader(t *testing.T) {
	broken := errors.New("broken")
	if _, err := ReadRows(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestWriteRowsRefusesWhatIsNoNumber(t *testing.T) {
	rows := []Row{{Key: "k", Share: 1, Metrics: NewMetrics(map[string]float64{"goodput": math.NaN()})}}
	if err := WriteRows(&bytes.Buffer{}, rows); err == nil {
		t.Error("a NaN was written")
	}
}

// What is written quickly is what the long way writes.
func TestRowsAreWrittenAsJSON(t *testing.T) {
	measured := NewMetrics(map[string]float64{"goodput": 0.1, "preemptions": 1e21, "ttft.p99{class=a}": -0.0000001})
	known := NewDecisions(7, 12, []string{ShownLengths}, []string{"a<b"})
	for name, row := range map[string]Row{
		"usual":          {Key: "k", Point: 3, Seed: -1, Share: 1, Metrics: measured, Decisions: known},
		"every field":    {Object: "o", Key: "k", Workload: "w", Share: 0.25, Metrics: measured, Decisions: NewDecisions(0, math.MaxUint64, nil, nil)},
		"rejections":     {Key: "k", Share: 1, RejectedBy: Rejections{"shed": 2, "evicted": 1}},
		"without any":    {Key: "k", Share: 1},
		"an error":       {Share: 1, Error: "no <weights>", ByMachine: true},
		"text to escape": {Object: "<o>", Key: "k&", Workload: "\"", Share: 1},
		"name to escape": {Key: "k", Share: 1, Metrics: NewMetrics(map[string]float64{"a<b": 1})},
	} {
		want, err := row.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteRows(&b, []Row{row}); err != nil || b.String() != string(want)+"\n" {
			t.Errorf("%s: %q, want %q: %v", name, b.String(), want, err)
		}
	}
	for name, row := range map[string]Row{"no key": {Share: 1}, "no share": {Key: "k"}, "lost": {Key: "k", Share: 1, Lost: true}} {
		if err := WriteRows(io.Discard, []Row{row}); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
}

// What is read quickly is what the long way reads, and the long way refuses what
// would be written otherwise.
func FuzzReadRows(f *testing.F) {
	for _, text := range []string{
		`{"key":"k","point":0,"seed":42,"metrics":{"goodput":0.5,"ttft.p99{class=a}":-0}}` + "\n",
		`{"key":"\u003c","point":1,"seed":-42,"metrics":{}}` + "\n\n",
		`{"key":"","point":1,"seed":-42,"error":"no <weights>"}` + "\n",
		`{"key":"k","point":10,"seed":7,"share":0.25,"error":"none"}` + "\n",
		`{"key":"k","point":1,"seed":7,"share":0.1,"metrics":{"goodput":1e-7,"preemptions":1.5e+21}}` + "\n",
		`{"key":"k","point":01,"seed":-0,"share":1,"metrics":{"preemptions":1.0,"goodput":1e-07}}` + "\n",
		"{}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		reader := newRowReader()
		for line := range bytes.Lines(text) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			want, fault := reader.readAny(line)
			got, ok := reader.readPlain(line)
			if ok && fault != nil {
				t.Fatalf("%q was read although %v", line, fault)
			}
			if ok && !cmp.Equal(want, got) {
				t.Fatalf("%q is %+v, want %+v", line, got, want)
			}
		}
		rows, err := ReadRows(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteRows(&b, rows); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, b.Bytes()) {
			t.Fatalf("%q was read and is written %q", text, b.Bytes())
		}
	})
}

// Rows that simulations give are all read quickly, and share the names of
// their metrics.
func TestRowsArePlain(t *testing.T) {
	rows := []Row{
		NewRow(makeDocument(42, 0), 3, []Metric{MustParseMetric("ttft.p99{class=critical}")}),
		NewRow(makeDocument(-43, 0), 1234567, nil),
		{Key: "k", Point: 4, Seed: 44, Share: 0.25},
		{Point: 5, Seed: 44, Share: 1, Error: "weights: must not all be 0"},
	}
	reader := newRowReader()
	for _, want := range rows {
		line, err := want.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, ok := reader.readPlain(line)
			if !ok || got.Metrics.names != want.Metrics.names || !cmp.Equal(want, got) {
				t.Errorf("%s is %+v, %t", line, got, ok)
			}
		}
	}
	if n := len(reader.known); n != 2 {
		t.Errorf("%d lists of names are known, want 2", n)
	}
}

func TestRowsLongerThanABuffer(t *testing.T) {
	rows := []Row{{Key: strings.Repeat("k", 10_000), Share: 1}, {Key: "k", Share: 1}}
	var b bytes.Buffer
	if err := WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRows(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("rows read back, −want +got:\n%s", diff)
	}
}
