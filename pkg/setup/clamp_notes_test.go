// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestClampNotes(t *testing.T) {
	const same = ""
	for name, test := range map[string]struct {
		lengths v1alpha1.Lengths
		want    string
	}{
		"no bounds":        {v1alpha1.Lengths{Distribution: "LogNormal", Mean: "500", StdDev: "400", Min: 1}, same},
		"bounds far away":  {v1alpha1.Lengths{Distribution: "Normal", Mean: "500", StdDev: "50", Min: 100, Max: ptr.To[int32](900)}, same},
		"bounds that meet": {v1alpha1.Lengths{Distribution: "Uniform", Min: 100, Max: ptr.To[int32](900)}, same},
		"a constant":       {v1alpha1.Lengths{Distribution: "Constant", Mean: "500", Min: 1}, same},
		"a cut tail": {
			v1alpha1.Lengths{Distribution: "Exponential", Mean: "500", Min: 1, Max: ptr.To[int32](600)},
			// 500·(1 - e^-1.2) = 349.4
			"the mean is 500 tokens before min and max clamp lengths, and about 350 after",
		},
		"a raised floor": {
			v1alpha1.Lengths{Distribution: "Exponential", Mean: "100", Min: 100},
			// 100 + 100·e^-1 = 136.8
			"the mean is 100 tokens before min and max clamp lengths, and about 140 after",
		},
		"a heavy tail that is cut": {
			v1alpha1.Lengths{Distribution: "Pareto", Mean: "500", Shape: "1.5", Min: 1, Max: ptr.To[int32](1000)},
			// The scale is 166.7; 500 less 2·166.7^1.5·1000^-0.5 = 363.9
			"the mean is 500 tokens before min and max clamp lengths, and about 360 after",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.Workload{Clients: []v1alpha1.Client{{InputTokens: v1alpha1.Lengths{Distribution: "Constant", Mean: "1", Min: 1}, OutputTokens: test.lengths}}}
			var want []string
			if test.want != same {
				want = []string{"workload.clients[0].outputTokens: " + test.want}
			}
			if diff := cmp.Diff(want, clampNotes(in, field.NewPath("workload"))); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
