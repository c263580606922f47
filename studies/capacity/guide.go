// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the published table
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// guideTable is what llm-d's guide "optimized baseline" published in June 2026, figures
// only (llm-d/llm-d, guides/optimized-baseline/README.md at 021723b8, Apache-2.0).
//
//go:embed guide.csv
var guideTable string

// guideProfile is the EPP configuration of that guide.
const guideProfile = `
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: no-hit-lru-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: no-hit-lru-scorer, weight: 2}
`

// newGuide simulates the guide: the sample's cluster and traffic with an engine of 2026,
// behind the EPP and behind a Service. The KV cache is this many times as large.
func newGuide(sample string, cache int32) (*benchmark, error) {
	b := &benchmark{profiles: []string{"optimized", "service"}, before: map[string]float64{"optimized": 10861, "service": 5493}}
	var err error
	if b.published, err = parseStages(strings.NewReader(guideTable), b.profiles); err != nil {
		return nil, fmt.Errorf("guide.csv: %w", err)
	}
	b.ours, err = simulateLike(b.published, b.profiles, sample, uncalibrated, asInGuide, func(sweep *v1alpha1.PolicySweep) {
		*sweep.Spec.Scenario.Pools[0].KVCache.Blocks *= cache
	})
	return b, err
}

func asInGuide(sweep *v1alpha1.PolicySweep) {
	pool := &sweep.Spec.Scenario.Pools[0]
	pool.Engine = v1alpha1.Engine{Version: "0.19"}
	*pool.KVCache.Blocks *= 4 // blocks of 16 tokens
	sweep.Spec.Baseline = nil
	sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "router", Path: "router", Alternatives: []v1alpha1.Alternative{
		{Name: "optimized", Router: &v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Version: "router-v0.9", Inline: ptr.To(guideProfile)}}},
		{Name: "service", Router: &v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "round-robin"}}}},
	}}}
	manifest.Default(sweep)
}
