// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

const prepared = "featureGates: [prepareDataPlugins]\n"

// What an old prefix-based-pd-decider says of a prompt of 100 tokens, and of the same
// one again.
func TestOldPrefixBasedPDDecider(t *testing.T) {
	const v06, v07 = "scheduler-v0.6.0", "scheduler-v0.7.1"
	const body = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: prefill-header-handler}
- {type: prefix-based-pd-decider, parameters: %s}
- {type: pd-profile-handler, parameters: {deciderPluginName: prefix-based-pd-decider}}
- %s
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}
- {name: decode, plugins: [{pluginRef: decode-filter}%s]}`
	const scorer, in = "{type: prefix-cache-scorer}", ", {pluginRef: prefix-cache-scorer}"
	for name, tc := range map[string]struct {
		version, gate, parameters, scorer, in string
		bytesPerToken                         float64
		want                                  [2]scheduler.Reason
	}{
		"0 is always":                     {v06, "", "{}", scorer, in, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"and then never":                  {v07, "", "{}", scorer, in, 4, [2]scheduler.Reason{scheduler.Disabled, scheduler.Disabled}},
		"behind the gate":                 {v06, prepared, "{nonCachedTokens: 5}", scorer, in, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		"which leaves 4 of 100 tokens":    {v07, prepared, "{nonCachedTokens: 4}", scorer, in, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"in no profile either":            {v07, prepared, "{nonCachedTokens: 5}", scorer, "", 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		"without it":                      {v06, "", "{nonCachedTokens: 5}", scorer, in, 4, [2]scheduler.Reason{scheduler.DeciderError, scheduler.DeciderError}},
		"without a scorer":                {v07, prepared, "{nonCachedTokens: 5}", "{type: queue-scorer}", "", 4, [2]scheduler.Reason{scheduler.DeciderError, scheduler.DeciderError}},
		"a token is a quarter of bytes":   {v07, prepared, "{nonCachedTokens: 100}", scorer, in, 3.99, [2]scheduler.Reason{scheduler.InputTooShort, scheduler.InputTooShort}},
		"blocks as they are stated":       {v07, prepared, "{nonCachedTokens: 5}", "{type: prefix-cache-scorer, parameters: {autoTune: false, blockSizeTokens: 60}}", in, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"an estimate is of its own bytes": {v07, prepared, "{nonCachedTokens: 8}", scorer, in, 6, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}}, // 600 bytes are 9 blocks of 64 and 6 tokens of 4
	} {
		t.Run(name, func(t *testing.T) {
			cluster := config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode"), BytesPerToken: tc.bytesPerToken}
			s := inVersion(t, tc.version, tc.gate+fmt.Sprintf(body, tc.parameters, tc.scorer, tc.in), cluster)
			var got [2]scheduler.Reason
			for i := range got {
				route(t, s, idle(2), request(0, 100))
				got[i] = s.LastResult().Reason
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// Behind the gate a scorer learns of requests for which it scored nothing.
func TestGatedPrefixScorersLearnOfAllRequests(t *testing.T) {
	const body = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: prefix-cache-scorer}
- {type: always-disagg-pd-decider}
- {type: prefix-based-pd-decider}
- {type: pd-profile-handler, parameters: {deciderPluginName: %s}}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: prefix-cache-scorer}]}
- {name: decode, plugins: [{pluginRef: decode-filter}]}`
	for gate, want := range map[string]int{"": 0, prepared: 10} {
		s := inVersion(t, "scheduler-v0.7.1", gate+fmt.Sprintf(body, "prefix-based-pd-decider"), config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode")})
		route(t, s, idle(2), request(0, 160))
		prefixes := s.Staged.Prefill.Scorers[0].Scorer.(*legacyPrefix)
		held := make([]int, 2)
		prefixes.index.Match(prefixes.chain, held, nil)
		if held[1] != want {
			t.Errorf("gates %q: the endpoint that decodes holds %d blocks, want %d", gate, held[1], want)
		}
	}
}

// A precise scorer of scheduler-v0.7 speculates, and tells what endpoints hold, behind
// the gate.
func TestGatedPreciseScorers(t *testing.T) {
	const body = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: precise-prefix-cache-scorer, parameters: {speculativeIndexing: true, kvEventsConfig: {zmqEndpoint: tcp}, indexerConfig: {tokenizersPoolConfig: {modelName: m, local: {}, uds: {socketFile: s}}}}}
- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 5}}
- {type: pd-profile-handler, parameters: {deciderPluginName: prefix-based-pd-decider}}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: precise-prefix-cache-scorer}]}`
	for gate, want := range map[string][]scheduler.Reason{
		"":       {scheduler.DeciderError, scheduler.DeciderError, scheduler.DeciderError},
		prepared: {scheduler.Disaggregated, scheduler.SuffixCached, scheduler.DeciderError},
	} {
		cluster := config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode")}
		p := &preciseCase{T: t, blockTokens: 16, Scheduler: inVersion(t, "scheduler-v0.7.1", gate+body, cluster)}
		var got []scheduler.Reason
		var scores []float64
		for i, tokens := range []int{100, 100, 15} {
			scores = append(scores, p.ask(time.Duration(i), 1, tokens)...)
			got = append(got, p.LastResult().Reason)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("gates %q: reasons (-want +got):\n%s", gate, diff)
		}
		if speculated := scores[1] > 0; speculated != (gate == prepared) {
			t.Errorf("gates %q: scores %v", gate, scores)
		}
	}
}

func TestSeveralAttachingPluginsAreRejected(t *testing.T) {
	const body = prepared + `plugins:
- {type: prefix-cache-scorer}
- {type: prefix-cache-scorer, name: b}
- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 5}}
- {type: pd-profile-handler, parameters: {deciderPluginName: prefix-based-pd-decider}}
schedulingProfiles: [{name: prefill}, {name: decode}]`
	c, errs := Load([]byte(oldHeader+body), "scheduler-v0.7.1", inline)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := []string{`inline.plugins[2]: Invalid value: "prefix-based-pd-decider": prefix-cache-scorer and b overwrite each other's prefix matches, in an order that is not defined`}
	if diff := cmp.Diff(want, errorTexts(c.Check(&config.Cluster{Endpoints: 1}, inline))); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// A pd-profile-handler of scheduler-v0.5 may ask a precise scorer, whose first block
// does not count either.
func TestThresholdOfPreciseMatches(t *testing.T) {
	const body = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: precise-prefix-cache-scorer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}, indexerConfig: {tokenizersPoolConfig: {modelName: m, local: {}, uds: {socketFile: s}}}}}
- {type: pd-profile-handler, parameters: {threshold: 200, prefixPluginType: precise-prefix-cache-scorer}}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: precise-prefix-cache-scorer}]}`
	p := &preciseCase{T: t, blockTokens: 16, Scheduler: inVersion(t, "scheduler-v0.5.1", body, config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode")})}
	for i, want := range []scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated, scheduler.Disaggregated, scheduler.Disaggregated, scheduler.SuffixCached, scheduler.SuffixCached} { // 400 − (blocks − 1)·64 bytes
		p.Stored(0, 1, p.blocks(1, 0, int32(i+1)), policy.GPUMemory)
		p.ask(time.Duration(i+1), 1, 100)
		if got := p.LastResult().Reason; got != want {
			t.Errorf("%d blocks: %s, want %s", i+1, got, want)
		}
	}
}
