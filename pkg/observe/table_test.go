// SPDX-License-Identifier: Apache-2.0

package observe

import "testing"

// TestBucketsOfSeveralHours: the mean of quantiles lies between the means of the bounds.
func TestBucketsOfSeveralHours(t *testing.T) {
	in := func(low, high float64) *Check { return &Check{Bucket: &Bucket{low, &high}} }
	above := &Check{Bucket: &Bucket{Low: 10}}
	for name, tc := range map[string]struct {
		checks []*Check
		want   string
	}{
		"one hour":                     {[]*Check{in(0.25, 0.5)}, "250 to 500"},
		"one bucket in all hours":      {[]*Check{in(0.1, 0.25), in(0.1, 0.25), in(0.1, 0.25)}, "100 to 250"},
		"another bucket in each hour":  {[]*Check{in(0.1, 0.25), in(0.25, 0.5)}, "175 to 375"},
		"an hour beyond the bounds":    {[]*Check{in(5, 10), above}, "above 7500"},
		"all hours beyond the bounds":  {[]*Check{above, above}, "above 10000"},
		"a measure that is a mean":     {[]*Check{{}, {}}, ""},
		"an hour without a bucket too": {[]*Check{in(5, 10), {}}, ""},
	} {
		ms := shown{factor: 1000}
		if got := ms.between(meanBucket(tc.checks)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
