// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRolesHaveNames(t *testing.T) {
	for _, known := range types {
		named := roles(0)
		for i, name := range roleNames {
			if known.roles&(1<<i) != 0 && slices.Contains(RolesOf(known.name), name) {
				named |= 1 << i
			}
		}
		if named != known.roles {
			t.Errorf("%s has roles %b, named are %b", known.name, known.roles, named)
		}
	}
	for name, want := range map[string][]string{
		queueScorer.name:           {"scorer"},
		contextLengthAware.name:    {"filter", "scorer"},
		fcfsOrderingPolicy.name:    {"flow control", "ordering policy"},
		staticUsageLimitPolicyType: {"flow control", "usage limit policy"},
		"no-such-plugin":           nil,
	} {
		if diff := cmp.Diff(want, RolesOf(name)); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}
