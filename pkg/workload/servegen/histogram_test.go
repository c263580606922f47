// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The published folders m-small, m-mid and m-large have the length 0 with a probability of some 1e-6. Without it,
// lengths 2 and 4 of probabilities 0.5 and 0.25 have 2/3 and 1/3.
func TestTheLengthZeroIsDropped(t *testing.T) {
	h, err := parseHistogram("{0: 0.25, 2: 0.5, 4: 0.25}")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(histogram{tokens: []int32{2, 4}, below: []float64{2.0 / 3, 1}, dropped: 0.25}, h, cmp.AllowUnexported(histogram{})); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
	if _, err := parseHistogram("{0: 1}"); err == nil || err.Error() != "has no length with a probability" {
		t.Errorf("the length 0 alone: %v", err)
	}
}
