// SPDX-License-Identifier: Apache-2.0

package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The dropped one met two easy seeds; by their mean alone it would win.
func TestWhatADroppedCandidateMissedIsPredictedFromTheBest(t *testing.T) {
	goal := Effort{Share: 1, Seeds: 4}
	best := &Trial{Samples: [][]float64{{1, 5}, {2, 6}, {10, 7}, {20, 8}}}
	worse := &Trial{Samples: [][]float64{{3, 5}, {5, 5}}}
	got := predict(worse, goal, []*Trial{best})
	want := Trial{Proposal: Proposal{Effort: goal}, Samples: [][]float64{{3, 5}, {5, 5}, {12.5, 6.5}, {22.5, 7.5}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trial (−want +got):\n%s", diff)
	}
	if !better(*best, got) || better(*best, *worse) {
		t.Error("the prediction does not put the trials into their order")
	}
}
