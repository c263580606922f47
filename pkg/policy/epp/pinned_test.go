// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

func fmtBody(body, typeName string) string { return fmt.Sprintf(body, typeName) }

// What nothing here reports passes only where the user pins it, and the refusal
// says what to pin.
func TestWhatHasToBePinned(t *testing.T) {
	const multiclusterBody = `
plugins: [{type: %s}, {type: multicluster-metrics-extractor}, {type: multicluster-metrics-data-source}]
dataLayer: {sources: [{pluginRef: multicluster-metrics-data-source, extractors: [{pluginRef: multicluster-metrics-extractor}]}]}`
	for _, tc := range []struct {
		name, body string
		pin        string // "" for what cannot be pinned
		refusal    string // part of it; "" where it is simulated with nothing pinned
	}{
		{
			"an attribute that scores", "plugins: [{type: endpoint-attribute-scorer, parameters: {attributeKey: GPUUtilization, producer: dcgm-extractor, algorithm: {type: linear_lower_is_better}}}]",
			"GPUUtilization", `pin it in the attributes of a pool`,
		},
		{
			"an attribute that filters", "plugins: [{type: endpoint-attribute-filter, parameters: {attribute: slots, algorithm: {type: threshold, threshold: {operator: Equal, value: 1}}}}]",
			"slots", `it reads "slots"`,
		},
		{"the queues of clusters", fmtBody(multiclusterBody, "multicluster-queue-scorer"), poolQueueSize.name, poolQueueSize.name},
		{"the memory of clusters", fmtBody(multiclusterBody, "multicluster-kv-cache-utilization-scorer"), poolKVUsage.name, poolKVUsage.name},
		{
			"a header that labels", "plugins: [{name: near, type: header-label-affinity-scorer, parameters: {headerName: x-zone, labelKey: zone}}]",
			"near", `pin what it scores as "near"`,
		},
		{"a header that names the one profile", "plugins: [{type: header-profile-handler}, {type: queue-scorer}]", "", ""},
		{"a filter for tests", "plugins: [{type: header-based-testing-filter}]", "header-based-testing-filter", "for tests"},
		{"sources of KV", "plugins: [{type: p2p-source-producer}]", "", ""},
		{"data-parallel ranks", "plugins: [{type: data-parallel-profile-handler}, {type: queue-scorer}]", "", ""},
		{"a roll-out", "plugins: [{type: disaggregatedset-rollout-screener, parameters: {scope: {labelSelector: app=x}, revisionGating: {mode: disabled}}}]", "", ""},
		{"GPU metrics that nobody reads", "plugins: [{type: dcgm-data-source}, {type: dcgm-extractor}]", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := mustLoad(t, tc.body)
			errs := c.Check(&config.Cluster{Endpoints: 2}, inline)
			if tc.refusal == "" {
				if len(errs) > 0 {
					t.Errorf("refused: %v", errs)
				}
				route(t, New(c, config.Cluster{Endpoints: 2}, 1), idle(2), request(0, 100))
				return
			}
			if len(errs) != 1 || !strings.Contains(errs[0].Detail, tc.refusal) {
				t.Errorf("with nothing pinned: %v, want an error with %q", errs, tc.refusal)
			}
			if tc.pin == "" {
				return
			}
			pinned := config.Cluster{Endpoints: 2, Attributes: []map[string]float64{nil, {tc.pin: 1}}}
			if errs := c.Check(&pinned, inline); len(errs) > 0 {
				t.Errorf("pinned on one endpoint: %v", errs)
			}
		})
	}
}

func TestWhatAPluginDoesMayBePinnedByItsName(t *testing.T) {
	const body = `
plugins: [{name: near, type: header-label-affinity-scorer, parameters: {headerName: x-zone, labelKey: zone}}, {name: listed, type: header-based-testing-filter}]`
	c := mustLoad(t, body)
	cluster := config.Cluster{Endpoints: 4, Attributes: []map[string]float64{{"near": 1}, {"near": 1, "listed": 1}, {"listed": 1}, nil}}
	b := scheduler.NewBuilder(parts, c, cluster, 1)
	got := planted{b, b.Scheduler(parts, c)}.Decide(idle(4), request(0, 1))
	if diff := cmp.Diff([]int{1, 2}, got.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 0}, got.Scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}
