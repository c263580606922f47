// SPDX-License-Identifier: Apache-2.0

package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

func TestDefaultsOfFlowControl(t *testing.T) {
	band := func(priority int, requests, bytes int64) BandSettings {
		return BandSettings{Priority: priority, MaxRequests: requests, MaxBytes: bytes, Fairness: GlobalStrictFairnessPolicyType, Ordering: FCFSOrderingPolicyType}
	}
	for name, tc := range map[string]struct {
		section string
		of      version.Release
		want    FlowSettings
	}{
		"main": {"{}", version.RouterMain, FlowSettings{
			TTL: time.Minute, EmptyTTL: time.Minute, Positive: band(0, 5000, 1e9), Negative: band(0, 5000, 1e9), Limit: StaticUsageLimitPolicyType,
		}},
		"before v0.10 there is no bound of requests, nor a TTL": {"{}", version.Router09, FlowSettings{
			Positive: band(0, 0, 1e9), Negative: band(0, 0, 1e9), Limit: StaticUsageLimitPolicyType,
		}},
		"0 is the default for a band, and no bound for all": {"{maxRequests: 0, defaultPriorityBand: {maxRequests: 0, maxBytes: 0}}", version.RouterMain, FlowSettings{
			TTL: time.Minute, EmptyTTL: time.Minute, Positive: band(0, 5000, 1e9), Negative: band(0, 5000, 1e9), Limit: StaticUsageLimitPolicyType,
		}},
		"the TTL without endpoints follows": {"{defaultRequestTTL: 5s}", version.RouterMain, FlowSettings{
			TTL: 5 * time.Second, EmptyTTL: 5 * time.Second, Positive: band(0, 5000, 1e9), Negative: band(0, 5000, 1e9), Limit: StaticUsageLimitPolicyType,
		}},
		"all of it": {
			"{maxRequests: 10, maxBytes: 1Ki, defaultRequestTTL: 0s, noEndpointRequestTTL: 9s, usageLimitPolicyPluginRef: l, enableEviction: true, " +
				"defaultPriorityBand: {maxRequests: 1}, defaultNegativePriorityBand: {maxRequests: 2}, priorityBands: [{priority: 7, maxRequests: 3, maxBytes: 4, fairnessPolicyRef: f, orderingPolicyRef: o}]}",
			version.RouterMain, FlowSettings{
				MaxRequests: 10, MaxBytes: 1024, EmptyTTL: 9 * time.Second, Positive: band(0, 1, 1e9), Negative: band(0, 2, 1e9),
				Bands: []BandSettings{{Priority: 7, MaxRequests: 3, MaxBytes: 4, Fairness: "f", Ordering: "o"}}, Limit: "l", Evicts: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, someBands(t, tc.section, tc.of)); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// someBands is the settings of a section in YAML, for a release.
func someBands(t *testing.T, text string, of version.Release) FlowSettings {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	root, err := document.ParseJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	var section FlowControl
	if faults, _ := document.DecodeParameters(root, &section, version.RouterMain, true, nil); len(faults) > 0 {
		t.Fatal(faults)
	}
	return NewFlowSettings(&section, of)
}
