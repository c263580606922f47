// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// known are names with values; a nil one has none.
var known = map[string]any{
	"prefix": 3.0, "queue": 2.0, "zero": 0.0, "prefix-weight": 0.5, "picker": "max", "scaled": true,
	"ttft.p99": 0.25, "tpot.mean{class=critical}": 0.02, "absent": nil, "v0": 7.0,
}

var names = Names{Function: "metric", Kind: func(name string) (Kind, error) {
	value, ok := known[name]
	if !ok {
		return 0, fmt.Errorf("there is no %q", name)
	}
	switch value.(type) {
	case string:
		return Text, nil
	case bool:
		return Bool, nil
	}
	return Number, nil
}}

func values(name string) (any, bool) { return known[name], known[name] != nil }

func TestExpressionsMeanWhatTheySay(t *testing.T) {
	tests := map[string]struct {
		kind Kind
		want any // nil: no value
	}{
		"prefix":                           {Number, 3.0},
		"prefix / queue <= 1.33":           {Bool, false},
		"2*prefix + 1":                     {Number, 7.0},
		"2u * prefix == 6":                 {Bool, true},
		"-1 * -prefix":                     {Number, 3.0},
		"3 / 2":                            {Number, 1.5},
		"7 % 4 + prefix % queue":           {Number, 4.0},
		"1e3 + 1":                          {Number, 1001.0},
		"prefix in [1, 2, 3]":              {Bool, true},
		`picker in ["max", "none"]`:        {Bool, true},
		`picker == "max" ? prefix : queue`: {Number, 3.0},
		`picker.startsWith("m") && scaled`: {Bool, true},
		"size(picker) == 3":                {Bool, true},
		"size(picker)":                     {Number, 3.0},
		"max(prefix, queue) - min(1, 2)":   {Number, 2.0},
		"round(abs(-2.5)) + floor(1.5) + ceil(1.5) + sqrt(4)": {Number, 8.0},
		`ttft.p99 * 2`:                    {Number, 0.5},
		`"max".size() % 2 + int("4") / 8`: {Number, 1.5},
		`metric("ttft.p99") + metric("tpot.mean{class=critical}")`: {Number, 0.27},
		`metric("prefix-weight")`:                                  {Number, 0.5},
		"v0":                                                       {Number, 7.0},
		"picker":                                                   {Text, "max"},

		"1 / zero":                 {Number, nil},
		"1 / zero > 5":             {Bool, nil},
		"1 % zero":                 {Number, nil},
		"sqrt(-1)":                 {Number, nil},
		"1e308 * 10":               {Number, nil},
		"absent + 1":               {Number, nil},
		"absent > 1":               {Bool, nil},
		"scaled || absent > 1":     {Bool, true},
		"absent > 1 || scaled":     {Bool, true},
		"scaled && absent > 1":     {Bool, nil},
		"zero > 0 && 1 / zero > 5": {Bool, false},
		"scaled ? prefix : absent": {Number, 3.0},
	}
	for text, tc := range tests {
		e, err := Compile(text, names, tc.kind)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, ok, err := e.Evaluate(values)
		if err != nil || ok != (tc.want != nil) || ok && got != tc.want {
			t.Errorf("%s is %v, %v, %v, want %v", text, got, ok, err, tc.want)
		}
	}
}

func TestUsesAreNamedOnceInTheirOrder(t *testing.T) {
	e, err := Compile(`queue + ttft.p99 + metric("queue") + metric("ttft.p99") + prefix`, names, Number)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"queue", "ttft.p99", "prefix"}, e.Uses()); diff != "" {
		t.Errorf("uses (−want +got):\n%s", diff)
	}
}

func TestNumbersInNumbersOut(t *testing.T) {
	numbers := func(name string) (float64, bool) { return 4, name == "queue" }
	number, err := Compile("queue / 8", names, Number)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok, err := number.Number(numbers); got != 0.5 || !ok || err != nil {
		t.Errorf("%v, %v, %v", got, ok, err)
	}
	bound, err := Compile("queue > prefix", names, Bool)
	if err != nil {
		t.Fatal(err)
	}
	anything := func(name string) (any, bool) { return numbers(name) }
	if got, ok, err := bound.Evaluate(anything); got != nil || ok || err != nil {
		t.Errorf("%v, %v, %v", got, ok, err)
	}
}

func TestMistakesAreFoundBeforehandWithTheirColumn(t *testing.T) {
	tests := map[string]struct {
		kind Kind
		want string
	}{
		"":                           {Number, "must not be empty"},
		"prefix +":                   {Number, "column 9: "},
		"prefix + nothing":           {Number, `column 10: there is no "nothing"`},
		"prefix +\n nothing":         {Number, `line 2, column 2: there is no "nothing"`},
		"1 + ttft.p98":               {Number, `column 5: there is no "ttft.p98"`},
		`1 + metric("x{a=b}")`:       {Number, `column 11: there is no "x{a=b}"`},
		"metric(prefix)":             {Number, "column 7: metric takes one text in quotes"},
		"prefix + picker":            {Number, "column 8: found no matching overload for '_+_' applied to '(double, string)'"},
		"picker / 2":                 {Number, "found no matching overload for '_/_' applied to '(string, double)'"},
		"prefix && scaled":           {Bool, "expected type 'bool' but found 'double'"},
		"prefix":                     {Bool, "must give true or false, and gives double"},
		"prefix > 1":                 {Number, "must give a number, and gives bool"},
		"nosuch(prefix)":             {Number, "undeclared reference to 'nosuch'"},
		"[1, 2].all(x, x > 0)":       {Bool, `there is no "x"`},
		"[1, 2].map(prefix, prefix)": {Bool, "undeclared reference to 'map'"},
		"{1: 2}":                     {Number, "only numbers, texts, names"},
		"[1][0].x":                   {Number, "only names are joined by dots"},
		`picker.matches("m.*")`:      {Bool, "column 15: matches: regular expressions are not available; use startsWith, endsWith, contains or in"},
		`matches(picker, "m.*")`:     {Bool, "use startsWith, endsWith, contains or in"},
		`duration("1h") > prefix`:    {Bool, "duration: times and durations are not available; use numbers"},
		`picker.getFullYear() > 1`:   {Bool, "getFullYear: times and durations are not available"},
		joined(7) + ` == "x"`:        {Bool, "takes too long: an evaluation costs up to "},
		contained(5) + ` == picker`:  {Bool, "at most 20000: join fewer texts, and compare shorter lists"},
		strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100): {Number, "recursion"},
		strings.Repeat("1+", 1500) + "1":                          {Number, "must be at most 2048 bytes long"},
	}
	for text, tc := range tests {
		_, err := Compile(text, names, tc.kind)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.40q: %v, want %s", text, err, tc.want)
		}
	}
}

// joined is a text of 2 to the power of doublings copies of one.
func joined(doublings int) string {
	if doublings == 0 {
		return "picker"
	}
	return "(" + joined(doublings-1) + "+" + joined(doublings-1) + ")"
}

// contained is a text that decides by a search in a long one.
func contained(doublings int) string {
	return fmt.Sprintf(`((%s).contains(%s) ? "x" : "y")`, joined(doublings), joined(doublings))
}

func TestWhatPeopleWriteIsFarBelowTheBound(t *testing.T) {
	texts := []string{
		`picker in ["` + strings.Repeat(`max", "`, 200) + `none"]`,
		`picker.startsWith("ma") && picker.endsWith("x") && picker.contains("a") && !(picker in ["a", "b"])`,
		strings.Repeat("prefix / queue <= 1.33 && ", 70) + "scaled",
		`"policy-" + picker + "-" + string(prefix) == "policy-max-3"`,
	}
	for _, text := range texts {
		if _, err := Compile(text, names, Bool); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// Whatever compiles evaluates without a panic, to what it promised.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"prefix / queue <= 1.33", `metric("ttft.p99") > 2u`, "absent % 3", `picker.matches("m.*")`, "[1][5]", `int("x") + 1`, "-9223372036854775808"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []Kind{Number, Text, Bool} {
			e, err := Compile(text, names, kind)
			if err != nil {
				continue
			}
			got, ok, err := e.Evaluate(values)
			if err != nil || !ok {
				continue
			}
			switch got.(type) {
			case float64:
				ok = kind == Number
			case string:
				ok = kind == Text
			case bool:
				ok = kind == Bool
			}
			if !ok {
				t.Errorf("%q gives %T", text, got)
			}
		}
	})
}

// An expression whose cost is near the bound.
func BenchmarkEvaluateTheDearest(b *testing.B) {
	b.ReportAllocs()
	e, err := Compile(joined(6)+` == "x"`, names, Bool)
	if err != nil {
		b.Fatal(err)
	}
	long := func(string) (any, bool) { return strings.Repeat("a", maxText-1) + "b", true }
	for b.Loop() {
		if _, ok, _ := e.Evaluate(long); !ok {
			b.Fatal("no value")
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	b.ReportAllocs()
	e, err := Compile("prefix / queue <= 1.33 && prefix < 10", names, Bool)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, ok, _ := e.Evaluate(values); !ok {
			b.Fatal("no value")
		}
	}
}
