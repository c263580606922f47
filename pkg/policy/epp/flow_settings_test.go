// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
)

func TestQuantitiesAsNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"5000": 5000, "1k": 1000, "1Ki": 1024, "1.5Gi": 3 << 29, "1G": 1e9, "2e3": 2000, "1E": 1e18, "100m": 1, "2500m": 3, "0": 0, "1.": 1, ".5k": 500, "-1": -1,
		// What is too large for the EPP's quantities is 0, or negative where it is written in full.
		"20E": 0, "9223372036854775808": -1 << 63,
	} {
		q := document.Quantity(text)
		if got := q.Value(); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
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

// TestQuantityBeyond64Bits: 20E is 2×10¹⁹ = 20 × 10¹⁸, and apimachinery has 0 for all
// decimal ones of 10E and more; 18446744073709551617 = 2⁶⁴ + 1 loses its upper bits, 1 is
// left. 16Ei = 2⁶⁴ is cut off to 2⁶³ - 1, as good as no limit, which is no finding.
func TestQuantityBeyond64Bits(t *testing.T) {
	for value, want := range map[string]string{
		"20E": "20E does not fit in 64 bits and is replaced by 0", "18446744073709551617": "18446744073709551617 does not fit in 64 bits and is replaced by 1",
		"9E": "", "16Ei": "", "0": "", "1.5": "", "100m": "",
	} {
		text := mutantHeader + "featureGates: [flowControl]\n" + pluginList("queue-scorer") + "flowControl: {maxBytes: '" + value + "'}\n"
		for _, version := range []string{"router-v0.9.0", "router-v0.10.0", "router-main"} {
			verdict := Judge([]byte(text), version, nil)
			got := ""
			for _, n := range verdict.Notices {
				if n.Path.String() == "flowControl.maxBytes" {
					got = n.Text
				}
			}
			if verdict.Stage != config.Accepted || got != want {
				t.Errorf("%s, %s: %v %q, want %q", version, value, verdict.Stage, got, want)
			}
		}
	}
}
