// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// oldTwoProfiles is a disaggregating configuration that all old versions read, with a
// prefix scorer in both profiles, of the parameters of a pd-profile-handler.
const oldTwoProfiles = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: max-score-picker}
- {type: prefill-header-handler}
- {type: prefix-cache-scorer}
- {type: pd-profile-handler, parameters: %s}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: prefix-cache-scorer, weight: 1}, {pluginRef: max-score-picker}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: prefix-cache-scorer, weight: 1}, {pluginRef: max-score-picker}]}`

// A prompt of 400 bytes has 6 blocks of 64, of which the first one counts only where
// the model's name comes before it.
func TestThresholdDecider(t *testing.T) {
	const v02, v03, v05 = "scheduler-v0.2.1", "scheduler-v0.3.2", "scheduler-v0.5.1"
	for name, tc := range map[string]struct {
		version, parameters string
		scrape              policy.Scrape
		bytesPerToken       float64
		want                [2]scheduler.Reason // of a prompt, and of the same one again
	}{
		"no threshold":                 {v03, "{}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"it is in bytes":               {v03, "{threshold: 401}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.InputTooShort, scheduler.InputTooShort}},
		"as many as the threshold":     {v03, "{threshold: 400}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		"of so many a token":           {v03, "{threshold: 500}", policy.Scrape{}, 5, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		"five of six blocks count":     {v03, "{threshold: 79}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"and leave less than 80":       {v03, "{threshold: 80}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}}, // (1 - 320/400)·400
		"six where the model is one":   {v02, "{threshold: 80}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		"and no more where it is one":  {v02, "{threshold: 16}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"blocks of a size of its own":  {v03, "{threshold: 81, hashBlockSize: 63}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"whatever the engine's":        {v05, "{threshold: 272}", policy.Scrape{BlockTokens: 32}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"another name":                 {v03, "{threshold: 400, prefixPluginName: mine}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"another type":                 {v05, "{threshold: 400, prefixPluginType: precise-prefix-cache-scorer, prefixPluginName: prefix-cache-scorer}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
		"the oldest knows no names":    {v02, "{threshold: 400, prefixPluginName: mine}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.SuffixCached}},
		"a negative threshold is none": {v03, "{threshold: -1}", policy.Scrape{}, 4, [2]scheduler.Reason{scheduler.Disaggregated, scheduler.Disaggregated}},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode"), BytesPerToken: tc.bytesPerToken}
			s := inVersion(t, tc.version, fmt.Sprintf(oldTwoProfiles, tc.parameters), cluster)
			view := &policy.View{Scrapes: []policy.Scrape{tc.scrape, tc.scrape}}
			var got [2]scheduler.Reason
			for i := range got {
				decision, err := s.Route(view, request(0, 100))
				if err != nil {
					t.Fatal(err)
				}
				got[i] = s.LastResult().Reason
				if disaggregated := decision.Prefill == 0 && decision.Endpoint == 1; disaggregated != (got[i] == scheduler.Disaggregated) {
					t.Errorf("%s, and sent to %+v", got[i], decision)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// Without a scorer in the decode profile the endpoint that decodes holds nothing.
func TestThresholdDeciderOfALaterScorer(t *testing.T) {
	const body = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: prefill-header-handler}
- {type: prefix-cache-scorer}
- {type: pd-profile-handler, parameters: {threshold: 100}}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: prefix-cache-scorer}]}
- {name: decode, plugins: [{pluginRef: decode-filter}]}`
	s := inVersion(t, "scheduler-v0.3.2", body, config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode")})
	for range 2 {
		route(t, s, idle(2), request(0, 100))
		if got := s.LastResult().Reason; got != scheduler.Disaggregated {
			t.Errorf("%s", got)
		}
	}
}

// Whose pick old prefix scorers learn of: of each profile as it ends, of the one that
// decodes, or of both in the end.
func TestOldPrefixesOfTwoEndpoints(t *testing.T) {
	for version, want := range map[string][2]float64{
		"scheduler-v0.2.1": {1, 1},
		"scheduler-v0.3.2": {0, 1},
		"scheduler-v0.4.0": {0, 1},
		"scheduler-v0.5.1": {1, 1},
	} {
		s := inVersion(t, version, fmt.Sprintf(oldTwoProfiles, "{}"), config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode")})
		for range 2 {
			route(t, s, idle(2), request(0, 160))
		}
		d := s.LastResult()
		if got := [2]float64{d.Prefill.Scores[0], d.Scores[0]}; got != want {
			t.Errorf("%s: scores %v, want %v", version, got, want)
		}
	}
}

// In gie-v0.5 the pick of the first profile is known to the second one.
func TestProfilesOfTheOldestVersionLearnOfEachOther(t *testing.T) {
	for version, want := range map[string]float64{"scheduler-v0.2.1": 1, "scheduler-v0.3.2": 0} {
		s := inVersion(t, version, fmt.Sprintf(oldTwoProfiles, "{prefillProfile: prefill}"), config.Cluster{Endpoints: 1, Labels: roleLabels("both")})
		s.Staged.Prefill.Filters = nil
		route(t, s, idle(1), request(0, 160))
		if got := s.LastResult().Prefill.Scores[0]; got != want {
			t.Errorf("%s: scored %v, want %v", version, got, want)
		}
	}
}

// Scorers of the oldest version that find different blocks overwrite each other.
func TestScorersOfTheOldestVersionShareTheirState(t *testing.T) {
	const body = `plugins: [{type: single-profile-handler}, {type: max-score-picker}, {type: prefix-cache-scorer, name: a}, {type: prefix-cache-scorer, name: b, parameters: {hashBlockSize: %d}}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: a, weight: 1}, {pluginRef: b, weight: 1}, {pluginRef: max-score-picker}]}]`
	for size, want := range map[int]int{64: 0, 128: 1} {
		for _, version := range []string{"gie-v0.5.1", "scheduler-v0.2.1"} {
			c, errs := Load([]byte(oldHeader+fmt.Sprintf(body, size)), version, inline)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if got := len(c.Check(nil, inline)); got != want {
				t.Errorf("%s, %d bytes: %d errors, want %d", version, size, got, want)
			}
		}
	}
}

// The plugin that prefixPluginName names has to be there from router-v0.10 on, when
// nobody reads it any longer.
func TestProfileHandlersThatNeedThePrefixPlugin(t *testing.T) {
	const body = `plugins: [{type: prefix-based-pd-decider}, {type: always-disagg-pd-decider}, {type: pd-profile-handler, parameters: {prefixPluginName: nobody}}]
schedulingProfiles: [{name: prefill}, {name: decode}]`
	for version, refused := range map[string]bool{"scheduler-v0.6.0": false, "scheduler-v0.8.0": false, "router-v0.9.0": false, "router-v0.10.0": true} {
		if _, errs := Load([]byte(oldHeader+body), version, inline); (len(errs) > 0) != refused {
			t.Errorf("%s: %v, want refused: %t", version, errs.ToAggregate(), refused)
		}
	}
}
