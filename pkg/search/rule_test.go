// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

func ruled(s search.Space, expressions ...string) search.Space {
	for _, e := range expressions {
		s.Rules = append(s.Rules, search.Rule{Expression: e})
	}
	return s
}

func TestRulesLeaveThePointsThatFulfilThem(t *testing.T) {
	weights := spaceOf(stepped("prefix", "0", "2", "1"), stepped("queue-depth", "0", "2", "1"))
	picker := spaceOf(choice("picker", "max", "weighted"), when(stepped("temperature", "1", "3", "1"), "picker", "weighted"))
	typed := spaceOf(choice("blocks", "16", "64"), choice("on", "true", "false"))
	tests := map[string]struct {
		space search.Space
		want  []search.Values
	}{
		"a ratio, which has no value over 0": {
			ruled(weights, `prefix / parameter("queue-depth") <= 1`),
			[]search.Values{{"0", "1"}, {"0", "2"}, {"1", "1"}, {"1", "2"}, {"2", "2"}},
		},
		"two rules": {
			ruled(weights, `prefix > parameter("queue-depth")`, "prefix < 2"), []search.Values{{"1", "0"}},
		},
		"a parameter that does not exist": {
			ruled(picker, "temperature > 2"), []search.Values{{"max", ""}, {"weighted", "3"}},
		},
		"labels are what they look like": {
			ruled(typed, "on || blocks > 16"), []search.Values{{"16", "true"}, {"64", "true"}, {"64", "false"}},
		},
	}
	for name, tc := range tests {
		p := problemOf(search.Grid, tc.space, 100)
		if diff := cmp.Diff(tc.want, allPoints(mustNew(t, p))); diff != "" {
			t.Errorf("%s: points of the grid (−want +got):\n%s", name, diff)
		}
		p.Settings.Algorithm = search.Random
		drawn := allPoints(mustNew(t, p))
		if len(drawn) != len(tc.want) {
			t.Errorf("%s: drawn are %v", name, drawn)
		}
		for _, point := range drawn {
			if err := tc.space.Contains(point); err != nil {
				t.Errorf("%s: %v: %v", name, point, err)
			}
		}
		if _, exact := tc.space.Size(); exact {
			t.Errorf("%s: the size is said to be exact", name)
		}
	}
}

// A grid whose combinations are far too many, but whose points are few.
func TestRulesPruneBeforeAllCombinationsAreMade(t *testing.T) {
	space := spaceOf(stepped("a", "1", "1000", "1"), stepped("b", "1", "1000", "1"), stepped("c", "1", "1000", "1"))
	points := allPoints(mustNew(t, problemOf(search.Grid, ruled(space, "a == b", "a == 7", "c <= a"), 100)))
	if len(points) != 7 {
		t.Errorf("%d points: %v", len(points), points)
	}
}

func TestRulesThatCannotHoldAreRefused(t *testing.T) {
	space := spaceOf(stepped("prefix", "0", "2", "1"), choice("picker", "max", "random"))
	tests := map[string]struct {
		space search.Space
		want  []string
	}{
		"contradictory": {
			ruled(space, "prefix > 1", "prefix < 1"),
			[]string{"FieldValueInvalid at spec.rules: no point was found that fulfils all of them: they contradict each other, or the parameters' values"},
		},
		"contradictory where there are too many points to look at all": {
			ruled(spaceOf(continuous("a", "0", "1"), continuous("b", "0", "1")), "a + b > 3"),
			[]string{"FieldValueInvalid at spec.rules: no point was found that fulfils all of them: they contradict each other, or the parameters' values"},
		},
		"mistaken": {
			ruled(space, "prefix", "prefix < nothing", "picker < 2", "1 < 2"),
			[]string{
				"FieldValueInvalid at spec.rules[0].expression: must give true or false, and gives double",
				`FieldValueInvalid at spec.rules[1].expression: column 10: there is no parameter "nothing"`,
				"FieldValueInvalid at spec.rules[2].expression: column 8: found no matching overload for '_<_' applied to '(string, double)'",
				"FieldValueInvalid at spec.rules[3].expression: must use a parameter",
			},
		},
	}
	for name, tc := range tests {
		for _, algorithm := range []search.Name{search.Random, search.Grid} {
			if name == "contradictory where there are too many points to look at all" && algorithm == search.Grid {
				continue // which wants steps
			}
			_, errs := search.New(problemOf(algorithm, tc.space, 100), path)
			if diff := cmp.Diff(tc.want, lines(errs)); diff != "" {
				t.Errorf("%s, %s: errors (−want +got):\n%s", name, algorithm, diff)
			}
		}
	}
}

func TestWhatARuleWantsIsSaidInItsWords(t *testing.T) {
	space := spaceOf(stepped("prefix", "0", "2", "1"))
	space.Rules = []search.Rule{{Expression: "prefix < 2", Message: "keep the queue in sight"}}
	const want = `"prefix < 2" (keep the queue in sight) does not hold`
	if err := space.Contains(search.Values{"2"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
