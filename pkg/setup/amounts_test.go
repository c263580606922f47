// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func TestBuildAmounts(t *testing.T) {
	tests := map[string]struct {
		in   v1alpha1.Amounts
		want workload.Lengths
	}{
		"a constant": {v1alpha1.Amounts{Distribution: "Constant", Mean: "3", Min: 1}, workload.Lengths{Distribution: stats.Constant{Value: 3}, Min: 1, Max: 64}},
		"uniform":    {v1alpha1.Amounts{Distribution: "Uniform", Min: 2, Max: ptr.To[int32](4)}, workload.Lengths{Distribution: stats.Uniform{Low: 1.5, High: 4.5}, Min: 2, Max: 4}},
		"normal":     {v1alpha1.Amounts{Distribution: "Normal", Mean: "3", StdDev: "1", Min: 1}, workload.Lengths{Distribution: stats.Normal{Mean: 3, StdDev: 1}, Min: 1, Max: 64}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := buildAmounts(tc.in, 64, field.NewPath("count"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("amounts (−want +got):\n%s", diff)
			}
		})
	}
}

func TestAmountsAreChecked(t *testing.T) {
	tests := map[string]struct {
		in   v1alpha1.Amounts
		want string
	}{
		"a constant without a mean":          {v1alpha1.Amounts{Distribution: "Constant", Min: 1}, "count.mean: Required value: distribution Constant takes it"},
		"a constant with a spread":           {v1alpha1.Amounts{Distribution: "Constant", Mean: "1", StdDev: "1", Min: 1}, "count.stdDev: Forbidden: distribution Constant does not take it"},
		"a log-normal without a spread":      {v1alpha1.Amounts{Distribution: "LogNormal", Mean: "1", Min: 1}, "count.stdDev: Required value: distribution LogNormal takes it"},
		"uniform without an end":             {v1alpha1.Amounts{Distribution: "Uniform", Min: 1}, "count.max: Required value: distribution Uniform takes it"},
		"uniform with a mean":                {v1alpha1.Amounts{Distribution: "Uniform", Mean: "1", Min: 1, Max: ptr.To[int32](2)}, "count.mean: Forbidden: distribution Uniform does not take it"},
		"more than there may be":             {v1alpha1.Amounts{Distribution: "Constant", Mean: "1", Min: 1, Max: ptr.To[int32](65)}, "count.max: Invalid value: 65: must be at most 64"},
		"a mean of more than there may be":   {v1alpha1.Amounts{Distribution: "Constant", Mean: "65", Min: 1}, `count.mean: Invalid value: "65": must be at most 64`},
		"at least more than there may be":    {v1alpha1.Amounts{Distribution: "Constant", Mean: "1", Min: 65}, "count.min: Invalid value: 65: must be at most 64"},
		"at least more than what is at most": {v1alpha1.Amounts{Distribution: "Constant", Mean: "1", Min: 3, Max: ptr.To[int32](2)}, "count.min: Invalid value: 3: must be at most 2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := buildAmounts(tc.in, 64, field.NewPath("count"))
			if len(errs) != 1 || errs[0].Error() != tc.want {
				t.Errorf("got %v, want %s", errs, tc.want)
			}
		})
	}
}
