// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// waiting are jobs in order of arrival.
var waiting = []Job{
	{Turn: 0, PromptTokens: 4000, PredictedTokens: 10, Priority: 0, Deadline: 50, Tenant: 0},
	{Turn: 1, PromptTokens: 20, PredictedTokens: 9000, Priority: -1, Tenant: 1},
	{Turn: 2, PromptTokens: 300, PredictedTokens: 40, Priority: 7, Deadline: 20, Tenant: 2},
	{Turn: 3, PromptTokens: 20, PredictedTokens: 320, Priority: 7, Tenant: 1},
	{Turn: 4, PromptTokens: 4000, PredictedTokens: 10, Priority: 0, Deadline: 20, Tenant: 0},
}

// expectOrder checks in which order the jobs of waiting, by index, are served.
func expectOrder(t *testing.T, s Scheduler, want ...int) {
	t.Helper()
	got := []int{0, 1, 2, 3, 4}
	slices.SortFunc(got, func(a, b int) int { return s.Compare(waiting[a], waiting[b], 0) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (−want +got):\n%s", diff)
	}
}

// expectVictim checks who of some running jobs gives way.
func expectVictim(t *testing.T, s Scheduler, running []Job, want int) {
	t.Helper()
	got := len(running) - 1
	if s.Victim != nil {
		got = s.Victim(&s, running, 0)
	}
	if got != want {
		t.Errorf("job %d gives way, want %d", got, want)
	}
}
