// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A curve in the catalogue stands in for the formula among as many GPUs only.
func TestCatalogueHasMeasuredAllReduces(t *testing.T) {
	for name, want := range map[string][]int{
		"a100-sxm": {2, 4, 8}, "h100-sxm": {2, 4, 8}, "h200-sxm": {2, 4, 8}, "b200-sxm": {2, 4, 8},
		"gb200": {2, 4}, "b300-sxm": {2, 4, 8}, "gb300": {2, 4}, "gh200": nil, "l4": nil, "l40s": {2, 4, 8}, "rtx-pro-6000": {2, 4, 8}, "h20": nil, "rtx-4090": nil,
	} {
		var measured []int
		for gpus := 1; gpus <= 16; gpus++ {
			i := instance(t, "Llama-3.1-8B", name, gpus)
			if c := i.DefaultRoofline(); len(c.AllReduce) > 0 {
				measured = append(measured, gpus)
			} else if c.LinkEfficiency != defaultLinkEfficiency {
				t.Errorf("%s: a share of %v of the link", name, c.LinkEfficiency)
			}
		}
		if diff := cmp.Diff(want, measured); diff != "" {
			t.Errorf("%s: measured among (−want +got):\n%s", name, diff)
		}
	}
}

func TestEntryCurveValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		curves []AllReduceCurve
		want   []string // the faulty fields
	}{
		"one":          {[]AllReduceCurve{{TensorParallelism: 2, Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}}}, nil},
		"of one GPU":   {[]AllReduceCurve{{TensorParallelism: 1, Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}}}, []string{"x[0].tensorParallelism"}},
		"a time short": {[]AllReduceCurve{{TensorParallelism: 2, Bytes: []int64{1, 2}, Microseconds: []float64{3}}}, []string{"x[0].microseconds"}},
		"one point":    {[]AllReduceCurve{{TensorParallelism: 2, Bytes: []int64{1}, Microseconds: []float64{3}}}, []string{"x[0].bytes"}},
		"falling sizes, no time": {[]AllReduceCurve{{TensorParallelism: 2, Bytes: []int64{2, 1}, Microseconds: []float64{3, 0}}},
			[]string{"x[0].bytes[1]", "x[0].microseconds[1]"}},
		"twice": {[]AllReduceCurve{
			{TensorParallelism: 2, Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
			{TensorParallelism: 2, Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
		}, []string{"x[1].tensorParallelism"}},
		"of two engines": {[]AllReduceCurve{
			{TensorParallelism: 2, EngineVersion: "0.14", Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
			{TensorParallelism: 2, EngineVersion: "0.19.1", Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
		}, nil},
		"of an unknown engine, and one twice": {[]AllReduceCurve{
			{TensorParallelism: 2, EngineVersion: "1.4", Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
			{TensorParallelism: 4, EngineVersion: "0.19", Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
			{TensorParallelism: 4, EngineVersion: "0.19.1", Bytes: []int64{1, 2}, Microseconds: []float64{3, 4}},
		}, []string{"x[0].engineVersion", "x[2].tensorParallelism"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range validateCurves(tc.curves, field.NewPath("x")) {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faulty fields (−want +got):\n%s", diff)
			}
		})
	}
}
