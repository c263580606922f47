// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

func TestTheBaselineIsTriedOnceAndFirst(t *testing.T) {
	tests := map[string]struct {
		baseline search.Values
		want     [][]search.Values
	}{
		"proposed anyway":      {search.Values{"2"}, [][]search.Values{{{"1"}, {"2"}}, {{"3"}}}},
		"proposed later":       {search.Values{"3"}, [][]search.Values{{{"1"}, {"2"}, {"3"}}, {{"3"}}}},
		"on no axis, so never": {search.Values{"2.5"}, [][]search.Values{{{"1"}, {"2"}, {"2.5"}}, {{"3"}}}},
	}
	for name, tc := range tests {
		p := problemOf(search.Grid, spaceOf(stepped("a", "1", "3", "1")), 3)
		p.Settings.Generation, p.Baseline = 2, tc.baseline
		a := mustNew(t, p)
		var got [][]search.Values
		for len(a.Ask()) > 0 {
			got = append(got, generation(a))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: generations (−want +got):\n%s", name, diff)
		}
	}
}
