// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
)

func TestQueries(t *testing.T) {
	rows := slices.Concat(
		makeRows(2, map[string]float64{"goodput": 0.9, "ttft.p99": 0.25}),
		makeRows(1, map[string]float64{"goodput": 0.5}, map[string]float64{"goodput": 0.75, "ttft.p99": 0.5}),
		[]result.Row{{Point: 3, Seed: 42, Share: 0.25, Error: `no "weights", none`}},
	)
	parameters := Parameters{{Point: 1}: {{Name: "queue", Value: "2"}}, {Point: 2}: {{Name: "queue", Value: "3"}, {Name: "prefix", Value: "a b"}}}
	measures := result.Measures{}
	filter := func(text string) Filter {
		f, errs := ParseFilter(measures, text, nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		return f
	}
	goodput, ttft := result.Of(result.MustParseMetric("goodput")), result.Of(result.MustParseMetric("ttft.p99"))
	cases := map[string]struct {
		query Query
		want  []string // point/seed
	}{
		"all":                         {Query{}, []string{"1/42", "1/43", "2/42", "3/42"}},
		"below":                       {Query{Filters: []Filter{filter("ttft.p99 < 500ms")}}, []string{"2/42"}},
		"at most":                     {Query{Filters: []Filter{filter("ttft.p99<=500ms")}}, []string{"1/43", "2/42"}},
		"equal":                       {Query{Filters: []Filter{filter("goodput=75%")}}, []string{"1/43"}},
		"not equal":                   {Query{Filters: []Filter{filter("goodput != 0.75")}}, []string{"1/42", "2/42"}},
		"two filters":                 {Query{Filters: []Filter{filter("goodput>0.6"), filter("ttft.p99>=0.5s")}}, []string{"1/43"}},
		"sorted":                      {Query{Sort: &goodput, Descending: true}, []string{"2/42", "1/43", "1/42", "3/42"}},
		"those without a value last":  {Query{Sort: &ttft}, []string{"2/42", "1/43", "1/42", "3/42"}},
		"the best two of a long list": {Query{Sort: &ttft, Limit: 2}, []string{"2/42", "1/43"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range tc.query.Select(rows) {
				got = append(got, fmt.Sprintf("%d/%d", r.Point, r.Seed))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}

	var b bytes.Buffer
	q := Query{Columns: []result.Measure{ttft, goodput}}
	if err := q.WriteCSV(&b, rows, parameters); err != nil {
		t.Fatal(err)
	}
	want := "point,share,seed,queue,prefix,ttft.p99,goodput,error\n" +
		"1,1,42,2,,,0.5,\n1,1,43,2,,0.5,0.75,\n2,1,42,3,a b,0.25,0.9,\n" +
		"3,0.25,42,,,,,\"no \"\"weights\"\", none\"\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("CSV, −want +got:\n%s", diff)
	}
	b.Reset()
	if err := (&Query{Filters: []Filter{filter("goodput>=0.9")}}).WriteJSON(&b, rows, parameters); err != nil {
		t.Fatal(err)
	}
	want = `{"key":"key","point":2,"share":1,"seed":42,"parameters":{"prefix":"a b","queue":"3"},"metrics":{"goodput":0.9,"ttft.p99":0.25}}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("JSON, −want +got:\n%s", diff)
	}
}

func TestFilterFaults(t *testing.T) {
	for _, text := range []string{"", "goodput", "goodput<", "<5", "goodput~5", "nothing<5", "ttft.p99<5", "goodput=>0.5", "ttft.p99{class=a<5ms"} {
		if f, errs := ParseFilter(result.Measures{}, text, nil); len(errs) == 0 {
			t.Errorf("%q is %+v", text, f)
		}
	}
	if f, errs := ParseFilter(result.Measures{}, "ttft.p99{class=a,pool=b}<=5ms", nil); len(errs) > 0 || f.Measure.String() != "ttft.p99{class=a,pool=b}" {
		t.Errorf("%+v, %v", f, errs)
	}
}
