// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// TestPluginsThatToldNoTwoEndpointsApart: a scorer and a filter are idle until a request for
// which they tell two endpoints apart, and a scorer without a weight for ever.
func TestPluginsThatToldNoTwoEndpointsApart(t *testing.T) {
	const body = `plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: running-requests-size-scorer
- type: label-selector-filter
  parameters: {matchLabels: {zone: a}}
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: label-selector-filter}
  - {pluginRef: queue-scorer, weight: 1}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: running-requests-size-scorer, weight: 0}
`
	all := []string{"label-selector-filter", "queue-scorer", "kv-cache-utilization-scorer", "running-requests-size-scorer"}
	inA, inB := map[string]string{"zone": "a"}, map[string]string{"zone": "b"}
	loaded := func(s policy.Scrape) *policy.View {
		v := idle(3)
		v.Scrapes[0] = s
		return v
	}
	for name, tc := range map[string]struct {
		labels []map[string]string
		view   *policy.View
		want   []string
	}{
		"all endpoints alike":    {[]map[string]string{inA, inA, inA}, idle(3), all},
		"a queue on one":         {[]map[string]string{inA, inA, inA}, loaded(policy.Scrape{Waiting: 3}), []string{all[0], all[2], all[3]}},
		"blocks in use on one":   {[]map[string]string{inA, inA, inA}, loaded(policy.Scrape{KVUsage: 0.5}), []string{all[0], all[1], all[3]}},
		"requests run on one":    {[]map[string]string{inA, inA, inA}, loaded(policy.Scrape{Running: 3}), all},
		"a label on two":         {[]map[string]string{inA, inA, inB}, idle(3), []string{all[1], all[2], all[3]}},
		"a filter leaves only 1": {[]map[string]string{inA, inB, inB}, loaded(policy.Scrape{Waiting: 3}), []string{all[1], all[2], all[3]}},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, body)
			s := New(c, config.Cluster{Endpoints: 3, Labels: tc.labels}, 1)
			for n := range 3 {
				route(t, s, tc.view, request(n, 100))
			}
			if diff := cmp.Diff(tc.want, s.Idle()); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}
