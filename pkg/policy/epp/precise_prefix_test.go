// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A preciseCase is a precise producer, or an older scorer, and endpoints of some
// block size.
type preciseCase struct {
	*testing.T
	*scheduler.Scheduler
	blockTokens int
	asked       int
}

const realTokens = "{type: token-producer, parameters: {modelName: m, vllm: {url: 'http://render'}}}"

// newPrecise is a profile of one scorer that reads what the producer knows, with
// the producer's parameters beside the socket that engines send to.
func newPrecise(t *testing.T, parameters string, cluster config.Cluster) *preciseCase {
	c := mustLoad(t, `
plugins:
- `+realTokens+`
- {type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}, `+parameters+`}}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer}]}]`)
	return &preciseCase{T: t, Scheduler: New(c, cluster, 1), blockTokens: 16}
}

// blocks are the first blocks of a text of that source.
func (p *preciseCase) blocks(source uint64, from, to int32) policy.CachedBlocks {
	text := prompt.Prompt{Extents: []prompt.Extent{{Source: source, Tokens: to * int32(p.blockTokens)}}}
	return policy.CachedBlocks{Stretch: text.FullStretches(nil, p.blockTokens)[0].ID, From: from, To: to}
}

func (p *preciseCase) view(now time.Duration) *policy.View {
	view := &policy.View{Now: simtime.Time(now), Scrapes: make([]policy.Scrape, p.Endpoints)}
	for e := range view.Scrapes {
		view.Scrapes[e] = policy.Scrape{BlockTokens: p.blockTokens, Blocks: 1000}
	}
	return view
}

// ask returns the scores of a prompt of one text, in order of the endpoints.
func (p *preciseCase) ask(now time.Duration, source uint64, tokens int) []float64 {
	p.Helper()
	p.asked++
	route(p, p.Scheduler, p.view(now), withPrompt(p.asked, prompt.Extent{Source: source, Tokens: int32(tokens)}))
	return append([]float64{}, p.LastResult().Scores...)
}

func (p *preciseCase) want(what string, got []float64, want ...float64) {
	p.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestEventsArriveLate(t *testing.T) {
	for _, lag := range []time.Duration{0, 10 * time.Millisecond} {
		t.Run(lag.String(), func(t *testing.T) {
			p := newPrecise(t, "", config.Cluster{Endpoints: 2, EventLag: lag})
			stored, removed := simtime.Time(50*time.Millisecond), simtime.Time(60*time.Millisecond)
			p.Stored(stored, 1, p.blocks(1, 0, 4), policy.GPUMemory)
			p.want("just before", p.ask(50*time.Millisecond+lag-1, 1, 64), 0, 0)
			p.want("when it arrives", p.ask(50*time.Millisecond+lag, 1, 64), 0, 1)
			p.Removed(removed, 1, p.blocks(1, 3, 4), policy.GPUMemory)
			if lag > 0 {
				p.want("before the removal", p.ask(60*time.Millisecond+lag-1, 1, 64), 0, 1)
			}
			p.want("after it", p.ask(60*time.Millisecond+lag, 1, 64), 0, 0.75)
		})
	}
}

// Blocks that do not fill count for nothing, neither as held nor among all.
func TestOnlyFullBlocksCount(t *testing.T) {
	p := newPrecise(t, "", config.Cluster{Endpoints: 2})
	p.Stored(0, 0, p.blocks(1, 0, 2), policy.GPUMemory)
	p.want("a third block that is not full", p.ask(1, 1, 47), 1, 0)
	p.want("a third block that is", p.ask(1, 1, 48), 2.0/3, 0)
	p.want("less than a block", p.ask(1, 1, 15), 0, 0)
}

func TestTheBestTierCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		weights string
		tiers   []policy.CacheTier
		want    float64 // of 10 blocks
	}{
		"GPU":                        {"", []policy.CacheTier{policy.GPUMemory}, 1},
		"CPU":                        {"", []policy.CacheTier{policy.CPUMemory}, 0.7}, // 7.999…, rounded down
		"both":                       {"", []policy.CacheTier{policy.CPUMemory, policy.GPUMemory}, 1},
		"storage, of which none say": {"", []policy.CacheTier{policy.Storage}, 1},
		"weights of one's own":       {"indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: 1}, {name: cpu, weight: 0.5}]}", []policy.CacheTier{policy.CPUMemory}, 0.5},
		"no weights":                 {"indexerConfig: {kvCacheBackendConfigs: []}", []policy.CacheTier{policy.CPUMemory}, 1},
		"storage by name":            {"indexerConfig: {kvCacheBackendConfigs: [{name: storage, weight: 0.25}]}", []policy.CacheTier{policy.Storage}, 0.2}, // 2.5, rounded down
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrecise(t, tc.weights, config.Cluster{Endpoints: 1})
			for _, tier := range tc.tiers {
				p.Stored(0, 0, p.blocks(1, 0, 10), tier)
			}
			p.want(name, p.ask(1, 1, 160), tc.want)
		})
	}
}

// An entry that a tier loses leaves those of others.
func TestATierForItself(t *testing.T) {
	p := newPrecise(t, "", config.Cluster{Endpoints: 1})
	p.Stored(0, 0, p.blocks(1, 0, 5), policy.GPUMemory)
	p.Stored(0, 0, p.blocks(1, 0, 5), policy.CPUMemory)
	p.Removed(1, 0, p.blocks(1, 2, 5), policy.GPUMemory)
	p.want("2 blocks of 1 and 3 of 0.8", p.ask(2, 1, 80), 0.8)
	p.Cleared(3, 0)
	p.want("all gone", p.ask(4, 1, 80), 0)
}

func TestSpeculation(t *testing.T) {
	p := newPrecise(t, "speculativeIndexing: true, speculativeTTL: 500ms", config.Cluster{Endpoints: 1, EventLag: time.Second})
	at := func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }
	p.want("never seen", p.ask(at(0), 1, 64), 0)
	p.want("sent there before", p.ask(at(400), 1, 64), 1)
	p.Stored(simtime.Time(at(10)), 0, p.blocks(1, 0, 4), policy.GPUMemory)
	// The end of the first speculation takes what the second one put there too.
	p.want("the first one is over", p.ask(at(500), 1, 64), 0)
	p.want("renewed by that", p.ask(at(899), 1, 64), 1)
	p.want("the second one is over", p.ask(at(900), 1, 64), 0)
	p.want("all are over, and the event is there", p.ask(at(5000), 1, 64), 1)
}

func TestNoSpeculationUnlessAsked(t *testing.T) {
	p := newPrecise(t, "", config.Cluster{Endpoints: 1})
	p.ask(0, 1, 64)
	p.want("sent there before", p.ask(1, 1, 64), 0)
}

// An index of small blocks knows parts of the engines', one of large blocks only
// what whole ones of its own hold.
func TestBlockSizesThatDiffer(t *testing.T) {
	for size, want := range map[int]float64{8: 10.0 / 15, 16: 5.0 / 7, 32: 2.0 / 3, 24: 3.0 / 5} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := newPrecise(t, fmt.Sprintf("tokenProcessorConfig: {blockSizeTokens: %d}", size), config.Cluster{Endpoints: 1})
			p.Stored(0, 0, p.blocks(1, 0, 5), policy.GPUMemory) // 80 tokens
			p.want("80 of 120 tokens", p.ask(1, 1, 120), want)
		})
	}
}

// Estimated tokens are no engine's, though they may be as many.
func TestEstimatedTokensMatchNoEngine(t *testing.T) {
	c := mustLoad(t, `
plugins:
- {type: precise-prefix-cache-producer, parameters: {speculativeIndexing: true, kvEventsConfig: {zmqEndpoint: tcp}}}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer}]}]`)
	p := &preciseCase{T: t, Scheduler: New(c, config.Cluster{Endpoints: 1}, 1), blockTokens: 16}
	p.Stored(0, 0, p.blocks(1, 0, 4), policy.GPUMemory)
	p.want("what the engine has", p.ask(1, 1, 64), 0)
	p.want("what was sent there", p.ask(2, 1, 64), 1)
}

// Where each engine has a socket of its own, somebody has to say that it is there.
func TestAnIndexReceivesEventsOfItsEngines(t *testing.T) {
	const source = `
dataLayer:
  sources:
  - {pluginRef: endpoint-notification-source, extractors: [{pluginRef: precise-prefix-cache-producer}]}`
	for name, tc := range map[string]struct {
		events, rest string
		hears        bool
	}{
		"one socket for all":       {"zmqEndpoint: tcp", "", true},
		"an endpoint source":       {"topicFilter: kv", source, true},
		"discovery, and no source": {"topicFilter: kv", "", false},
		"a source, no discovery":   {"discoverPods: false", source, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, `
plugins:
- `+realTokens+`
- {type: endpoint-notification-source}
- {type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {`+tc.events+`}}}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer}]}]`+tc.rest)
			if got := New(c, config.Cluster{Endpoints: 1}, 1).Routing().KVEvents != nil; got != tc.hears {
				t.Errorf("it hears: %v, want %v", got, tc.hears)
			}
		})
	}
}

// Two producers with indices of their own: what counts below GPU memory differs.
func TestSeveralPreciseProducers(t *testing.T) {
	c := mustLoad(t, `
plugins:
- `+realTokens+`
- {name: gpu, type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}, indexerConfig: {kvCacheBackendConfigs: [{name: cpu, weight: 0}]}}}
- {name: any, type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}}}
- {name: gpu-scorer, type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: gpu}}
- {name: any-scorer, type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: any}}
schedulingProfiles: [{name: default, plugins: [{pluginRef: gpu-scorer, weight: 100}, {pluginRef: any-scorer}]}]`)
	p := &preciseCase{T: t, Scheduler: New(c, config.Cluster{Endpoints: 2}, 1), blockTokens: 16}
	p.Stored(0, 0, p.blocks(1, 0, 5), policy.CPUMemory)
	p.Stored(0, 1, p.blocks(1, 0, 1), policy.GPUMemory)
	p.want("the sum of both", p.ask(1, 1, 80), 0.8, 20+0.2)
}

// An older scorer scales from the endpoint that holds least to the one that holds
// most: one that holds nearly as much as the best has nothing.
func TestOldScorersScaleFromLeastToMost(t *testing.T) {
	for version, want := range map[string][]float64{
		"scheduler-v0.3.2":   {1, 0, 0, 0.5},
		"scheduler-v0.8.0":   {1, 0, 0, 0.5},
		"scheduler-520af478": {1, 0, 0.8, 0.9},
		"router-v0.9.0":      {1, 0, 0.8, 0.9},
	} {
		t.Run(version, func(t *testing.T) {
			p := oldPrecise(t, version)
			for e, blocks := range map[int]int32{0: 10, 2: 8, 3: 9} {
				p.Stored(0, e, p.blocks(1, 0, blocks), policy.GPUMemory)
			}
			p.want("10, 0, 8 and 9 of 10 blocks", p.ask(1, 1, 160), want...)
		})
	}
	t.Run("what only one holds", func(t *testing.T) {
		p := oldPrecise(t, "scheduler-v0.3.2")
		p.Stored(0, 2, p.blocks(1, 0, 1), policy.GPUMemory)
		p.want("1 of 10 blocks", p.ask(1, 1, 160), 0, 0, 1, 0)
	})
}

// oldPrecise is a precise-prefix-cache-scorer as some version had it, over four
// endpoints.
func oldPrecise(t *testing.T, of string) *preciseCase {
	c := mustLoad(t, `
plugins:
- {type: precise-prefix-cache-scorer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}, indexerConfig: {tokenizersPoolConfig: {modelName: m, uds: {socketFile: s}}}}}
schedulingProfiles: [{name: default, plugins: [{pluginRef: precise-prefix-cache-scorer}]}]`)
	c.Dialect = version.All[slices.IndexFunc(version.All, func(d version.Dialect) bool { return d.Name == of })]
	return &preciseCase{T: t, Scheduler: New(c, config.Cluster{Endpoints: 4}, 1), blockTokens: 16}
}

// The oldest ones compare the engines' own hashes, which are of the engines' blocks.
func TestOldIndicesKnowBlocksOfOneSizeOnly(t *testing.T) {
	for version, want := range map[string]float64{"scheduler-v0.3.2": 0, "scheduler-520af478": 1} {
		t.Run(version, func(t *testing.T) {
			p := oldPrecise(t, version)
			p.blockTokens = 32 // 16 is the index's
			p.Stored(0, 0, p.blocks(1, 0, 2), policy.GPUMemory)
			p.want(version, p.ask(1, 1, 64), want, 0, 0, 0)
		})
	}
}

// A scorer that comes after a producer only scores what that one knows.
func TestAPreciseScorerDefersToAProducer(t *testing.T) {
	c := mustLoad(t, `
plugins:
- `+realTokens+`
- {name: known, type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}, indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: 0.5}]}}}
- {type: precise-prefix-cache-scorer}
schedulingProfiles: [{name: default, plugins: [{pluginRef: precise-prefix-cache-scorer}]}]`)
	p := &preciseCase{T: t, Scheduler: New(c, config.Cluster{Endpoints: 1}, 1), blockTokens: 16}
	p.Stored(0, 0, p.blocks(1, 0, 4), policy.GPUMemory)
	p.want("as the producer weighs it", p.ask(1, 1, 64), 0.5)
}
