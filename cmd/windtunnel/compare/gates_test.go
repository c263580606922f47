// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestParseGate(t *testing.T) {
	for text, want := range map[string]v1alpha1.Gate{
		"ttft.p99<=+5%":                    {Name: "ttft.p99<=+5%", Metric: "ttft.p99", Operator: v1alpha1.AtMost, VersusBaseline: "+5%", Confidence: "0.9"},
		"goodput >= -1%":                   {Name: "goodput>=-1%", Metric: "goodput", Operator: v1alpha1.AtLeast, VersusBaseline: "-1%", Confidence: "0.9"},
		"goodput>=95%":                     {Name: "goodput>=95%", Metric: "goodput", Operator: v1alpha1.AtLeast, Value: "95%", Confidence: "0.9"},
		"ttft.p99{class=critical}<= 500ms": {Name: "ttft.p99{class=critical}<=500ms", Metric: "ttft.p99{class=critical}", Operator: v1alpha1.AtMost, Value: "500ms", Confidence: "0.9"},
	} {
		got, err := parseGate(text, "0.9")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (−want +got):\n%s", text, diff)
		}
	}
}
