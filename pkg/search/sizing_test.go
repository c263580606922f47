// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

// sizingProblem asks which of the pools bears a demand.
func sizingProblem(replicas search.Parameter, demand search.DemandSettings) search.Problem {
	p := loadProblem(1000, replicas, continuous("load", "1", "1000"))
	demand.Replicas = "replicas"
	p.Settings.Capacity.Precision = 0.05
	p.Settings.Capacity.Demand = &demand
	return p
}

func replicas(most int) search.Parameter {
	r := integer("replicas", "1", fmt.Sprint(most))
	r.Step = "1"
	return r
}

// Each case says how much load so many replicas bear: most have 10 for each replica, so that
// a demand of 38 needs 4, and one with a headroom of 30 % (49.4) needs 5.
func TestTheSmallestPoolThatBearsADemand(t *testing.T) {
	each := func(n float64) float64 { return 10 * n }
	for name, tc := range map[string]struct {
		sizes  search.Parameter
		demand search.DemandSettings
		bears  func(replicas float64) float64
		// asked are the pools in the order in which they are tried, and want their
		// brackets: + for what bears the demand, * for what survives, and "known" for
		// that of the pool whose capacity is sought.
		asked, want string
	}{
		"the smallest, tried with the one below it": {
			replicas(64), search.DemandSettings{Load: "38"}, each, "1 2 4 3 5", "1, 2, 3, 4+ known, 5+*",
		},
		"with headroom": {
			replicas(64), search.DemandSettings{Load: "38", Headroom: 0.3}, each, "1 2 4 8 6 5", "1, 2, 4, 5+ known, 6+*, 8+*",
		},
		"the one that survives": {
			replicas(64), search.DemandSettings{Load: "38", Survive: 2}, each, "1 2 4 3 6", "1, 2, 3, 4+, 6+* known",
		},
		"the least is enough": {
			replicas(64), search.DemandSettings{Load: "3"}, each, "1 2", "1+ known, 2+*",
		},
		"pools that may be had": {
			choice("replicas", "8", "2", "5"), search.DemandSettings{Load: "38"}, each, "2 5 8", "2, 5+ known, 8+*",
		},
		"none: what the largest bears is below the demand": {
			replicas(3), search.DemandSettings{Load: "38"}, each, "1 2 3", "1, 2, 3 known",
		},
		"enough, and none survives": {
			replicas(4), search.DemandSettings{Load: "38", Survive: 1}, each, "1 2 4 3", "1, 2, 3, 4+ known",
		},
		// 3 bear less than 2. Of 4 with one failed 3 are left, which do not bear the
		// demand; of 5 there are 4, which do.
		"more replicas that bear less": {
			replicas(64), search.DemandSettings{Load: "38", Survive: 1}, func(n float64) float64 {
				if n == 2 || n == 3 {
					return 60 - 10*n
				}
				return 10 * n
			}, "1 2 3 4 5", "1, 2+, 3, 4+, 5+* known",
		},
		// A replica starts with 39.5 and each further one adds 0.1.
		"a demand that one replica bears just so": {
			replicas(64), search.DemandSettings{Load: "39.5"}, func(n float64) float64 { return 39.4 + n/10 }, "1 2", "1+ known, 2+*",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustNew(t, sizingProblem(tc.sizes, tc.demand))
			var asked []string
			for _, trials := range play(t, a, claims(func(load float64, p search.Proposal) search.Claim {
				return upTo(tc.bears(numberOf(p.Point, 0)))(load, p)
			})) {
				for _, trial := range trials {
					if n := trial.Point[0]; !slices.Contains(asked, n) {
						asked = append(asked, n)
					}
				}
			}
			if diff := cmp.Diff(tc.asked, strings.Join(asked, " ")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			var got []string
			for _, b := range bracketsOf(t, a) {
				got = append(got, sizeText(t, &b, tc.bears(numberOf(b.Point, 0))))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("brackets (-want +got):\n%s", diff)
			}
		})
	}
}

// sizeText writes the bracket of a pool, and checks it against what the pool bears.
func sizeText(t *testing.T, b *search.Bracket, bears float64) string {
	t.Helper()
	text := b.Point[0]
	if b.AtDemand == search.Holds {
		text += "+"
	}
	if b.Survives {
		text += "*"
	}
	if b.Holds == "" || b.Breaks == "" {
		return text
	}
	if holds, breaks := parse(t, b.Holds), parse(t, b.Breaks); holds > bears || breaks <= bears || breaks > holds*1.051 {
		t.Errorf("%s replicas bear %g: %s-%s", b.Point[0], bears, b.Holds, b.Breaks)
	}
	return text + " known"
}

// Each combination of the other parameters has a smallest pool of its own.
func TestEachCandidateHasItsSmallestPool(t *testing.T) {
	p := sizingProblem(replicas(8), search.DemandSettings{Load: "38"})
	p.Space.Parameters = slices.Insert(p.Space.Parameters, 0, choice("router", "good", "bad"))
	a := mustNew(t, p)
	play(t, a, claims(func(load float64, p search.Proposal) search.Claim {
		each := map[string]float64{"good": 20, "bad": 10}[p.Point[0]]
		return upTo(each*numberOf(p.Point, 1))(load, p)
	}))
	var got []string
	for _, b := range bracketsOf(t, a) {
		if b.Holds != "" && b.Breaks != "" {
			got = append(got, b.Point[0]+" "+b.Point[1])
		}
	}
	if diff := cmp.Diff([]string{"good 2", "bad 4"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMaxTrialsEndsASearchOfPools(t *testing.T) {
	p := sizingProblem(replicas(3), search.DemandSettings{Load: "38"})
	p.Settings.MaxTrials = 3
	told := play(t, mustNew(t, p), claims(upTo(1)))
	if n := len(slices.Concat(told...)); n != 3 {
		t.Errorf("%d trials", n)
	}
}

func TestDemandsThatAreNone(t *testing.T) {
	for want, tc := range map[string]struct {
		replicas search.Parameter
		demand   search.DemandSettings
	}{
		"search.capacity.demand.load: Invalid value: \"900\": with its headroom it is 1170": {replicas(2), search.DemandSettings{Load: "900", Headroom: 0.3}},
		"search.capacity.demand.load: Invalid value: \"0\"":                                 {replicas(2), search.DemandSettings{Load: "0"}},
		"search.capacity.demand.survive: Invalid value: -1":                                 {replicas(2), search.DemandSettings{Load: "2", Survive: -1}},
		"search.capacity.demand.headroom: Invalid value: -0.1":                              {replicas(2), search.DemandSettings{Load: "2", Headroom: -0.1}},
		"must have whole numbers from 1 as its values, and has 2.5":                         {choice("replicas", "2", "2.5"), search.DemandSettings{Load: "2"}},
		"must have whole numbers from 1 as its values, and has few":                         {choice("replicas", "few"), search.DemandSettings{Load: "2"}},
		"search.capacity.demand.replicas: Not found: \"replicas\"":                          {choice("others", "2"), search.DemandSettings{Load: "2"}},
	} {
		_, errs := search.New(sizingProblem(tc.replicas, tc.demand), nil)
		if got := errs.ToAggregate(); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
