// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// shed is the story of a request that the admission turned away.
func shed() *RoutingRecord {
	detector := scheduler.PluginName{Name: "busy", Type: "utilization-detector"}
	return &RoutingRecord{
		Seed: 7, Tenant: "acme", Class: "batch", Names: []string{"a/0", "b/0"}, AdapterNames: []string{"sql", "law"},
		Explanation: &scheduler.Explanation{
			AtSeconds: 1.5,
			Request:   scheduler.ExplainedRequest{ID: 3, ArrivalSeconds: 1, PromptTokens: 10, Priority: -1, Session: 4, Adapter: 2},
			Endpoints: []scheduler.EndpointSignals{{Down: true, ScrapeAgeSeconds: new(0.0)}, {Anomaly: "only looks idle", Adapters: &scheduler.AdapterSignal{Active: []int32{1, 3}, Waiting: []int32{2}, Max: 4}}},
			Admission: scheduler.Admission{Detector: detector, Saturation: 1.25, RefusedBy: &detector},
			Error:     "shed",
		},
		Rejected: "shed",
	}
}

func TestTableOfARequestThatIsTurnedAway(t *testing.T) {
	story := &RequestStory{Decisions: []*RoutingRecord{shed()}, Outcome: RequestResult{Ended: "rejected", Reason: "shed", By: "busy"}}
	const want = `request 3, seed 7, at 1.500000 s: 10 prompt tokens, tenant acme, class batch, priority -1, session 4, adapter law, 500.0 ms after its arrival

endpoint  scrape  waiting  running  KV used  adapters
a/0       gone    0        0        0.0 %
b/0       none    0        0        0.0 %    sql, 3; waiting law; at most 4
anomaly: b/0 only looks idle

rejected by busy; saturation 1.25 by busy

It went nowhere: shed.
It ended rejected as shed: the router rejected it because the pool was saturated; busy decided that.
`
	var got strings.Builder
	if err := story.Table(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

func TestTableOfARequestThatTwoShareAndOneRefuses(t *testing.T) {
	d := shed()
	d.Error, d.Admission.RefusedBy, d.Rejected = "", nil, "exceedsKVCache"
	d.Endpoint, d.Prefill = new(1), new(0)
	d.Profiles = []scheduler.ProfileRun{{
		Profile: "p", Endpoints: []int{1}, Candidates: []int{1},
		Scorers: []scheduler.ScorerRun{{
			PluginName: scheduler.PluginName{Name: "s"}, Weight: 2,
			Raw: []scheduler.Number{1.5}, Clamped: []scheduler.Number{1}, Weighted: []scheduler.Number{2},
		}},
		Scores: []scheduler.Number{2}, Picker: scheduler.PluginName{Name: "max"}, Chosen: new(1), Tied: 2, ByChance: true,
	}}
	var got strings.Builder
	if err := (&RequestStory{Decisions: []*RoutingRecord{d}}).Table(&got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nsaturation 1.25 by busy\n",
		"\na/0                           gone\nb/0       1.5 → 1 → 2  2      picked\nmax picked b/0; 2 tied at the top; chance decided\n",
		"\nIt went to a/0 for its prompt, then to b/0.\nThe engine refused it: exceedsKVCache.\n",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("there is no\n%s\nin\n%s", want, &got)
		}
	}
}

// A story that does not end well ends with the reason, and with whose it is.
func TestEndsOfRequests(t *testing.T) {
	filter := scheduler.PluginName{Name: "full"}
	decision := func(endpoint *int, err, rejected string, profiles ...scheduler.ProfileRun) *RoutingRecord {
		return &RoutingRecord{Explanation: &scheduler.Explanation{Endpoint: endpoint, Error: err, Profiles: profiles}, Rejected: rejected}
	}
	kept, left := scheduler.ProfileRun{Filters: []scheduler.FilterRun{{PluginName: scheduler.PluginName{Name: "roles"}}}, Candidates: []int{0}, Chosen: new(0)},
		scheduler.ProfileRun{Filters: []scheduler.FilterRun{{PluginName: scheduler.PluginName{Name: "roles"}}, {PluginName: filter}}}
	for name, tc := range map[string]struct {
		decisions []*RoutingRecord
		want      string
	}{
		"in flight":              {[]*RoutingRecord{decision(new(0), "", "")}, "It ended unfinished."},
		"shed":                   {[]*RoutingRecord{shed()}, "It ended rejected as shed: the router rejected it because the pool was saturated; busy decided that."},
		"no endpoint":            {[]*RoutingRecord{decision(nil, "no endpoint", "noEndpoint", kept, left)}, "It ended rejected as noEndpoint: the router left no replica to choose; full decided that."},
		"all endpoints gone":     {[]*RoutingRecord{decision(nil, "no endpoint", "noEndpoint")}, "It ended rejected as noEndpoint: the router left no replica to choose."},
		"the engine refuses it":  {[]*RoutingRecord{decision(new(0), "", "emptyPrompt", kept)}, "It ended rejected as emptyPrompt: an engine refuses a request without a prompt."},
		"its replica has failed": {[]*RoutingRecord{decision(new(0), "", "", kept), decision(nil, "no endpoint", "", left)}, "It ended failed; full decided that."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&RequestStory{Decisions: tc.decisions}).ended().String(); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
