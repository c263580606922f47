// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// twoStepsOfFive is reasoning of 10 tokens.
func twoStepsOfFive(kept bool) *workload.Reasoning {
	return &workload.Reasoning{Steps: upTo(2), TokensPerStep: tokens(5), Kept: kept}
}

// image is one image of 200 tokens a request, of a pool.
func image(pool int) workload.Media {
	return workload.Media{Kind: "Image", Probability: 1, Count: upTo(1), Tokens: tokens(200), Pool: pool}
}

// Prompts of 100 tokens behind a prefix of 50, answers of 10, answered at once. What was
// computed before is counted by hand.
func TestSharingOfPrompts(t *testing.T) {
	tests := map[string]struct {
		edit func(*workload.Client)
		want []promptSharing
	}{
		"requests of their own": {
			func(c *workload.Client) { c.Sessions = nil },
			[]promptSharing{{150, 0}, {150, 50}, {150, 50}},
		},
		"reasoning that is dropped: the answer behind it is at another place": {
			func(c *workload.Client) { c.Reasoning = twoStepsOfFive(false) },
			[]promptSharing{{150, 0}, {260, 150}, {370, 260}},
		},
		"reasoning that is kept": {
			func(c *workload.Client) { c.Reasoning = twoStepsOfFive(true) },
			[]promptSharing{{150, 0}, {270, 170}, {390, 290}},
		},
		"an image for each turn": {
			func(c *workload.Client) { c.Media = []workload.Media{image(0)} },
			[]promptSharing{{350, 0}, {660, 360}, {970, 670}},
		},
		"an image for each request": {
			func(c *workload.Client) { c.Media, c.Sessions = []workload.Media{image(0)}, nil },
			[]promptSharing{{350, 0}, {350, 50}, {350, 50}},
		},
		"the same image for each request": {
			func(c *workload.Client) { c.Media, c.Sessions = []workload.Media{image(1)}, nil },
			[]promptSharing{{350, 0}, {350, 250}, {350, 250}},
		},
		"an image behind an audio that nobody else has": {
			func(c *workload.Client) {
				audio := image(0)
				audio.Kind = "Audio"
				c.Media, c.Sessions = []workload.Media{audio, image(1)}, nil
			},
			[]promptSharing{{550, 0}, {550, 50}, {550, 50}},
		},
		"the same image in sessions of one turn": {
			func(c *workload.Client) {
				c.Media, c.Sessions.Turns = []workload.Media{image(1)}, tokens(1)
			},
			[]promptSharing{{350, 0}, {350, 250}, {350, 250}},
		},
		"all examples in one order": {
			func(c *workload.Client) {
				c.Sessions, c.Examples = nil, &workload.Examples{Pool: 3, Count: upTo(3), Tokens: tokens(20), Sorted: true}
			},
			[]promptSharing{{210, 0}, {210, 110}, {210, 110}},
		},
		"examples of a session stay": {
			func(c *workload.Client) {
				c.Examples = &workload.Examples{Pool: 1000, Count: upTo(3), Tokens: tokens(20)}
			},
			[]promptSharing{{210, 0}, {320, 220}, {430, 330}},
		},
		"the prefix of a session stays": {
			func(c *workload.Client) { c.PrefixGroups = &workload.PrefixGroups{Count: 1000} },
			[]promptSharing{{150, 0}, {260, 160}, {370, 270}},
		},
		"a tenant with one favourite": {
			func(c *workload.Client) {
				c.PrefixGroups, c.Sessions = &workload.PrefixGroups{Count: 1000, Correlation: 1}, nil
			},
			[]promptSharing{{150, 0}, {150, 50}, {150, 50}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := conversationClient("chat", 1)
			tc.edit(&c)
			if diff := cmp.Diff(tc.want, sharing(c, 3)); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
			if c.Sessions == nil {
				return
			}
			if diff := cmp.Diff(tc.want, sharing(waiting(c), 3)); diff != "" {
				t.Errorf("turns that wait (−want +got):\n%s", diff)
			}
		})
	}
}

func TestAnswersBeginWithReasoning(t *testing.T) {
	c := constantClient("a", 1)
	c.Reasoning = &workload.Reasoning{
		Steps:         workload.Lengths{Distribution: stats.Uniform{Low: 0.5, High: 3.5}, Min: 1, Max: 3},
		TokensPerStep: workload.Lengths{Distribution: stats.Uniform{Low: 99.5, High: 101.5}, Min: 100, Max: 101},
	}
	steps := map[int]int{}
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 3000) {
		reasoning := r.OutputTokens - 10
		steps[reasoning/100]++
		if reasoning%100 > reasoning/100 {
			t.Fatalf("%d tokens of reasoning", reasoning)
		}
	}
	for n := 1; n <= 3; n++ {
		if math.Abs(float64(steps[n])-1000) > 120 {
			t.Errorf("%d requests reason in %d steps, want about 1000", steps[n], n)
		}
	}
}

// What is generated is never longer than a request may be.
func TestReasoningIsBounded(t *testing.T) {
	c := constantClient("a", 1)
	c.Reasoning = &workload.Reasoning{Steps: upTo(1000), TokensPerStep: tokens(workload.MaxTokens)}
	r, _ := workload.NewClients([]workload.Client{c}, 1).Next()
	if r.OutputTokens != workload.MaxTokens {
		t.Errorf("%d tokens", r.OutputTokens)
	}
}

func TestAnItemOfAPoolHasOneLength(t *testing.T) {
	random := workload.Lengths{Distribution: stats.Uniform{Low: 0.5, High: 1000.5}, Min: 1, Max: 1000}
	a, b := constantClient("a", 1), constantClient("b", 1)
	for _, c := range []*workload.Client{&a, &b} {
		c.PrefixGroup = "g"
		c.Media = []workload.Media{{Kind: "Image", Probability: 0.5, Count: workload.Lengths{Distribution: stats.Uniform{Low: 0.5, High: 3.5}, Min: 1, Max: 3}, Tokens: random, Pool: 20}}
		c.Examples = &workload.Examples{Pool: 30, Count: upTo(4), Tokens: random}
	}
	lengths, of := map[uint64]int32{}, map[uint64]map[int]bool{}
	none := 0
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{a, b}, 1), 4000) {
		parts := r.Prompt.Extents
		seen := map[uint64]bool{}
		for i, e := range parts[:len(parts)-1] {
			if before, ok := lengths[e.Source]; ok && before != e.Tokens {
				t.Fatalf("text %d has %d tokens, and %d before", e.Source, e.Tokens, before)
			}
			if i < 4 && seen[e.Source] {
				t.Fatalf("request %d has an example twice", r.ID)
			}
			lengths[e.Source], seen[e.Source] = e.Tokens, true
			if of[e.Source] == nil {
				of[e.Source] = map[int]bool{}
			}
			of[e.Source][r.Client] = true
		}
		if len(parts) == 5 {
			none++
		}
	}
	shared := 0
	for _, clients := range of {
		if len(clients) == 2 {
			shared++
		}
	}
	if len(of) != 70 || shared != 30 {
		t.Errorf("%d texts, of which clients share %d, want 70 and 30", len(of), shared)
	}
	if math.Abs(float64(none)-2000) > 150 {
		t.Errorf("%d requests have no image, want about 2000", none)
	}
}

func TestSortedExamplesShareMore(t *testing.T) {
	hits := func(sorted bool) int {
		c := constantClient("a", 1)
		c.PrefixGroup, c.Examples = "g", &workload.Examples{Pool: 12, Count: upTo(4), Tokens: tokens(50), Sorted: sorted}
		cached := 0
		for _, p := range sharing(c, 500) {
			cached += p.Cached
		}
		return cached
	}
	if random, sorted := hits(false), hits(true); random*6 > sorted*5 {
		t.Errorf("%d tokens are computed before in random order, %d in the pool's", random, sorted)
	}
}

// groupsOf counts the prefixes of n requests by period.
func groupsOf(c workload.Client, n int, period time.Duration) []map[uint64]int {
	var all []map[uint64]int
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), n) {
		at := int(r.Arrival / simtime.Time(period))
		for len(all) <= at {
			all = append(all, map[uint64]int{})
		}
		all[at][r.Prompt.Extents[0].Source]++
	}
	return all
}

// byPopularity lists texts, the most frequent first.
func byPopularity(counts map[uint64]int) (texts []uint64) {
	for text := range counts {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b uint64) int { return counts[b] - counts[a] })
	return texts
}

func TestPrefixesAreAsPopularAsTheirRanks(t *testing.T) {
	const n, count = 100_000, 6
	c := constantClient("a", 1)
	c.PrefixGroup, c.PrefixTokens, c.PrefixGroups = "g", 50, &workload.PrefixGroups{Count: count, ZipfExponent: 1.2}
	got := groupsOf(c, n, 1<<62)[0]
	sum, chi := 0.0, 0.0
	for k := 1; k <= count; k++ {
		sum += math.Pow(float64(k), -1.2)
	}
	for i, text := range byPopularity(got) {
		want := n * math.Pow(float64(i+1), -1.2) / sum
		chi += (float64(got[text]) - want) * (float64(got[text]) - want) / want
	}
	// The quantile 0.9999 of chi-squared with 5 degrees of freedom.
	if len(got) != count || chi > 25.7 {
		t.Errorf("%d prefixes, chi-squared %.1f", len(got), chi)
	}
}

// After each period the most popular prefix is the least popular one.
func TestPopularityDrifts(t *testing.T) {
	c := constantClient("a", 10)
	c.PrefixGroup, c.PrefixTokens = "g", 50
	c.PrefixGroups = &workload.PrefixGroups{Count: 4, ZipfExponent: 1, DriftPeriod: 1000 * time.Second}
	periods := groupsOf(c, 60_000, 1000*time.Second)
	want := byPopularity(periods[0])
	for i, p := range periods[:6] {
		if diff := cmp.Diff(want, byPopularity(p)); diff != "" {
			t.Errorf("ranking of period %d (−want +got):\n%s", i, diff)
		}
		want = append(want[1:], want[0])
	}
}

func TestCorrelationWithinATenant(t *testing.T) {
	const n = 20_000
	client := func(name, tenant string, correlation float64) workload.Client {
		c := constantClient(name, 1)
		c.Tenant, c.PrefixGroup, c.PrefixTokens = tenant, "g", 50
		c.PrefixGroups = &workload.PrefixGroups{Count: 100, Correlation: correlation}
		return c
	}
	for _, correlation := range []float64{0, 0.3, 1} {
		t.Run(fmt.Sprint(correlation), func(t *testing.T) {
			clients := []workload.Client{client("a", "x", correlation), client("b", "x", correlation), client("c", "y", correlation)}
			counts := make([]map[uint64]int, 3)
			for i := range counts {
				counts[i] = map[uint64]int{}
			}
			for _, r := range workloadtest.Take(workload.NewClients(clients, 1), 3*n) {
				counts[r.Client][r.Prompt.Extents[0].Source]++
			}
			want := correlation + (1-correlation)/100
			for i := range counts {
				top := byPopularity(counts[i])[0]
				if share := float64(counts[i][top]) / n; math.Abs(share-want) > 0.015 {
					t.Errorf("client %d takes one prefix in %.3f of requests, want %.3f", i, share, want)
				}
			}
			if correlation == 0 {
				return
			}
			a, b, other := byPopularity(counts[0])[0], byPopularity(counts[1])[0], byPopularity(counts[2])[0]
			if a != b || a == other {
				t.Errorf("favourites of two clients of a tenant %d and %d, of another tenant %d", a, b, other)
			}
		})
	}
}

// What a client asks does not depend on the parts of others.
func TestPartsDoNotDependOnOtherClients(t *testing.T) {
	parts := func(name string) workload.Client {
		c := constantClient(name, 1)
		c.PrefixGroup, c.PrefixTokens, c.PrefixGroups = "g", 50, &workload.PrefixGroups{Count: 10, Correlation: 0.5}
		c.Examples = &workload.Examples{Pool: 30, Count: upTo(4), Tokens: tokens(20)}
		c.Media, c.Reasoning = []workload.Media{image(7), {Kind: "Video", Probability: 0.5, Count: upTo(2), Tokens: tokens(9)}}, twoStepsOfFive(true)
		return c
	}
	of := func(clients ...workload.Client) []string {
		var got []string
		for _, r := range workloadtest.Take(workload.NewClients(clients, 4), 200*len(clients)) {
			if clients[r.Client].Name == "a" {
				got = append(got, fmt.Sprint(r.Arrival, r.Prompt, r.OutputTokens, r.Response, r.ResponseStart))
			}
		}
		return got
	}
	alone := of(parts("a"))
	for name, got := range map[string][]string{
		"behind another": of(parts("b"), parts("a")),
		"before others":  of(parts("a"), parts("b"), parts("c")),
	} {
		if diff := cmp.Diff(alone, got[:200]); diff != "" {
			t.Errorf("%s (−alone +got):\n%s", name, diff)
		}
	}
}

func TestPartValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Client)
		want string
	}{
		"too many steps":    {func(c *workload.Client) { c.Reasoning = twoStepsOfFive(true); c.Reasoning.Steps.Max = 1001 }, "c.reasoning.steps.max: Invalid value: 1001: must be at most 1000"},
		"an empty step":     {func(c *workload.Client) { c.Reasoning = twoStepsOfFive(true); c.Reasoning.TokensPerStep.Min = 0 }, "c.reasoning.tokensPerStep.min: Invalid value: 0: must be between 1 and 10000000"},
		"too many images":   {func(c *workload.Client) { c.Media = []workload.Media{image(0)}; c.Media[0].Count.Max = 101 }, "c.media[0].count.max: Invalid value: 101: must be at most 100"},
		"no chance of one":  {func(c *workload.Client) { c.Media = []workload.Media{image(0)}; c.Media[0].Probability = 0 }, "c.media[0].probability: Invalid value: 0: must be greater than 0 and at most 1"},
		"less than no pool": {func(c *workload.Client) { c.Media = []workload.Media{image(-1)} }, "c.media[0].pool: Invalid value: -1: must be between 1 and 100000"},
		"images twice":      {func(c *workload.Client) { c.Media = []workload.Media{image(0), image(0)} }, `c.media[1].kind: Duplicate value: "Image"`},
		"images of fixed prompts": {func(c *workload.Client) {
			c.Sessions, c.Media, c.Prompts = nil, []workload.Media{image(0)}, &workload.Prompts{Count: 1, Order: workload.Cycle}
		}, "c.media: Forbidden: prompts are fixed, and media are drawn for each request"},
		"no prefix":          {func(c *workload.Client) { c.PrefixGroups = &workload.PrefixGroups{} }, "c.prefix.groups.count: Invalid value: 0: must be between 1 and 100000"},
		"a popularity":       {func(c *workload.Client) { c.PrefixGroups = &workload.PrefixGroups{Count: 1, ZipfExponent: math.NaN()} }, "c.prefix.groups.zipfExponent: Invalid value: NaN: must be between 0 and 10"},
		"a drift":            {func(c *workload.Client) { c.PrefixGroups = &workload.PrefixGroups{Count: 1, DriftPeriod: -1} }, `c.prefix.groups.driftPeriod: Invalid value: "-1ns": must be greater than 0 s and at most 8760 h`},
		"a correlation":      {func(c *workload.Client) { c.PrefixGroups = &workload.PrefixGroups{Count: 1, Correlation: 2} }, "c.prefix.groups.correlation: Invalid value: 2: must be between 0 and 1"},
		"more than the pool": {func(c *workload.Client) { c.Examples = &workload.Examples{Pool: 3, Count: upTo(4), Tokens: tokens(1)} }, "c.prefix.examples.count.max: Invalid value: 4: must be at most 3"},
		"no pool":            {func(c *workload.Client) { c.Examples = &workload.Examples{Count: upTo(4), Tokens: tokens(1)} }, "c.prefix.examples.pool: Invalid value: 0: must be between 1 and 100000"},
		"examples of nobody": {func(c *workload.Client) {
			c.PrefixGroup, c.PrefixTokens, c.Examples = "", 0, &workload.Examples{Pool: 3, Count: upTo(3), Tokens: tokens(1)}
		}, "c.prefix.group: Required value: a prefix belongs to a group"},
	} {
		t.Run(name, func(t *testing.T) {
			c := conversationClient("chat", 1)
			tc.edit(&c)
			if diff := cmp.Diff([]string{tc.want}, messages(c.Validate(field.NewPath("c")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
