// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQuantitiesAsNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"5000": 5000, "1k": 1000, "1Ki": 1024, "1.5Gi": 3 << 29, "1G": 1e9, "2e3": 2000, "1E": 1e18, "100m": 1, "2500m": 3, "0": 0, "1.": 1, ".5k": 500, "-1": -1, "20E": 1<<63 - 1,
	} {
		q := quantity(text)
		if got := q.value(); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

func TestDefaultsOfFlowControl(t *testing.T) {
	band := func(priority int, requests, bytes int64) bandSettings {
		return bandSettings{priority, requests, bytes, globalStrictFairnessPolicyType, fcfsOrderingPolicyType}
	}
	for name, tc := range map[string]struct {
		section string
		of      release
		want    flowSettings
	}{
		"main": {"{}", routerMain, flowSettings{
			ttl: time.Minute, emptyTTL: time.Minute, positive: band(0, 5000, 1e9), negative: band(0, 5000, 1e9), limit: staticUsageLimitPolicyType,
		}},
		"before v0.10 there is no bound of requests, nor a TTL": {"{}", router09, flowSettings{
			positive: band(0, 0, 1e9), negative: band(0, 0, 1e9), limit: staticUsageLimitPolicyType,
		}},
		"0 is the default for a band, and no bound for all": {"{maxRequests: 0, defaultPriorityBand: {maxRequests: 0, maxBytes: 0}}", routerMain, flowSettings{
			ttl: time.Minute, emptyTTL: time.Minute, positive: band(0, 5000, 1e9), negative: band(0, 5000, 1e9), limit: staticUsageLimitPolicyType,
		}},
		"the TTL without endpoints follows": {"{defaultRequestTTL: 5s}", routerMain, flowSettings{
			ttl: 5 * time.Second, emptyTTL: 5 * time.Second, positive: band(0, 5000, 1e9), negative: band(0, 5000, 1e9), limit: staticUsageLimitPolicyType,
		}},
		"all of it": {
			"{maxRequests: 10, maxBytes: 1Ki, defaultRequestTTL: 0s, noEndpointRequestTTL: 9s, usageLimitPolicyPluginRef: l, enableEviction: true, " +
				"defaultPriorityBand: {maxRequests: 1}, defaultNegativePriorityBand: {maxRequests: 2}, priorityBands: [{priority: 7, maxRequests: 3, maxBytes: 4, fairnessPolicyRef: f, orderingPolicyRef: o}]}",
			routerMain, flowSettings{
				maxRequests: 10, maxBytes: 1024, emptyTTL: 9 * time.Second, positive: band(0, 1, 1e9), negative: band(0, 2, 1e9),
				bands: []bandSettings{{7, 3, 4, "f", "o"}}, limit: "l", evicts: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, someBands(t, tc.section, tc.of), cmp.AllowUnexported(flowSettings{}, bandSettings{})); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// The effective configuration spells the section out, and means the same.
func TestFlowControlIsSpeltOut(t *testing.T) {
	c := mustLoad(t, "featureGates: [flowControl]\nplugins: [{type: round-robin-fairness-policy}]\nflowControl: {priorityBands: [{priority: 3, fairnessPolicyRef: round-robin-fairness-policy, maxRequests: 1k}]}")
	text := marshal(t, c)
	for _, want := range []string{
		`"defaultRequestTTL":"1m0s"`, `"noEndpointRequestTTL":"1m0s"`, `"usageLimitPolicyPluginRef":"static-usage-limit-policy"`,
		`"defaultPriorityBand":{"priority":0,"maxBytes":"1000000000","maxRequests":"5000","fairnessPolicyRef":"global-strict-fairness-policy","orderingPolicyRef":"fcfs-ordering-policy"}`,
		`"priorityBands":[{"priority":3,"maxBytes":"1000000000","maxRequests":"1000","fairnessPolicyRef":"round-robin-fairness-policy","orderingPolicyRef":"fcfs-ordering-policy"}]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	again, errs := Load([]byte(text), "router-main", inline)
	if len(errs) > 0 || marshal(t, again) != text {
		t.Errorf("%v, or another text", errs)
	}
}
