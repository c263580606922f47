// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Blocks of old producers are a quarter of their bytes, however few those are.
func TestOldApproxPrefix(t *testing.T) {
	const may, v15 = "scheduler-520af478", "gie-v1.5.0"
	common := func(tokens, total int) prompt.Prompt {
		return prompt.Prompt{Extents: []prompt.Extent{{Source: 1, Tokens: int32(tokens)}, {Source: uint64(total), Tokens: int32(total - tokens)}}}
	}
	type match struct{ Blocks, Total int }
	cases := map[string]struct {
		version, parameters string
		bytesPerToken       float64
		scrape              policy.Scrape
		first, then         prompt.Prompt
		want                match
	}{
		"no floor":                        {may, "{}", 0, policy.Scrape{}, common(80, 160), common(80, 320), match{5, 20}},
		"the engine's blocks":             {may, "{}", 0, policy.Scrape{BlockTokens: 32}, common(80, 160), common(80, 320), match{2, 10}},
		"unless they are not asked":       {may, "{autoTune: false, blockSizeTokens: 8}", 0, policy.Scrape{BlockTokens: 32}, common(80, 160), common(80, 320), match{10, 40}},
		"a partial block counts":          {may, "{}", 0, policy.Scrape{}, common(40, 40), common(40, 40), match{3, 3}},
		"and did not in v1.5":             {v15, "{}", 0, policy.Scrape{}, common(40, 40), common(40, 40), match{2, 2}},
		"but not by itself":               {may, "{}", 0, policy.Scrape{}, common(15, 15), common(15, 15), match{0, 0}},
		"256 blocks at most":              {may, "{}", 0, policy.Scrape{}, common(8192, 8192), common(8192, 8192), match{256, 256}},
		"so many tokens":                  {v15, "{maxPrefixTokensToMatch: 100}", 0, policy.Scrape{}, common(320, 320), common(320, 320), match{6, 6}},
		"no blocks are none":              {v15, "{maxPrefixBlocksToMatch: 0}", 0, policy.Scrape{}, common(320, 320), common(320, 320), match{0, 0}},
		"five bytes a token":              {v15, "{blockSizeTokens: 20}", 5, policy.Scrape{}, common(80, 160), common(80, 320), match{5, 20}},
		"a stated capacity has no effect": {v15, "{autoTune: false, lruCapacityPerServer: 1}", 0, policy.Scrape{}, common(80, 80), common(80, 80), match{5, 5}},
		"the old name has none either":    {v15, "{blockSize: 160}", 0, policy.Scrape{}, common(80, 160), common(80, 320), match{5, 20}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := config.Cluster{Endpoints: 1, BytesPerToken: tc.bytesPerToken}
			c, errs := Load([]byte(oldHeader+"plugins: [{type: approx-prefix-cache-producer, name: mine, parameters: "+tc.parameters+"}]"), tc.version, inline)
			if errs = append(errs, c.Check(&cluster, inline)...); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			b := scheduler.NewBuilder(parts, c, cluster, 1)
			p := approxPrefixCacheProducer.NewProducer(b, c.Plugin("mine"))
			for i, text := range []prompt.Prompt{tc.first, tc.then} {
				in := &scheduler.Cycle{Number: uint64(i + 1), Scrapes: []policy.Scrape{tc.scrape}, Prompt: text, Tokens: text.Tokens(), Present: 1}
				p.Produce(in)
				if i == 0 {
					p.(scheduler.PickListener).Routed(in, scheduler.Picks{Primary: 0, Prefill: scheduler.None})
				}
			}
			m := b.PrefixMatch(config.ApproxPrefixCacheProducerType)
			if diff := cmp.Diff(tc.want, match{m.Blocks[0], m.TotalBlocks}); diff != "" {
				t.Errorf("match (-want +got):\n%s", diff)
			}
		})
	}
}

// Requests and tokens in flight on the two endpoints of a request of 100 tokens:
// after the picks, the first chunk and the end.
func TestOldInFlightLoad(t *testing.T) {
	const one = "plugins: [{type: inflight-load-producer, name: mine}]"
	for name, tc := range map[string]struct {
		version       string
		bytesPerToken float64
		lost          bool
		want          [3][2][2]int64
	}{
		"prompt and answer to the end": {"scheduler-520af478", 0, false, [3][2][2]int64{{{1, 250}, {1, 250}}, {{1, 250}, {0, 0}}, {}}},
		"the primary one's only":       {"gie-v1.5.0", 0, false, [3][2][2]int64{{{1, 250}}, {{1, 250}}, {}}},
		"a quarter of the bytes":       {"gie-v1.5.0", 4.5, false, [3][2][2]int64{{{1, 112 + 168}}, {{1, 112 + 168}}, {}}},
		"less than nothing":            {"scheduler-520af478", 0, true, [3][2][2]int64{{{1, 250}, {1, 250}}, {{0, 0}, {0, 0}}, {{-1, -250}}}},
		"nobody is forgotten":          {"gie-v1.5.0", 0, true, [3][2][2]int64{{{1, 250}}, {{1, 250}}, {}}},
	} {
		cluster := config.Cluster{Endpoints: 2, BytesPerToken: tc.bytesPerToken}
		c, errs := Load([]byte(oldHeader+one), tc.version, inline)
		if errs = append(errs, c.Check(&cluster, inline)...); len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		b := scheduler.NewBuilder(parts, c, cluster, 1)
		b.Stages = config.Stages{Decode: "decode", Prefill: config.PrefillProfile}
		f := inFlightLoadProducer.NewProducer(b, c.Plugin("mine")).(*inFlight)
		load := b.Load(config.InFlightLoadProducerType)
		var got [3][2][2]int64
		for i, step := range []func(){
			func() {
				f.Routed(&scheduler.Cycle{Request: 7, PromptTokens: 100}, scheduler.Picks{Primary: 0, Prefill: 1})
			},
			func() {
				f.FirstToken(&policy.Request{ID: 7}, 0)
				if tc.lost {
					f.ForgetGone(&scheduler.Cycle{Down: []bool{true, false}})
				}
			},
			func() { f.Finished(&policy.Request{ID: 7}, 0) },
		} {
			step()
			for e := range got[i] {
				got[i][e] = [2]int64{load.Requests[e], load.Tokens[e]}
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Old scores of token load are of what is there, not of what would come.
func TestOldTokenLoadScorer(t *testing.T) {
	s := inVersion(t, "scheduler-520af478", `plugins:
- {type: token-load-scorer, parameters: {queueThresholdTokens: 1000}}
- {type: max-score-picker}
schedulingProfiles: [{name: default, plugins: [{pluginRef: token-load-scorer}, {pluginRef: max-score-picker}]}]`, config.Cluster{Endpoints: 1})
	var got []float64
	for i := range 3 {
		route(t, s, idle(1), request(i, 100))
		got = append(got, s.LastResult().Scores[0])
	}
	if diff := cmp.Diff([]float64{1, 0.75, 0.5}, got); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

// The filter of gie-v1.5 asks for predictions and knows no tokens: without any,
// holders are never too busy.
func TestOldPrefixCacheAffinityFilter(t *testing.T) {
	c, errs := Load([]byte(oldHeader+"plugins: [{type: prefix-cache-affinity-filter}]"), "gie-v1.5.0", inline)
	if errs = append(errs, c.Check(nil, inline)...); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	b := scheduler.NewBuilder(parts, c, config.Cluster{Endpoints: 2}, 1)
	f := prefixCacheAffinityFilter.NewFilter(b, c.Plugin(prefixCacheAffinityFilterType))
	m := b.PrefixMatch(config.ApproxPrefixCacheProducerType)
	m.TotalBlocks, m.Blocks[1] = 10, 8
	b.Load(config.InFlightLoadProducerType).Tokens[1] = 1 << 40
	explored := 0
	for range 10000 {
		explored += len(f.Filter(nil, []int{0, 1})) - 1
	}
	if explored < 50 || explored > 150 {
		t.Errorf("kept both %d times of 10000, want about 100", explored)
	}
}
