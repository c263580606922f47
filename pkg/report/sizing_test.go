// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// sized is a candidate for a demand of 1, the factor of a trace of 38 requests a second.
func sized(replicas int, holds, breaks string, change func(*result.Capacity)) result.Ranked {
	d := &result.Demand{Load: "1", WithHeadroom: "1", Parameter: "replicas", Replicas: replicas, Verdict: result.LoadNotMet}
	if holds != "" {
		d.Verdict = result.LoadMet
	}
	c := &result.Capacity{Load: "rate", Holds: holds, Breaks: breaks, RequestsPerSecond: 38, Demand: d}
	d.Accelerators = 2 * replicas
	if change != nil {
		change(c)
	}
	return result.Ranked{Rank: 1, Standing: result.Feasible, Entry: result.Entry{Point: replicas, Capacity: c}}
}

func survives(c *result.Capacity) { c.Demand.Survives = true }

func TestVerdictOnASize(t *testing.T) {
	asked := func(survive int, also func(*result.Capacity)) func(*result.Capacity) {
		return func(c *result.Capacity) {
			c.Demand.Survive = survive
			if also != nil {
				also(c)
			}
		}
	}
	none := func(c *result.Capacity) { c.Demand.Verdict = result.LoadNotMet }
	for want, candidates := range map[string][]result.Ranked{
		// 1.9 × 38 = 72.2.
		"1 replica meets the demand of 38 requests/s, with 1.9 times to spare (72.2 requests/s); 2 survive a failure": {
			sized(1, "1.9", "2", nil), sized(2, "1", "", survives),
		},
		"3 replicas meet the demand of 38 requests/s, with at least 64 times to spare (2432 requests/s)": {
			sized(3, "64", "", nil), sized(2, "", "1", nil),
		},
		"4 replicas meet the demand of 38 requests/s and survive 2 failures, with 2.5 times to spare (95 requests/s); while none fails, 2 are enough": {
			sized(4, "2.5", "2.6", asked(2, survives)), sized(2, "1", "", asked(2, nil)),
		},
		"2 replicas meet the demand of 38 requests/s, and no pool of up to 2 replicas survives a failure, too": {
			sized(2, "1.9", "2", asked(1, nil)), sized(1, "", "1", asked(1, nil)),
		},
		// 1.2 bear the load, but not with the headroom.
		"no pool of up to 4 replicas meets the demand of 38 requests/s with a headroom of 30%; the largest bears 45.6 requests/s": {
			sized(4, "1.2", "1.25", func(c *result.Capacity) { none(c); c.Demand.Headroom = 0.3 }), sized(1, "", "1", nil),
		},
		"no pool of up to 4 replicas was shown to meet the demand of 38 requests/s; the largest bears 19 requests/s": {
			sized(4, "0.5", "1", func(c *result.Capacity) { c.Demand.Verdict = result.LoadUndecided }),
		},
		"no pool of up to 4 replicas meets the demand of 38 requests/s, and even at 3.8 requests/s it does not, so that more replicas do not help: raise the limit, or change the model, the accelerator or the engine": {
			sized(4, "", "0.1", nil), sized(1, "", "1", nil),
		},
		"1 replica meets the demand of users 1, with 1.9 times to spare (users 1.9)": {
			sized(1, "1.9", "2", func(c *result.Capacity) { c.Load, c.RequestsPerSecond = "users", 0 }),
		},
	} {
		if got := LeaderboardVerdict(&result.Leaderboard{Candidates: candidates}); got != want {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	}
}

// Where a router sends all requests to few replicas, as many as one likes bear no more.
func TestAVerdictSaysThatMoreReplicasDoNotHelp(t *testing.T) {
	ttft := result.MustParseMetric("ttft.p99")
	pool := func(replicas int, holds, breaks string, seconds float64) result.Ranked {
		c := sized(replicas, holds, breaks, func(c *result.Capacity) { c.Demand.Verdict = result.LoadNotMet })
		c.Metrics = result.Intervals{"ttft.p99": stats.Interval{N: 5, Mean: seconds}}
		return c
	}
	got := LeaderboardVerdict(&result.Leaderboard{
		Constraints: []result.Constraint{{Measure: result.Of(ttft), Operator: result.AtMost, Bound: 0.5}},
		Candidates:  []result.Ranked{pool(64, "0.5", "1", 0.7), pool(8, "", "1", 0.704), pool(4, "", "1", 0.704), pool(2, "", "1", 0.72)},
	})
	const want = "no pool of up to 64 replicas meets the demand of 38 requests/s; the largest bears 19 requests/s, and 4 bear the demand as well as it does, so that more replicas do not help: look at where the router sends requests (windtunnel run --report)"
	if got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

// Pools of other configurations are not those of the best one.
func TestAVerdictOnASizeIsAboutTheBestConfiguration(t *testing.T) {
	named := func(router string, c result.Ranked) result.Ranked {
		c.Parameters = []result.Assignment{{Name: "router", Value: router}, {Name: "replicas", Value: "x"}, {Name: "rate", Value: "1"}}
		return c
	}
	got := LeaderboardVerdict(&result.Leaderboard{Candidates: []result.Ranked{
		named("good", sized(2, "1.5", "1.6", nil)), named("good", sized(4, "1", "", survives)), named("bad", sized(3, "1", "", survives)),
	}})
	if want := "with router=good 2 replicas meet the demand of 38 requests/s, with 1.5 times to spare (57 requests/s); 4 survive a failure"; got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

// Prices stand beside the pools: in money where each pool has a price, else in accelerators.
func TestTableOfSizes(t *testing.T) {
	priced := func(c *result.Capacity) { cost := 2.5 * float64(c.Demand.Replicas); c.Demand.CostPerHour = &cost }
	undecided := func(c *result.Capacity) { c.Undecided, c.Demand.Verdict = true, result.LoadUndecided }
	for name, tc := range map[string]struct {
		candidates []result.Ranked
		want       []string
	}{
		"without prices": {
			[]result.Ranked{sized(2, "1.9", "2", nil), sized(3, "1", "", survives), sized(1, "", "1", undecided)},
			[]string{"demand accelerators capacity ↑", "met 4 1.9 – 2 (72.2 – 76 requests/s)", "met, survives 6 ≥ 1 (38 requests/s)", "undecided 2 < 1 (38 requests/s) ?"},
		},
		"with prices": {
			[]result.Ranked{sized(2, "1.9", "2", priced), sized(1, "", "1", priced)},
			[]string{"demand cost /h capacity ↑", "met 5.00 1.9", "not met 2.50 < 1"},
		},
	} {
		text := Leaderboard(&result.Leaderboard{Candidates: tc.candidates}).Body
		rest := strings.Join(strings.Fields(text), " ")
		for _, want := range tc.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Fatalf("%s: %q does not come, in this order, in\n%s", name, want, text)
			}
			rest = after
		}
	}
}
