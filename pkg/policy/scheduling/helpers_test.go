// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// waiting are jobs in order of arrival.
var waiting = []Job{
	{PromptTokens: 4000, Priority: 0},
	{PromptTokens: 20, Priority: -1},
	{PromptTokens: 300, Priority: 7},
	{PromptTokens: 20, Priority: 7},
	{PromptTokens: 4000, Priority: 0},
}

// expectOrder checks in which order the jobs of waiting, by index, are served.
func expectOrder(t *testing.T, p Policy, want ...int) {
	t.Helper()
	got := []int{0, 1, 2, 3, 4}
	slices.SortStableFunc(got, func(a, b int) int { return cmp.Compare(p.Rank(waiting[a]), p.Rank(waiting[b])) })
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("order (−want +got):\n%s", diff)
	}
}
