// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func contextLabels(values ...string) []map[string]string {
	labels := unlabelled(len(values))
	for i, value := range values {
		if value != "" {
			labels[i] = map[string]string{"llm-d.ai/context-length-range": value}
		}
	}
	return labels
}

func TestContextLengthAwareScores(t *testing.T) {
	labels := contextLabels("", "0-2000", "1000-1000", "0-999", "2000-10000", "8000", "5-1", "a-b", "1-2-3", "-5-1000", " 0 - 2000 ", "1--5000")
	inRange := 0.3 + 0.7*(0.7/(1+0.2)+0.3*0.5)
	want := []float64{0.5, inRange, 1, 0.3 / (1 + 0.001), 0.3 / 2, 0, 0, 0, 0, 0, inRange, 0}
	got := plant(t, "plugins: [{type: context-length-aware}]", labels...).Decide(idle(len(labels)), request(0, 1000)).Scores
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%v: score %v, want %v", labels[i], got[i], want[i])
		}
	}
}

func TestContextLengthAwareFiltersWhereItIsToldTo(t *testing.T) {
	labels := contextLabels("", "0-2000", "1000-1000", "0-999", "1001-10000", "bad")
	for parameters, want := range map[string][]int{
		"{}":                      {0, 1, 2, 3, 4, 5},
		"{enableFiltering: true}": {0, 1, 2},
		"{enableFiltering: true, label: another}": {0, 1, 2, 3, 4, 5},
	} {
		got := plant(t, "plugins: [{type: context-length-aware, parameters: "+parameters+"}]", labels...).Decide(idle(len(labels)), request(0, 1000)).Candidates
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: candidates (-want +got):\n%s", parameters, diff)
		}
	}
	checkParameterFaults(t, "context-length-aware", "{label: ''}", `label: Required value: must name a label`)
}
