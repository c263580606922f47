// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestMeasures(t *testing.T) {
	row := makeRows(0, map[string]float64{"cost": 6, "throughput.requests": 3, "ttft.p99{class=critical}": 0.5, "preemptions": 0})[0]
	measures, errs := NewMeasures([]Derived{
		{"perRequest", "cost / throughput.requests"},
		{"score", `2*perRequest + metric("ttft.p99{class=critical}")`},
		{"perPreemption", "cost / preemptions"},
		{"perGood", "cost / goodput"},
	}, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	cases := map[string]struct {
		value   float64
		ok      bool
		uses    string
		measure string
	}{
		"cost":                     {6, true, "cost", "cost"},
		"goodput":                  {0, false, "goodput", "goodput"},
		"perRequest":               {2, true, "cost throughput.requests", "perRequest"},
		"score":                    {4.5, true, "cost throughput.requests ttft.p99{class=critical}", "score"},
		"perPreemption":            {0, false, "cost preemptions", "perPreemption"},
		"perGood":                  {0, false, "cost goodput", "perGood"},
		"goodput{pool=a,class=b}":  {0, false, "goodput{class=b,pool=a}", "goodput{class=b,pool=a}"},
		"ttft.p99{class=critical}": {0.5, true, "ttft.p99{class=critical}", "ttft.p99{class=critical}"},
	}
	for text, tc := range cases {
		t.Run(text, func(t *testing.T) {
			m, errs := measures.Parse(text, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if value, ok := m.Value(&row); value != tc.value || ok != tc.ok {
				t.Errorf("%v, %t; want %v, %t", value, ok, tc.value, tc.ok)
			}
			var uses []string
			for _, metric := range m.Uses() {
				uses = append(uses, metric.String())
			}
			if got := strings.Join(uses, " "); got != tc.uses || m.String() != tc.measure {
				t.Errorf("%s uses %s, want %s, %s", m, got, tc.measure, tc.uses)
			}
			if again, _ := measures.Parse(text, nil); again != m {
				t.Error("parsed again it is another one")
			}
		})
	}
}

func TestMeasureFaults(t *testing.T) {
	_, errs := NewMeasures([]Derived{
		{"goodput", "cost"},
		{"a", "cost / nothing"},
		{"a", "ttft.p99 > 1"},
		{"b", "later + 1"},
		{"later", `metric("goodput{room=1}")`},
	}, field.NewPath("metrics"))
	var got []string
	for _, e := range errs {
		got = append(got, e.Field)
	}
	want := []string{"metrics[0].name", "metrics[1].expression", "metrics[2].name", "metrics[2].expression", "metrics[3].expression", "metrics[4].expression"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v, −want +got:\n%s", errs, diff)
	}
}

func TestBounds(t *testing.T) {
	cases := []struct {
		text string
		unit Unit
		want float64
		ok   bool
	}{
		{"500ms", Seconds, 0.5, true},
		{"1.5s", Seconds, 1.5, true},
		{"250us", Seconds, 0.00025, true},
		{"2m", Seconds, 120, true},
		{"0", Seconds, 0, true},
		{"500", Seconds, 0, false},
		{"50%", Seconds, 0, false},
		{"99%", Share, 0.99, true},
		{"0.999", Share, 0.999, true},
		{"99", Share, 0, false},
		{"-1%", Share, 0, false},
		{"1s", Share, 0, false},
		{"0.9", Index, 0.9, true},
		{"120%", Ratio, 1.2, true},
		{"12", PerSecond, 12, true},
		{"12%", PerSecond, 0, false},
		{"3h", Hours, 0, false},
		{"-5ms", Seconds, 0, false},
		{"-1", Count, 0, false},
		{"-12", PerSecond, 0, false},
		{"-0.5", Currency, 0, false},
		{"-2", Number, -2, true},
		{"5ms", Number, 0.005, true},
		{"5%", Number, 0.05, true},
		{"", Number, 0, false},
		{"1e3", Number, 0, false},
		{"1m30s", Seconds, 0, false},
	}
	for _, tc := range cases {
		got, errs := ParseBound(tc.text, tc.unit, nil)
		if got != tc.want || (len(errs) == 0) != tc.ok {
			t.Errorf("%q as %s: %v, %v; want %v, %t", tc.text, tc.unit, got, errs, tc.want, tc.ok)
		}
	}
	for text, want := range map[string]float64{"-1%": -0.01, "+5%": 0.05, "0.5%": 0.005} {
		if got, errs := ParseChange(text, nil); got != want || len(errs) > 0 {
			t.Errorf("%q: %v, %v; want %v", text, got, errs, want)
		}
	}
	for _, text := range []string{"", "%", "5", "x%", "5ms", "5%%"} {
		if got, errs := ParseChange(text, nil); len(errs) == 0 {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestConstraints(t *testing.T) {
	constraint := func(metric, operator, value string) Constraint {
		c, errs := Measures{}.Constraint(metric, operator, value, nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		return c
	}
	limit := constraint("ttft.p99", "AtMost", "500ms")
	for value, want := range map[float64]float64{0.4: 0, 0.5: 0, 0.75: 0.5} {
		if got := limit.Excess(value); got != want {
			t.Errorf("excess of %v is %v, want %v", value, got, want)
		}
	}
	none := constraint("preemptions", "AtMost", "0")
	if got := none.Excess(3); got != 3 {
		t.Errorf("excess over a bound of 0 is %v", got)
	}
	all := []Constraint{limit, constraint("goodput", "AtLeast", "80%")}
	rows := makeRows(0, map[string]float64{"ttft.p99": 0.7, "goodput": 0.6}, map[string]float64{"ttft.p99": 0.8, "goodput": 0.6})
	if got, ok := Excess(all, rows); !ok || got < 0.7499 || got > 0.7501 {
		t.Errorf("excess is %v, %t", got, ok)
	}
	if _, ok := Excess(all, makeRows(0, ttft99(0.1)...)); ok {
		t.Error("what was not measured has an excess")
	}

	claims := map[Claim][]Row{
		Holds:  makeRows(0, ttft99(0.40, 0.41, 0.42)...),
		Breaks: makeRows(0, ttft99(0.60, 0.61, 0.62)...),
		Open:   makeRows(0, ttft99(0.40, 0.50, 0.60)...),
	}
	for want, rows := range claims {
		if got := limit.Claim(rows, 0.95); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := limit.Claim(makeRows(0, ttft99(0.1)...), 0.95); got != Open {
		t.Errorf("one seed: %s", got)
	}
	if got := ClaimAll([]Constraint{limit, constraint("goodput", "AtLeast", "80%")}, rows, 0.95); got != Breaks {
		t.Errorf("all: %s", got)
	}
}
