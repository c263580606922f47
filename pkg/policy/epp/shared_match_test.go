// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

const sharedPrecisePolicy = `{type: precise-prefix-cache-scorer, parameters: {tokenProcessorConfig: {blockSize: 16}, kvEventsConfig: {zmqEndpoint: tcp}, SPECULATIVEindexerConfig: {tokenizersPoolConfig: {modelName: m, uds: {socketFile: s}}}}}`

// sharingScorer is a precise scorer that speculates or does not.
func sharingScorer(speculates bool) string {
	speculative := ""
	if speculates {
		speculative = "speculativeIndexing: true, "
	}
	return strings.Replace(sharedPrecisePolicy, "SPECULATIVE", speculative, 1)
}

func TestNoHitLRUScorerKnowsWhatWasFoundBeforeIt(t *testing.T) {
	const behind, before = "[{pluginRef: precise-prefix-cache-scorer}, {pluginRef: no-hit-lru-scorer}]", "[{pluginRef: no-hit-lru-scorer}, {pluginRef: precise-prefix-cache-scorer}]"
	for _, version := range []string{"scheduler-v0.8.0", "scheduler-520af478"} {
		for _, tc := range []struct {
			profile    string
			speculates bool
			warm       []bool // of a prompt that is new, that was asked for, that an endpoint holds
		}{
			{behind, false, []bool{false, false, true}},
			{behind, true, []bool{false, true, true}},
			{before, false, []bool{false, false, false}},
			{before, true, []bool{false, true, true}},
		} {
			p := &preciseCase{T: t, blockTokens: 16, Scheduler: inVersion(t, version, "plugins:\n- "+sharingScorer(tc.speculates)+"\n- {type: no-hit-lru-scorer}\nschedulingProfiles: [{name: default, plugins: "+tc.profile+"}]", config.Cluster{Endpoints: 2})}
			var warm []bool
			for i := range tc.warm {
				if i == 2 {
					p.Stored(0, 1, p.blocks(1, 0, 1), policy.GPUMemory)
				}
				p.ask(time.Duration(i), 1, 100)
				d := p.LastResult()
				at := 0
				if d.Scorers[1] == noHitLRUScorerType {
					at = 1
				}
				warm = append(warm, d.Weighted[at][0] == 0.5 && d.Weighted[at][1] == 0.5)
			}
			if diff := cmp.Diff(tc.warm, warm); diff != "" {
				t.Errorf("%s, %s, speculates %t: (-want +got):\n%s", version, tc.profile, tc.speculates, diff)
			}
		}
	}
}

// What a precise scorer says of the endpoint that decodes is one token or none, so that
// the decider takes nearly all of the prompt to be left. Where it is in no profile that
// ran before, the decider knows what it speculated upon; in scheduler-520af478, where
// the handler has an approx-prefix-cache-producer made, what that has seen.
func TestPrefixBasedPDDeciderBesideAPreciseScorer(t *testing.T) {
	const in, out = "{pluginRef: precise-prefix-cache-scorer}", "{pluginRef: queue-scorer}"
	for _, tc := range []struct {
		version    string
		speculates bool
		decode     string
		want       []scheduler.Reason // of a prompt that is new, and of the same, of which all is held
	}{
		{"scheduler-v0.8.0", false, in, []scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		{"scheduler-v0.8.0", true, in, []scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		{"scheduler-v0.8.0", false, out, []scheduler.Reason{scheduler.DeciderError, scheduler.DeciderError}},
		{"scheduler-v0.8.0", true, out, []scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		{"scheduler-520af478", false, in, []scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		{"scheduler-520af478", false, out, []scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
	} {
		body := "plugins:\n- {type: prefill-filter}\n- {type: decode-filter}\n- {type: queue-scorer}\n- " + sharingScorer(tc.speculates) + `
- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 5}}
- {type: pd-profile-handler, parameters: {deciderPluginName: prefix-based-pd-decider}}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, ` + tc.decode + `]}`
		p := &preciseCase{T: t, blockTokens: 16, Scheduler: inVersion(t, tc.version, body, config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode")})}
		var got []scheduler.Reason
		for i := range tc.want {
			p.ask(time.Duration(i), 1, 96)
			got = append(got, p.LastResult().Reason)
			p.Stored(1, 1, p.blocks(1, 0, 6), policy.GPUMemory)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s, %s, speculates %t: reasons (-want +got):\n%s", tc.version, tc.decode, tc.speculates, diff)
		}
	}
}

// A prefix-cache-scorer reads the blocks of its producer before a precise scorer, and
// whether that one found any behind it.
func TestPrefixCacheScorerBesideAPreciseOne(t *testing.T) {
	for _, version := range []string{"scheduler-v0.8.0", "scheduler-520af478"} {
		for profile, want := range map[string]float64{
			"[{pluginRef: prefix-cache-scorer}, {pluginRef: precise-prefix-cache-scorer}]": 1,
			"[{pluginRef: precise-prefix-cache-scorer}, {pluginRef: prefix-cache-scorer}]": 0,
		} {
			p := &preciseCase{T: t, blockTokens: 16, Scheduler: inVersion(t, version, "plugins:\n- "+sharingScorer(false)+"\n- {type: prefix-cache-scorer}\nschedulingProfiles: [{name: default, plugins: "+profile+"}]", config.Cluster{Endpoints: 1})}
			p.ask(0, 1, 96)
			p.ask(1, 1, 96)
			d := p.LastResult()
			if got := d.Weighted[slices.Index(d.Scorers, "prefix-cache-scorer")][0]; got != want {
				t.Errorf("%s, %s: scores %v, want %v", version, profile, got, want)
			}
		}
	}
}

func TestReadersOfSeveralPrefixesAreRejected(t *testing.T) {
	second := strings.Replace(sharingScorer(true), "{type:", "{name: b, type:", 1)
	const inTwo = "\n- {type: prefix-cache-affinity-filter}\n- {type: prefix-based-pd-decider}\n- {type: pd-profile-handler}\nschedulingProfiles: [{name: prefill, plugins: [{pluginRef: prefix-cache-affinity-filter}]}, {name: decode, plugins: [{pluginRef: precise-prefix-cache-scorer}]}]"
	for name, tc := range map[string]struct{ body, want string }{
		"one that speculates": {sharingScorer(true) + "\n- {type: no-hit-lru-scorer}", ""},
		"two, of which one speculates": {
			sharingScorer(false) + "\n- " + second + "\n- {type: no-hit-lru-scorer}",
			`plugins[2]: Invalid value: "no-hit-lru-scorer": precise-prefix-cache-scorer and b overwrite each other's prefix matches, in an order that is not defined`,
		},
		"a filter in one profile": {sharingScorer(true) + "\n- {type: prefix-cache-affinity-filter}", ""},
		"a filter in two": {
			sharingScorer(true) + inTwo,
			`plugins[1]: Invalid value: "prefix-cache-affinity-filter": reads what a precise-prefix-cache-scorer says of prefixes, which is not simulated in scheduler-v0.8.0`,
		},
	} {
		c, errs := Load([]byte(oldHeader+"plugins:\n- "+tc.body), "scheduler-v0.8", nil)
		if len(errs) > 0 {
			t.Fatal(name, errs.ToAggregate())
		}
		if got := strings.Join(errorTexts(c.Check(&config.Cluster{Endpoints: 1}, nil)), "\n"); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
