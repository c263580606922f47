// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

var missing = math.NaN()

// pinnedOn plants a scheduler for endpoints with one attribute, missing where it
// is NaN.
func pinnedOn(t *testing.T, body, attribute string, values ...float64) (planted, *config.Config, *config.Cluster) {
	t.Helper()
	c := mustLoad(t, body)
	cluster := config.Cluster{Endpoints: len(values), Attributes: make([]map[string]float64, len(values))}
	for e, value := range values {
		if !math.IsNaN(value) {
			cluster.Attributes[e] = map[string]float64{attribute: value}
		}
	}
	b := scheduler.NewBuilder(parts, c, cluster, 1)
	return planted{b, b.Scheduler(parts, c)}, c, &cluster
}

func TestEndpointAttributeScorer(t *testing.T) {
	for _, tc := range []struct {
		name      string
		algorithm string
		values    []float64
		want      []float64
	}{
		{"lower is better, over the candidates", "{type: linear_lower_is_better}", []float64{10, 30, 15}, []float64{1, 0, 0.75}},
		{"higher is better", "{type: linear_higher_is_better, normalization: {adaptiveRange: {}}}", []float64{10, 30, 15}, []float64{0, 1, 0.25}},
		{"all equal", "{type: linear_lower_is_better}", []float64{7, missing, 7}, []float64{1, 0, 1}},
		{"one without it takes no part in the range", "{type: linear_higher_is_better}", []float64{missing, 20, 10}, []float64{0, 1, 0}},
		{"nobody has it", "{type: linear_higher_is_better}", []float64{missing, missing}, []float64{0, 0}},
		{"a fixed range clamps", "{type: linear_lower_is_better, normalization: {fixedRange: {min: 0, max: 10}}}", []float64{-5, 2, 50, missing}, []float64{1, 0.8, 0, 0}},
		{"equal values in a fixed range", "{type: linear_higher_is_better, normalization: {fixedRange: {min: 0, max: 10}}}", []float64{2, 2}, []float64{0.2, 0.2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := "plugins: [{type: endpoint-attribute-scorer, parameters: {attributeKey: GPUUtilization, producer: dcgm-extractor, algorithm: " + tc.algorithm + "}}]"
			p, _, _ := pinnedOn(t, body, "GPUUtilization", tc.values...)
			got := p.Decide(idle(len(tc.values)), request(0, 1)).Scores
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndpointAttributeFilter(t *testing.T) {
	for _, tc := range []struct {
		name       string
		parameters string
		want       []int
	}{
		{"less", "algorithm: {type: threshold, threshold: {operator: LessThan, value: 2}}", []int{0, 3}},
		{"at most", "algorithm: {type: threshold, threshold: {operator: LessThanOrEqual, value: 2}}", []int{0, 1, 3}},
		{"more", "algorithm: {type: threshold, threshold: {operator: GreaterThan, value: 2}}", []int{2, 3}},
		{"at least", "algorithm: {type: threshold, threshold: {operator: GreaterThanOrEqual, value: 2}}", []int{1, 2, 3}},
		{"equal", "algorithm: {type: threshold, threshold: {operator: Equal, value: 2}}", []int{1, 3}},
		{"not equal", "algorithm: {type: threshold, threshold: {operator: NotEqual, value: 2}}", []int{0, 2, 3}},
		{"the missing one fails", "onMissing: Fail, algorithm: {type: threshold, threshold: {operator: Equal, value: 2}}", []int{1}},
		{"none is left", "onMissing: Fail, algorithm: {type: threshold, threshold: {operator: Equal, value: 9}}", []int{}},
		{"all come back", "onMissing: Fail, fallbackOnEmpty: true, algorithm: {type: threshold, threshold: {operator: Equal, value: 9}}", []int{0, 1, 2, 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _, _ := pinnedOn(t, "plugins: [{type: endpoint-attribute-filter, parameters: {attribute: slots, "+tc.parameters+"}}]", "slots", 1, 2, 3, missing)
			if diff := cmp.Diff(tc.want, p.Decide(idle(4), request(0, 1)).Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// Two producers may give one name to different numbers.
func TestAttributesMayNameTheirProducer(t *testing.T) {
	pinned := map[string]float64{"load": 1, "load/dcgm-extractor": 2}
	for _, tc := range []struct {
		name attributeName
		want float64
	}{
		{configuredAttribute("load", nil), 1},
		{attributeName{"load", "dcgm-extractor"}, 2},
		{attributeName{"load", ""}, 1},
	} {
		if got, ok := tc.name.Of(pinned); !ok || got != tc.want {
			t.Errorf("%+v: %v, %t, want %v", tc.name, got, ok, tc.want)
		}
	}
	if _, ok := (attributeName{"power", ""}).Of(pinned); ok {
		t.Error("an attribute that nobody states is found")
	}
}

func TestMulticlusterScorersReadPinnedAttributes(t *testing.T) {
	const body = `
plugins: [{type: %s}, {type: multicluster-metrics-extractor}, {type: multicluster-metrics-data-source}]
dataLayer: {sources: [{pluginRef: multicluster-metrics-data-source, extractors: [{pluginRef: multicluster-metrics-extractor}]}]}`
	for _, tc := range []struct {
		scorer, attribute string
		values, want      []float64
	}{
		{"multicluster-queue-scorer", poolQueueSize.name, []float64{2.5, 10, missing, 5}, []float64{1, 0, 0, 2.0 / 3}},
		{"multicluster-queue-scorer", poolQueueSize.name, []float64{3, missing, 3}, []float64{1, 0, 1}},
		{"multicluster-kv-cache-utilization-scorer", poolKVUsage.name, []float64{0.25, missing, 1}, []float64{0.75, 0, 0}},
	} {
		t.Run(tc.scorer, func(t *testing.T) {
			p, _, _ := pinnedOn(t, fmtBody(body, tc.scorer), tc.attribute, tc.values...)
			got := p.Decide(idle(len(tc.values)), request(0, 1)).Scores
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}
