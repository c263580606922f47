// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"fmt"
	"math"
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

const oldHeader = "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\n"

// inVersion makes the scheduler of an old version.
func inVersion(t testing.TB, version, body string, cluster config.Cluster) *scheduler.Scheduler {
	t.Helper()
	c, errs := Load([]byte(oldHeader+body), version, inline)
	if errs = append(errs, c.Check(&cluster, inline)...); len(errs) > 0 {
		t.Fatalf("%s: refused: %v\n%s", version, errs.ToAggregate(), body)
	}
	return New(c, cluster, 1)
}

// The oldest detectors find room where one endpoint has it; the mean over all of
// them counts from gie-v1.4 on.
func TestOldSaturation(t *testing.T) {
	const stated = "plugins: [{type: queue-scorer}]\nsaturationDetector: {queueDepthThreshold: 20, kvCacheUtilThreshold: 1, metricsStalenessThreshold: 1s}"
	const plain = "plugins: [{type: queue-scorer}]"
	stale := simtime.Time(-200*time.Millisecond - 1)
	cases := map[string]struct {
		version, body string
		scrapes       []policy.Scrape
		want          bool
	}{
		"one has room":              {"gie-v1.3.1", plain, []policy.Scrape{{Waiting: 500}, {}}, false},
		"the mean of both":          {"gie-v1.4.0", plain, []policy.Scrape{{Waiting: 500}, {}}, true},
		"at the thresholds is room": {"gie-v1.0.2", plain, []policy.Scrape{{Waiting: 5, KVUsage: 0.8}, {Waiting: 6}}, false},
		"not from gie-v1.4 on":      {"gie-v1.4.0", plain, []policy.Scrape{{Waiting: 5, KVUsage: 0.8}, {Waiting: 6}}, true},
		"no room in queues":         {"gie-v1.3.1", plain, []policy.Scrape{{Waiting: 6}, {Waiting: 6}}, true},
		"no room in caches":         {"gie-v1.3.1", plain, []policy.Scrape{{KVUsage: 0.81}, {Waiting: 6}}, true},
		"stale room is none":        {"gie-v1.3.1", plain, []policy.Scrape{{At: stale}, {Waiting: 6}}, true},
		"stated queue":              {"gie-v1.2.1", stated, []policy.Scrape{{Waiting: 20}, {Waiting: 21}}, false},
		"stated queue exceeded":     {"gie-v1.2.1", stated, []policy.Scrape{{Waiting: 21}, {Waiting: 21}}, true},
		"a stated 1 is the default": {"gie-v1.2.1", stated, []policy.Scrape{{KVUsage: 0.9}, {KVUsage: 0.9}}, true},
		"stated staleness":          {"gie-v1.2.1", stated, []policy.Scrape{{At: stale}, {At: stale}}, false},
		"stated mean":               {"gie-v1.4.0", stated, []policy.Scrape{{Waiting: 20}, {Waiting: 19}}, false},
		"stated mean is exceeded":   {"gie-v1.4.0", stated, []policy.Scrape{{Waiting: 20}, {Waiting: 20}}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := inVersion(t, tc.version, tc.body, config.Cluster{Endpoints: 2})
			r := request(0, 1)
			r.Priority = -1
			if _, err := s.Route(&policy.View{Scrapes: tc.scrapes}, r); errors.Is(err, policy.ErrShed) != tc.want {
				t.Errorf("error %v, want shed: %t", err, tc.want)
			}
		})
	}
}

// scored are the scores of an old prefix scorer for prompts that are all routed
// to one endpoint.
func scored(t *testing.T, version, parameters string, scrape policy.Scrape, prompts ...prompt.Prompt) []float64 {
	t.Helper()
	const body = `
- type: random-picker
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer, weight: 1}, {pluginRef: random-picker}]}]`
	handler := ""
	if version == "gie-v0.5.1" {
		handler = "\n- type: single-profile-handler"
	}
	c, errs := Load([]byte(oldHeader+"plugins:\n- {type: prefix-cache-scorer, parameters: "+parameters+"}"+handler+body), version, inline)
	if errs = append(errs, c.Check(nil, inline)...); len(errs) > 0 {
		t.Fatalf("%s: %v", version, errs.ToAggregate())
	}
	s := newLegacyPrefix(scheduler.NewBuilder(parts, c, config.Cluster{Endpoints: 1}, 1), config.PrefixCacheScorerType, c.Plugin(config.PrefixCacheScorerType).Parameters.(*legacyPrefixParameters))
	var all []float64
	for i, p := range prompts {
		in := &scheduler.Cycle{Number: uint64(i + 1), Scrapes: []policy.Scrape{scrape}, Prompt: p, Present: 1}
		scores := []float64{-1}
		s.Score(in, []int{0}, scheduler.NewWeight(1), scores)
		s.Picked(in, 0)
		s.Routed(in, scheduler.Picks{Primary: 0, Prefill: scheduler.None})
		all = append(all, scores[0])
	}
	return all
}

// Blocks of old prefix scorers are bytes, four to a token, and whole ones only.
func TestLegacyPrefixScorer(t *testing.T) {
	shared := func(common, total int) prompt.Prompt {
		return prompt.Prompt{Extents: []prompt.Extent{{Source: 1, Tokens: int32(common)}, {Source: uint64(total), Tokens: int32(total - common)}}}
	}
	cases := map[string]struct {
		version, parameters string
		scrape              policy.Scrape
		first, then         prompt.Prompt
		want                float64
	}{
		"64 bytes are 16 tokens":      {"gie-v1.0.2", "{}", policy.Scrape{}, shared(80, 81), shared(80, 160), 0.5},
		"a partial block is not read": {"gie-v1.0.2", "{}", policy.Scrape{}, shared(80, 81), shared(80, 95), 1},
		"the model is a block":        {"gie-v0.5.1", "{}", policy.Scrape{}, shared(80, 81), shared(80, 160), 6. / 11},
		"even if all else differs":    {"gie-v0.5.1", "{}", policy.Scrape{}, shared(0, 161), shared(0, 160), 1. / 11},
		"but not by itself":           {"gie-v0.5.1", "{}", policy.Scrape{}, shared(80, 81), shared(15, 15), 0},
		"stated bytes":                {"gie-v1.0.2", "{hashBlockSize: 256}", policy.Scrape{}, shared(80, 81), shared(80, 160), 0.5},
		"256 blocks at most":          {"gie-v1.0.2", "{}", policy.Scrape{}, shared(16*256, 16*256), shared(16*256, 32*256), 1},
		"one more in the oldest":      {"gie-v0.5.1", "{maxPrefixBlocksToMatch: 2}", policy.Scrape{}, shared(16, 32), shared(16, 64), 2. / 3},
		"the engine's blocks":         {"gie-v1.1.0", "{blockSize: 64}", policy.Scrape{BlockTokens: 64}, shared(80, 81), shared(80, 160), 0.5},
		"unless they are not asked":   {"gie-v1.2.1", "{blockSize: 64, autoTune: false}", policy.Scrape{BlockTokens: 32}, shared(80, 81), shared(80, 144), 5. / 9},
		"tokens":                      {"gie-v1.4.0", "{autoTune: false, blockSizeTokens: 32}", policy.Scrape{BlockTokens: 16}, shared(80, 81), shared(80, 160), 0.4},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := scored(t, tc.version, tc.parameters, tc.scrape, tc.first, tc.then)
			if got[0] != 0 || math.Abs(got[1]-tc.want) > 1e-12 {
				t.Errorf("scored %v, want 0 and %v", got, tc.want)
			}
		})
	}
}

// From gie-v1.2 on an endpoint holds as many blocks as its engine says.
func TestLegacyPrefixScorerHoldsWhatTheEngineDoes(t *testing.T) {
	five, three := promptOf(1, 80), promptOf(2, 48)
	for version, want := range map[string]float64{"gie-v1.1.0": 1, "gie-v1.2.1": 0.4} {
		scrape := policy.Scrape{BlockTokens: 16, Blocks: 3}
		if got := scored(t, version, "{}", scrape, five, three, five)[2]; got != want {
			t.Errorf("%s: scored %v, want %v", version, got, want)
		}
	}
}

// What an old prefix scorer learns, it learns by being in a profile.
func TestLegacyPrefixScorerFollowsThePicks(t *testing.T) {
	s := inVersion(t, "gie-v1.3.1", "plugins: [{type: prefix-cache-scorer}]", config.Cluster{Endpoints: 8})
	for n := range 5 {
		first := route(t, s, idle(8), request(n, 640))
		for range 5 {
			if again := route(t, s, idle(8), request(n, 640)); again != first {
				t.Fatalf("prompt %d went to %d and then to %d", n, first, again)
			}
		}
	}
}

func TestFiltersOfTheOldestVersion(t *testing.T) {
	filters := map[string]string{
		"low":   "- {type: low-queue-filter, name: f, parameters: {threshold: 5}}",
		"queue": "- {type: least-queue-filter, name: f}",
		"kv":    "- {type: least-kv-cache-filter, name: f}",
		"tree": `- {type: low-queue-filter, name: low, parameters: {threshold: 5}}
- {type: least-kv-cache-filter, name: kv}
- {type: least-queue-filter, name: queue}
- type: decision-tree-filter
  name: f
  parameters: {current: {pluginRef: low}, nextOnSuccess: {pluginRef: kv}, nextOnFailure: {pluginRef: queue}}`,
	}
	waiting := func(queues ...int) []policy.Scrape {
		var scrapes []policy.Scrape
		for i, q := range queues {
			scrapes = append(scrapes, policy.Scrape{Waiting: q, KVUsage: float64(len(queues)-i) / 10})
		}
		return scrapes
	}
	cases := map[string]struct {
		filter  string
		scrapes []policy.Scrape
		want    []int
	}{
		"the threshold is low":         {"low", waiting(5, 6, 0, 7), []int{0, 2}},
		"none may be left":             {"low", waiting(6, 6, 7, 7), []int{}},
		"the first share of the range": {"queue", waiting(2, 9, 10, 3), []int{0, 3}},
		"which is rounded down":        {"queue", waiting(0, 1, 2, 3), []int{0}},
		"equal queues":                 {"queue", waiting(4, 4, 4, 4), []int{0, 1, 2, 3}},
		"not rounded in caches":        {"kv", waiting(0, 0, 0, 0), []int{3}},
		"of those left after success":  {"tree", waiting(0, 0, 9, 9), []int{1}},
		"of all candidates after none": {"tree", waiting(20, 9, 10, 11), []int{1, 2, 3}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			body := "plugins:\n- type: single-profile-handler\n- type: random-picker\n" + filters[tc.filter] +
				"\nschedulingProfiles: [{name: default, plugins: [{pluginRef: f}, {pluginRef: random-picker}]}]"
			s := inVersion(t, "gie-v0.5.1", body, config.Cluster{Endpoints: 4})
			_, _ = s.Route(&policy.View{Scrapes: tc.scrapes}, request(0, 1))
			if diff := cmp.Diff(tc.want, append([]int{}, s.LastResult().Candidates...)); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// Endpoints with the adapter are kept almost always, even where others have room.
func TestLoRAAffinityFilter(t *testing.T) {
	adapters := []policy.Adapters{{Active: []int32{1}, Max: 4}, {Waiting: []int32{1}, Max: 1}, {Max: 4}, {Active: []int32{2}, Max: 1}}
	keeps := func(threshold float64, adapter int32) []int {
		f := loraAffinityFilter.NewFilter(scheduler.NewBuilder(parts, mustLoad(t, ""), config.Cluster{Endpoints: 4}, 1),
			&config.Plugin{Name: "f", Parameters: &loraFilterParameters{Threshold: threshold}})
		return f.Filter(&scheduler.Cycle{Adapters: adapters, Adapter: adapter}, []int{0, 1, 2, 3})
	}
	for name, tc := range map[string]struct {
		threshold float64
		adapter   int32
		want      []int
	}{
		"near":             {1, 1, []int{0, 1}},
		"always elsewhere": {0, 1, []int{2}},
		"nobody has it":    {1, 3, []int{0, 2}},
	} {
		if diff := cmp.Diff(tc.want, keeps(tc.threshold, tc.adapter)); diff != "" {
			t.Errorf("%s: kept (-want +got):\n%s", name, diff)
		}
	}
}

// The metrics that engines report can be followed in every version.
func TestAllVersionsAreSimulated(t *testing.T) {
	for _, version := range version.Names() {
		body := oldHeader + `plugins: [{type: single-profile-handler}, {type: max-score-picker}, {type: queue-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer, weight: 1}, {pluginRef: max-score-picker}]}]`
		c, errs := Load([]byte(body), version, inline)
		if errs = append(errs, c.Check(nil, inline)...); len(errs) > 0 {
			t.Errorf("%s: %v", version, errs.ToAggregate())
			continue
		}
		view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 2}, {Waiting: 1}, {Waiting: 3}}}
		if e := route(t, New(c, config.Cluster{Endpoints: 3}, 1), view, request(0, 100)); e != 1 {
			t.Errorf("%s: chose %d", version, e)
		}
	}
}

// Behind a passthrough parser old versions know no prompt, and count the bytes that
// are in flight all the same.
func TestOldParsersHidePromptsButNotTheirLength(t *testing.T) {
	const body = `plugins: [{type: inflight-load-producer}, {type: prefix-cache-scorer}, {type: %[1]s}]
parser: {pluginRef: %[1]s}`
	for _, tc := range []struct {
		version, parser string
		score           float64
	}{
		{"gie-v1.5.0", "passthrough-parser", 0},
		{"gie-v1.5.0", "vllmgrpc-parser", 1},
		{"scheduler-520af478", "passthrough-parser", 0},
		{"scheduler-520af478", "vertexai-parser", 1},
	} {
		c, errs := Load([]byte(oldHeader+fmt.Sprintf(body, tc.parser)), tc.version, inline)
		if errs = append(errs, c.Check(nil, inline)...); len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		b := scheduler.NewBuilder(parts, c, config.Cluster{Endpoints: 1}, 1)
		s := b.Scheduler(parts, c)
		again := request(7, 640)
		again.ID = 8
		route(t, s, idle(1), request(7, 640))
		route(t, s, idle(1), again)
		if got := s.LastResult().Scores[0]; got != tc.score {
			t.Errorf("%s, %s: prefix score %v, want %v", tc.version, tc.parser, got, tc.score)
		}
		if got := b.Load(config.InFlightLoadProducerType).Tokens[0]; got != 2*1600 {
			t.Errorf("%s, %s: %d tokens in flight", tc.version, tc.parser, got)
		}
	}
}
