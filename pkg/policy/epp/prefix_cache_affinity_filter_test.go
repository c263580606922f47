// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

func TestPrefixCacheAffinityFilter(t *testing.T) {
	cases := map[string]struct {
		parameters  string
		totalBlocks int
		blocks      []int
		tokens      []int64
		want        []int
	}{
		"those that hold enough of the prompt":            {"{}", 10, []int{8, 7, 10}, nil, []int{0, 2}},
		"all where none does":                             {"{}", 10, []int{7, 0, 0}, nil, []int{0, 1, 2}},
		"all where all do":                                {"{}", 10, []int{8, 9}, nil, []int{0, 1}},
		"all where nothing is known":                      {"{}", 0, []int{5, 0}, nil, []int{0, 1}},
		"another threshold":                               {"{affinityThreshold: 0.5}", 10, []int{5, 4}, nil, []int{0}},
		"no threshold":                                    {"{affinityThreshold: 0}", 10, []int{10, 0}, nil, []int{0, 1}},
		"the wait is just what one may wait":              {"{peakPrefillThroughput: 1000, maxTTFTPenaltyMs: 500}", 10, []int{10, 0, 0}, []int64{700, 900, 200}, []int{0}},
		"the wait is too long":                            {"{peakPrefillThroughput: 1000, maxTTFTPenaltyMs: 500}", 10, []int{10, 0, 0}, []int64{701, 900, 200}, []int{0, 1, 2}},
		"one of several holders is not busy":              {"{peakPrefillThroughput: 1000, maxTTFTPenaltyMs: 500}", 10, []int{10, 9, 0}, []int64{9000, 100, 0}, []int{0, 1}},
		"the defaults: 18 s at 15928 tokens a second":     {"{}", 10, []int{10, 0}, []int64{286705, 0}, []int{0, 1}},
		"the defaults, just below":                        {"{}", 10, []int{10, 0}, []int64{286704, 0}, []int{0}},
		"no limit":                                        {"{maxTTFTPenaltyMs: 0}", 10, []int{10, 0}, []int64{1 << 40, 0}, []int{0}},
		"no limit, so that the throughput does not count": {"{maxTTFTPenaltyMs: 0, peakPrefillThroughput: 0, ttftSource: latencyPredictor}", 10, []int{10, 0}, []int64{1 << 40, 0}, []int{0}},
		"always exploring":                                {"{explorationProbability: 1}", 10, []int{10, 0}, nil, []int{0, 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, "plugins: [{type: prefix-cache-affinity-filter, parameters: "+tc.parameters+"}]", unlabelled(len(tc.blocks))...)
			s.hold(tc.totalBlocks, tc.blocks...)
			copy(s.Load(config.InFlightLoadProducerType).Tokens, tc.tokens)
			got := s.Decide(idle(len(tc.blocks)), request(0, 640)).Candidates
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrefixCacheAffinityFilterExplores(t *testing.T) {
	s := plant(t, "plugins: [{type: prefix-cache-affinity-filter, parameters: {explorationProbability: 0.25}}]", unlabelled(2)...)
	s.hold(10, 10, 0)
	explored := 0
	for range 1000 {
		explored += len(s.Decide(idle(2), request(0, 640)).Candidates) - 1
	}
	if explored < 200 || explored > 300 {
		t.Errorf("explored %d times of 1000, want about 250", explored)
	}
}

func TestPrefixCacheAffinityFilterMakesItsProducers(t *testing.T) {
	for parameters, want := range map[string]string{
		"{}":                    " [inflight-load-producer]",
		"{maxTTFTPenaltyMs: 0}": "",
	} {
		c := mustLoad(t, "plugins: [{type: prefix-cache-affinity-filter, parameters: "+parameters+"}]")
		want = "prefix-cache-affinity-filter [single-profile-handler] [max-score-picker] " + madeRest + " [approx-prefix-cache-producer]" + want + " [token-producer]"
		if diff := cmp.Diff(want, pluginNames(c)); diff != "" {
			t.Errorf("%s: plugins (-want +got):\n%s", parameters, diff)
		}
	}
}

func TestParametersOfPrefixCacheAffinityFilter(t *testing.T) {
	checkParameterFaults(t, "prefix-cache-affinity-filter",
		"{affinityThreshold: 1.1, explorationProbability: -0.1, maxTTFTPenaltyMs: -1, peakPrefillThroughput: -2, ttftSource: guess}",
		`affinityThreshold: Invalid value: 1.1: must be at most 1`,
		`explorationProbability: Invalid value: -0.1: must be between 0 and 1`,
		`maxTTFTPenaltyMs: Invalid value: -1: must not be negative`,
		`peakPrefillThroughput: Invalid value: -2: must not be negative`,
		`ttftSource: Unsupported value: "guess": supported values: "latencyPredictor", "prefillThroughput"`)
	checkParameterFaults(t, "prefix-cache-affinity-filter", "{peakPrefillThroughput: 0}",
		`peakPrefillThroughput: Invalid value: 0: must be greater than 0 where ttftSource is prefillThroughput`)
	checkParameterFaults(t, "prefix-cache-affinity-filter", "{maxTokensInFlightPenalty: 5}",
		`maxTokensInFlightPenalty: Forbidden: unknown field; no release has it; maxTTFTPenaltyMs is the same gate in time, tokens ÷ peakPrefillThroughput · 1000`)
}

// A filter that looks at the endpoints which are listed as holders keeps those that one keeps
// which looks at all; so do the tokens that a request would add.
func TestListedHoldersAreAllThatNeedBeLookedAt(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		endpoints := 2 + random.IntN(9)
		match := scheduler.PrefixMatch{BlockTokens: 64, TotalBlocks: random.IntN(4), Blocks: make([]int, endpoints), Listed: true}
		tokens, all := make([]int64, endpoints), make([]int, endpoints)
		for _, e := range random.Perm(endpoints)[:random.IntN(endpoints+1)] {
			if match.Blocks[e] = random.IntN(match.TotalBlocks + 1); match.Blocks[e] > 0 {
				match.Held = append(match.Held, int32(e))
			}
		}
		for e := range tokens {
			tokens[e], all[e] = random.Int64N(40), e
		}
		unlisted := match
		unlisted.Listed, unlisted.Held = false, nil
		listing := prefixAffinity{match: &match, inFlight: tokens, threshold: 0.6, penaltyMs: float64(random.IntN(40)), perSecond: 1000}
		plain := listing
		plain.match = &unlisted
		got, want := listing.Filter(nil, slices.Clone(all)), plain.Filter(nil, slices.Clone(all))
		if !slices.Equal(got, want) {
			t.Fatalf("%d: blocks %v of %d, tokens %v, penalty %v ms: kept %v, want %v", n, match.Blocks, match.TotalBlocks, tokens, listing.penaltyMs, got, want)
		}
		cycle := &scheduler.Cycle{Tokens: 200}
		added := func(m *scheduler.PrefixMatch) []int64 {
			load := &scheduler.InFlightLoad{Cached: make([]int64, endpoints)}
			(&inFlight{parameters: &inFlightParameters{}, match: m, load: load}).Produce(cycle)
			for e, cached := range load.Cached {
				load.Cached[e] = load.Uncached - cached
			}
			return load.Cached
		}
		if got, want := added(&match), added(&unlisted); !slices.Equal(got, want) {
			t.Fatalf("%d: blocks %v of %d: %v would be added, want %v", n, match.Blocks, match.TotalBlocks, got, want)
		}
	}
}
