// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Up to gie-v1.3 one endpoint with room is enough, and a queue may be as long as its
// limit; later the mean counts, and a queue at its limit is full.
func TestOldVersionsShedWhereNoEndpointHasRoom(t *testing.T) {
	full, atLimit, idle := policy.Scrape{Waiting: 100}, policy.Scrape{Waiting: 5, KVUsage: 0.8}, policy.Scrape{}
	stale := policy.Scrape{At: simtime.Time(-time.Second)}
	for name, tc := range map[string]struct {
		scrapes  []policy.Scrape
		old, new bool // shed
	}{
		"all are full":              {[]policy.Scrape{full, full}, true, true},
		"one is idle":               {[]policy.Scrape{full, idle}, false, true},
		"at the limit":              {[]policy.Scrape{atLimit, atLimit}, false, true},
		"one is fresh":              {[]policy.Scrape{stale, idle}, false, false},
		"what is stale has no room": {[]policy.Scrape{stale, full}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			for version, want := range map[string]bool{"gie-v0.5.1": tc.old, "gie-v1.3.1": tc.old, "gie-v1.4.0": tc.new} {
				c, errs := Load([]byte(`apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins: [{type: single-profile-handler}, {type: max-score-picker}, {type: queue-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer, weight: 1}, {pluginRef: max-score-picker}]}]`), version, inline)
				if len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				r := request(0, 10)
				r.Priority = -1
				_, err := New(c, config.Cluster{Endpoints: 2}, 1).Route(&policy.View{Scrapes: tc.scrapes}, r)
				if shed := errors.Is(err, policy.ErrShed); shed != want {
					t.Errorf("%s: shed %v, want %v (%v)", version, shed, want, err)
				}
			}
		})
	}
}
