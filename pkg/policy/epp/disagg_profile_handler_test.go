// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// disagg is a document with a decode and a prefill profile, which keep pods of
// their role; the handler and more plugins are given.
func disagg(plugins string) string {
	return "plugins: [{type: decode-filter}, {type: prefill-filter}, {type: queue-scorer}, " + plugins + "]\n" + `
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: queue-scorer}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: queue-scorer}]}
`
}

const (
	alwaysDisagg       = "{type: always-disagg-pd-decider}, {type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}}"
	prefillFirstDisagg = "{type: disagg-profile-handler, parameters: {stageOrder: prefill-first}}"
)

// pools is a pool of each role, two endpoints a role.
func pools(roles ...string) []map[string]string {
	var labels []map[string]string
	for _, r := range roles {
		labels = append(labels, role(r), role(r))
	}
	return labels
}

func TestEndpointsOfPrefillAndDecode(t *testing.T) {
	const byPrefix = "{type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}, {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 100}}"
	pd := "{type: always-disagg-pd-decider}, {type: pd-profile-handler, parameters: {deciderPluginName: always-disagg-pd-decider}}"
	cases := map[string]struct {
		plugins string
		labels  []map[string]string
		busy    []int // endpoints with a queue
		want    policy.Route
		reason  scheduler.Reason
		prefill int // what the prefill profile chose; -2 where it did not run
		err     bool
	}{
		"one of each":                          {alwaysDisagg, pools("prefill", "decode"), []int{0, 2}, policy.Route{Endpoint: 3, Prefill: 1}, scheduler.Disaggregated, 1, false},
		"a long prompt":                        {byPrefix, pools("prefill", "decode"), []int{0, 2}, policy.Route{Endpoint: 3, Prefill: 1}, scheduler.Disaggregated, 1, false},
		"no endpoint computes prompts apart":   {alwaysDisagg, pools("decode"), []int{0}, policy.To(1), scheduler.Disaggregated, scheduler.None, false},
		"no endpoint decodes":                  {alwaysDisagg, pools("prefill"), nil, policy.Route{}, "", -2, true},
		"both choose the same":                 {alwaysDisagg, pools("both"), []int{0}, policy.To(1), scheduler.Disaggregated, 1, false},
		"no decider":                           {"{type: disagg-profile-handler}", pools("prefill", "decode"), []int{2}, policy.To(3), "", -2, false},
		"a decider that is off":                {strings.Replace(byPrefix, "100", "0", 1), pools("prefill", "decode"), []int{2}, policy.To(3), scheduler.Disabled, -2, false},
		"a decider of other matters":           {strings.ReplaceAll(alwaysDisagg, "always-disagg-pd", "always-disagg-multimodal"), pools("prefill", "decode"), []int{2}, policy.To(3), scheduler.Disabled, -2, false},
		"prefill first":                        {prefillFirstDisagg, pools("prefill", "decode"), []int{0, 2}, policy.Route{Endpoint: 3, Prefill: 1}, "", 1, false},
		"prefill first, and nobody for it":     {prefillFirstDisagg, pools("decode"), []int{0}, policy.To(1), "", scheduler.None, false},
		"prefill first, no replica to decode":  {prefillFirstDisagg, pools("prefill"), []int{0}, policy.Route{}, "", 1, true},
		"the older handler tells nobody":       {pd, pools("prefill", "decode"), []int{0, 2}, policy.To(3), scheduler.Disaggregated, 1, false},
		"the older handler with a headers one": {pd + ", {type: prefill-header-handler}", pools("prefill", "decode"), []int{0, 2}, policy.Route{Endpoint: 3, Prefill: 1}, scheduler.Disaggregated, 1, false},
		"headers of another profile": {pd + ", {type: disagg-headers-handler, parameters: {prefillProfile: decode}}", pools("prefill", "decode"), []int{0, 2},
			policy.To(3), scheduler.Disaggregated, 1, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, disagg(tc.plugins), tc.labels...)
			view := idle(len(tc.labels))
			for _, e := range tc.busy {
				view.Scrapes[e].Waiting = 1
			}
			got, err := s.Route(view, request(0, 1000))
			got.Believed = policy.Belief{}
			if errors.Is(err, policy.ErrNoEndpoint) != tc.err || got != tc.want {
				t.Errorf("decision %+v, %v, want %+v", got, err, tc.want)
			}
			d := s.LastResult()
			prefill := -2
			if d.Prefill != nil {
				prefill = d.Prefill.Chosen
			}
			if d.Reason != tc.reason || prefill != tc.prefill {
				t.Errorf("reason %q, prefill %d, want %q, %d", d.Reason, prefill, tc.reason, tc.prefill)
			}
		})
	}
}

// The decider is asked of the endpoint that was chosen to decode.
func TestPrefixBasedPDDecider(t *testing.T) {
	cases := map[string]struct {
		parameters string
		tokens     int
		held       []int // blocks of 64 tokens, by endpoint; nil where nobody knows
		want       scheduler.Reason
	}{
		"never":                             {"{}", 100000, []int{0, 0}, scheduler.Disabled},
		"never, however many tokens":        {"{promptTokens: 5}", 100000, []int{0, 0}, scheduler.Disabled},
		"as many as the threshold":          {"{nonCachedTokens: 640}", 640, []int{0, 0}, scheduler.Disaggregated},
		"fewer":                             {"{nonCachedTokens: 641}", 640, []int{0, 0}, scheduler.InputTooShort},
		"fewer than a prompt has to have":   {"{nonCachedTokens: 10, promptTokens: 641}", 640, []int{0, 0}, scheduler.InputTooShort},
		"as many as a prompt has to have":   {"{nonCachedTokens: 10, promptTokens: 640}", 640, []int{0, 0}, scheduler.Disaggregated},
		"enough is left":                    {"{nonCachedTokens: 256}", 640, []int{9, 6}, scheduler.Disaggregated},
		"too little is left":                {"{nonCachedTokens: 257}", 640, []int{0, 6}, scheduler.SuffixCached},
		"a partial block counts as a whole": {"{nonCachedTokens: 1}", 630, []int{0, 10}, scheduler.SuffixCached},
		"nobody knows":                      {"{nonCachedTokens: 256}", 640, nil, scheduler.DeciderError},
		"nobody knows of a short prompt":    {"{nonCachedTokens: 256}", 64, nil, scheduler.InputTooShort},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plugins := "{type: prefix-based-pd-decider, parameters: " + tc.parameters + "}, {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}"
			if tc.held == nil {
				// The older handler may make do with another producer; the decider
				// does not.
				plugins = "{type: prefix-based-pd-decider, parameters: " + tc.parameters + "}, {type: pd-profile-handler, parameters: {prefixMatchInfoProducerName: other}}, " +
					"{name: other, type: approx-prefix-cache-producer}"
			}
			s := plant(t, disagg(plugins), role("both"), role("both"))
			if tc.held != nil {
				s.hold(10, tc.held...)
			}
			view := idle(2)
			view.Scrapes[0].Waiting = 1 // so that 1 decodes
			if got := s.Decide(view, request(0, tc.tokens)).Reason; got != tc.want {
				t.Errorf("reason %q, want %q", got, tc.want)
			}
		})
	}
	checkParameterFaults(t, "prefix-based-pd-decider", "{nonCachedTokens: -1, promptTokens: -2, tokens: 5}",
		`tokens: Forbidden: unknown field; there are nonCachedTokens, promptTokens`)
	checkParameterFaults(t, "prefix-based-pd-decider", "{nonCachedTokens: -1, promptTokens: -2}",
		`nonCachedTokens: Invalid value: -1: must not be negative`,
		`promptTokens: Invalid value: -2: must not be negative`)
}

func TestFaultsOfProfileHandlers(t *testing.T) {
	const at = "inline.plugins[3].parameters."
	const always = ", {type: always-disagg-pd-decider}, {type: always-disagg-multimodal-decider}"
	cases := map[string]struct {
		handler string
		want    []string
	}{
		"a decider that is not listed": {"{type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider, encode: always-disagg-multimodel-decider}}}" + always, []string{
			at + `deciders.prefill: Invalid value: "prefix-based-pd-decider": no plugin has this name`,
			at + `deciders.encode: Invalid value: "always-disagg-multimodel-decider": no plugin has this name; did you mean "always-disagg-multimodal-decider"?`,
		}},
		"no decider": {"{type: disagg-profile-handler, parameters: {deciders: {prefill: queue-scorer, encode: disagg-profile-handler}}}", []string{
			at + `deciders.prefill: Invalid value: "queue-scorer": a queue-scorer is not a decider`,
			at + `deciders.encode: Invalid value: "disagg-profile-handler": a disagg-profile-handler is not a decider`,
		}},
		"an unknown order": {"{type: disagg-profile-handler, parameters: {stageOrder: encode-first}}", []string{
			at + `stageOrder: Unsupported value: "encode-first": supported values: "decode-first", "prefill-first"`,
		}},
		"a decider that is not asked": {"{type: disagg-profile-handler, parameters: {stageOrder: Prefill_First, deciders: {prefill: always-disagg-pd-decider}}}" + always, []string{
			at + `deciders.prefill: Forbidden: with stageOrder prefill-first no decider is asked`,
		}},
		"both ways to write it": {"{type: disagg-profile-handler, parameters: {profiles: {}, decodeProfile: decode, deciderPluginName: x}}", []string{
			at + `decodeProfile: Forbidden: cannot be set together with profiles or deciders; use profiles.decode`,
			at + `deciderPluginName: Forbidden: cannot be set together with profiles or deciders; use deciders.prefill`,
		}},
		"an unknown key": {"{type: disagg-profile-handler, parameters: {profiles: {decoder: decode}}}", []string{
			at + `profiles.decoder: Forbidden: unknown field; there are decode, encode, prefill; did you mean "decode"?`,
		}},
		"flat keys name where they stand": {"{type: disagg-profile-handler, parameters: {decodeProfile: decod, prefillDeciderPluginName: nobody, deciderPluginName: other}}", []string{
			at + `prefillDeciderPluginName: Invalid value: "nobody": no plugin has this name`,
		}},
		"the older handler without the default decider": {"{type: pd-profile-handler}", []string{
			at + `deciderPluginName: Invalid value: "prefix-based-pd-decider": no plugin has this name`,
		}},
		"the older handler and what it had once": {"{type: pd-profile-handler, parameters: {threshold: 10, hashBlockSize: 5}}", []string{
			at + `hashBlockSize: Forbidden: unknown field in router-v0.10; scheduler-v0.5 was the last version to have it; it is blockSizeTokens of approx-prefix-cache-producer now`,
			at + `threshold: Forbidden: unknown field in router-v0.10; scheduler-v0.5 was the last version to have it; it is nonCachedTokens of prefix-based-pd-decider now`,
		}},
		"the older handler and all that can be wrong": {"{type: pd-profile-handler, parameters: {decodeProfile: d, prefillProfile: p, prefixPluginType: prefix-cache-scorer, primaryPort: 70000, deciderPluginName: queue-scorer}}", []string{
			at + `prefixPluginType: Invalid value: "prefix-cache-scorer": no plugin has this name`,
			at + `primaryPort: Invalid value: 70000: must be between 1 and 65535`,
			at + `deciderPluginName: Invalid value: "queue-scorer": a queue-scorer is not a decider`,
		}},
		"two handlers": {"{type: disagg-profile-handler}, {type: single-profile-handler}", []string{
			`inline.plugins[4]: Invalid value: "single-profile-handler": there is a profile handler already, disagg-profile-handler; there can be one`,
			`inline.schedulingProfiles: Invalid value: 2: a single-profile-handler cannot handle several profiles`,
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Load([]byte(header+disagg(tc.handler)), "", inline)
			if diff := cmp.Diff(tc.want, errorTexts(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// The EPP starts with these, and would then fail every request, crash or hang.
func TestObstaclesOfProfileHandlers(t *testing.T) {
	const at = "inline.plugins[3].parameters."
	const always = ", {type: always-disagg-pd-decider}"
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"text for encoders": {disagg("{type: disagg-profile-handler, parameters: {deciders: {encode: always-disagg-pd-decider}}}" + always),
			[]string{at + `deciders.encode: Invalid value: "always-disagg-pd-decider": always-disagg-pd-decider sends text to encoders, and there are none`}},
		"no profile to decode": {disagg("{type: disagg-profile-handler, parameters: {profiles: {decode: decod}}}"),
			[]string{at + `profiles.decode: Invalid value: "decod": no scheduling profile has this name, and every request would fail; did you mean "decode"?`}},
		"no profiles": {"plugins: [{type: disagg-profile-handler}]",
			[]string{`inline.plugins[0].parameters.profiles.decode: Invalid value: "decode": no scheduling profile has this name, and every request would fail`}},
		"the older handler": {disagg("{type: pd-profile-handler, parameters: {decodeProfile: d, prefillProfile: p, deciderPluginName: always-disagg-pd-decider}}" + always), []string{
			at + `decodeProfile: Invalid value: "d": no scheduling profile has this name, and every request would fail`,
			at + `prefillProfile: Invalid value: "p": no scheduling profile has this name, and the EPP would crash`,
		}},
		"the older handler and a third profile": {disagg("{type: pd-profile-handler, parameters: {deciderPluginName: always-disagg-pd-decider}}"+always) + "- {name: third}",
			[]string{`inline.plugins[3].parameters: Invalid value: 3: with more than two profiles a pd-profile-handler never ends`}},
	} {
		t.Run(name, func(t *testing.T) {
			errs := mustLoad(t, tc.body).Check(&config.Cluster{Endpoints: 1, Labels: []map[string]string{role("both")}}, inline)
			if diff := cmp.Diff(tc.want, errorTexts(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParametersOfDisaggProfileHandler(t *testing.T) {
	const deciders = ", {name: p, type: always-disagg-pd-decider}, {name: e, type: always-disagg-multimodal-decider}"
	const defaults = `{"stageOrder":"decode-first","profiles":{"decode":"decode","prefill":"prefill","encode":"encode"},"deciders":{"prefill":"p","encode":"e"}}`
	for _, tc := range []struct{ parameters, want string }{
		{"{deciders: {prefill: p, encode: e}}", defaults},
		{"{stageOrder: DECODE, Profiles: {decode: '', prefill: prefill}, deciders: {prefill: p, encode: e}}", defaults},
		{"{encodeDeciderPluginName: e, prefillDeciderPluginName: p, deciderPluginName: nobody}", defaults},
		{"{encodeDeciderPluginName: e, deciderPluginName: p, decodeProfile: decode, prefillProfile: prefill, encodeProfile: encode}", defaults},
		{"{stageOrder: PrefillFirst, prefillProfile: x}", `{"stageOrder":"prefill-first","profiles":{"decode":"decode","prefill":"x","encode":"encode"},"deciders":{}}`},
		{"{}", `{"stageOrder":"decode-first","profiles":{"decode":"decode","prefill":"prefill","encode":"encode"},"deciders":{}}`},
	} {
		c, errs := Load([]byte(header+disagg("{type: disagg-profile-handler, parameters: "+tc.parameters+"}"+deciders)), "", inline)
		if len(errs) > 0 {
			t.Errorf("%s: %v", tc.parameters, errs.ToAggregate())
			continue
		}
		if text := marshal(t, c); !strings.Contains(text, `"parameters":`+tc.want) {
			t.Errorf("%s: %s\nwant %s", tc.parameters, text, tc.want)
		}
	}
}

func TestReportOfDisaggregation(t *testing.T) {
	const encode = "- {name: encode, plugins: [{pluginRef: encode-filter}]}"
	report := func(body string) (map[string]string, []string) {
		c, errs := Load([]byte(header+body), "", inline)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		notes := map[string]string{}
		for _, r := range c.Report(&config.Cluster{Endpoints: 1, Labels: []map[string]string{role("both")}}) {
			if !r.Created {
				notes[r.Name] = strings.TrimSuffix(string(r.Treatment)+": "+r.Note, ": ")
			}
		}
		return notes, c.Warnings()
	}
	cases := map[string]struct {
		body     string
		notes    map[string]string
		warnings []string
	}{
		"three stages": {
			body: disagg("{type: encode-filter}, {type: always-disagg-multimodal-decider}, {type: always-disagg-pd-decider}, {type: disagg-headers-handler}, "+
				"{type: disagg-profile-handler, parameters: {deciders: {encode: always-disagg-multimodal-decider, prefill: always-disagg-pd-decider}}}") + encode,
			notes: map[string]string{
				"decode-filter": "exact", "prefill-filter": "exact", "queue-scorer": "exact", "disagg-profile-handler": "exact", "always-disagg-pd-decider": "exact",
				"encode-filter":                    "no effect: for requests with images, audio or video, and simulated requests have none",
				"always-disagg-multimodal-decider": "no effect: says no to all: prompts are text",
				"disagg-headers-handler":           "no effect: disagg-profile-handler tells the engines of prefill endpoints by itself",
			},
			warnings: []string{
				"plugins[6].type: disagg-headers-handler is deprecated, use disagg-profile-handler",
				"schedulingProfiles[2]: not simulated: the EPP runs this profile for requests with images, audio or video, and simulated requests have none",
			},
		},
		"no decider": {
			body: disagg("{type: prefix-based-pd-decider}, {type: disagg-profile-handler, parameters: {profiles: {encode: nothing}}}"),
			notes: map[string]string{
				"decode-filter": "exact", "prefill-filter": "no effect: in no scheduling profile that ever runs", "queue-scorer": "exact", "disagg-profile-handler": "exact",
				"prefix-based-pd-decider": "no effect: no stage that may run asks it",
			},
			warnings: []string{
				"plugins[3].parameters.nonCachedTokens: is 0, which means never: all prompts are computed where they are decoded",
				"schedulingProfiles[0]: no effect: disagg-profile-handler never runs this profile",
			},
		},
		"the older handler": {
			body: disagg("{type: prefix-based-pd-decider}, {type: pd-profile-handler, parameters: {prefixPluginName: queue-scorer, primaryPort: 8000}}"),
			notes: map[string]string{
				"decode-filter": "exact", "prefill-filter": "exact", "queue-scorer": "exact",
				"pd-profile-handler":      "exact: no header handler tells the engines of prefill endpoints, and all prompts are computed where they are decoded",
				"prefix-based-pd-decider": "exact: says no to all: nonCachedTokens is 0",
			},
			warnings: []string{
				"plugins[3].parameters.nonCachedTokens: is 0, which means never: all prompts are computed where they are decoded",
				"plugins[4].type: pd-profile-handler is deprecated, use disagg-profile-handler",
				"plugins[4].parameters.primaryPort: deprecated, no effect on which endpoint is chosen",
				"plugins[4].parameters.prefixPluginName: deprecated, no effect",
			},
		},
		"the older handler, its headers and another producer": {
			body: disagg("{type: prefix-based-pd-decider, parameters: {nonCachedTokens: 1}}, {type: pd-profile-handler, parameters: {primaryPort: 1, prefixMatchInfoProducerName: mine}}, " +
				"{name: mine, type: approx-prefix-cache-producer}, {type: prefill-header-handler}, {name: h, type: prefill-header-handler, parameters: {prefillProfile: x}}"),
			notes: map[string]string{
				"decode-filter": "exact", "prefill-filter": "exact", "queue-scorer": "exact", "mine": "exact",
				"pd-profile-handler":      "exact",
				"prefix-based-pd-decider": "exact: says no to all: it only asks a producer named approx-prefix-cache-producer",
				"prefill-header-handler":  "exact: tells the engines of prefill endpoints",
				"h":                       "no effect: no profile of its name chooses prefill endpoints",
			},
			warnings: []string{
				"plugins[4].type: pd-profile-handler is deprecated, use disagg-profile-handler",
				"plugins[4].parameters.primaryPort: deprecated, no effect on which endpoint is chosen",
				"plugins[6].type: prefill-header-handler is deprecated, use disagg-profile-handler",
				"plugins[7].type: prefill-header-handler is deprecated, use disagg-profile-handler",
				"plugins[7].parameters.prefillProfile: no scheduling profile is named x: the EPP may send no request to a prefill endpoint",
			},
		},
		"only encoding is apart": {
			body: "plugins: [{type: disagg-headers-handler}, {type: always-disagg-multimodal-decider}, {type: encode-filter}, {type: decode-filter}, {type: active-request-scorer}, " +
				"{type: disagg-profile-handler, parameters: {deciders: {encode: always-disagg-multimodal-decider}}}]\n" +
				"schedulingProfiles: [{name: encode, plugins: [{pluginRef: encode-filter}]}, {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: active-request-scorer}]}]",
			notes: map[string]string{
				"disagg-profile-handler": "exact", "decode-filter": "exact", "active-request-scorer": "exact",
				"disagg-headers-handler":           "no effect: disagg-profile-handler tells the engines of prefill endpoints by itself",
				"always-disagg-multimodal-decider": "no effect: says no to all: prompts are text",
				"encode-filter":                    "no effect: for requests with images, audio or video, and simulated requests have none",
			},
			warnings: []string{
				"plugins[0].type: disagg-headers-handler is deprecated, use disagg-profile-handler",
				"schedulingProfiles[0]: not simulated: the EPP runs this profile for requests with images, audio or video, and simulated requests have none",
			},
		},
		"profiles that are not there": {
			body: "plugins: [{type: always-disagg-pd-decider}, {type: always-disagg-multimodal-decider}, " +
				"{type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider, encode: always-disagg-multimodal-decider}}}]\nschedulingProfiles: [{name: decode}]",
			notes: map[string]string{
				"disagg-profile-handler": "exact", "always-disagg-pd-decider": "no effect: no stage that may run asks it",
				"always-disagg-multimodal-decider": "no effect: says no to all: prompts are text",
			},
			warnings: []string{
				"plugins[2].parameters.profiles.prefill: no scheduling profile is named prefill: all prompts are computed where they are decoded",
				"plugins[2].parameters.profiles.encode: no scheduling profile is named encode: nothing is encoded apart",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			notes, warnings := report(tc.body)
			if diff := cmp.Diff(tc.notes, notes); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// Without labels a prefill profile would never find anybody; one that never
// runs does not matter.
func TestFiltersOfProfilesThatRunNeedLabels(t *testing.T) {
	for handler, refused := range map[string]bool{alwaysDisagg: true, "{type: disagg-profile-handler}": false} {
		errs := mustLoad(t, disagg(handler)).Check(&config.Cluster{Endpoints: 2}, inline)
		if len(errs) > 0 != refused {
			t.Errorf("%s: %v", handler, errs)
		}
	}
}

// One of the profiles may run rarely and still sees fresh scrapes.
func TestProfilesThatDidNotRunForgetNoChange(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: queue-scorer}, {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 100}}, "+
		"{type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}]\n"+
		"schedulingProfiles: [{name: decode, plugins: [{pluginRef: queue-scorer, weight: -1}]}, {name: prefill, plugins: [{pluginRef: queue-scorer}]}]")
	s := New(c, config.Cluster{Endpoints: 3}, 1)
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 5}, {Waiting: 1}, {Waiting: 3}}, Changed: []int32{}}
	step := func(n, tokens int, want policy.Route) {
		t.Helper()
		got, err := s.Route(view, request(n, tokens))
		got.Believed = policy.Belief{}
		if got != want || err != nil {
			t.Errorf("request %d: %+v, %v, want %+v", n, got, err, want)
		}
		view.Changed = view.Changed[:0]
	}
	step(0, 1000, policy.Route{Endpoint: 0, Prefill: 1})
	step(1, 1000, policy.Route{Endpoint: 0, Prefill: 1})
	view.Scrapes[1].Waiting, view.Changed = 4, append(view.Changed, 1)
	step(2, 10, policy.To(0))
	step(3, 1000, policy.Route{Endpoint: 0, Prefill: 2})
	view.Scrapes[0].Waiting, view.Changed = 0, append(view.Changed, 0)
	step(4, 1000, policy.Route{Endpoint: 1, Prefill: 0})
}

func TestConfigurationsThatDisaggregate(t *testing.T) {
	const pd = "{type: always-disagg-pd-decider}, {type: pd-profile-handler, parameters: {deciderPluginName: always-disagg-pd-decider}}"
	for plugins, want := range map[string]bool{
		alwaysDisagg:                            true,
		prefillFirstDisagg:                      true,
		"{type: disagg-profile-handler}":        false,
		pd:                                      false,
		pd + ", {type: prefill-header-handler}": true,
	} {
		c, errs := Load([]byte(header+disagg(plugins)), "", nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if got := c.Disaggregates(); got != want {
			t.Errorf("%s: %t, want %t", plugins, got, want)
		}
	}
	if mustLoad(t, "").Disaggregates() {
		t.Error("the built-in configuration disaggregates")
	}
}
