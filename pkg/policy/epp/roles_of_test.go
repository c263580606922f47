// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestRolesHaveNames(t *testing.T) {
	for _, known := range types {
		named := config.Roles(0)
		for i, name := range roleNames {
			if known.Roles&(1<<i) != 0 && slices.Contains(RolesOf(known.Name), name) {
				named |= 1 << i
			}
		}
		if named != known.Roles {
			t.Errorf("%s has roles %b, named are %b", known.Name, known.Roles, named)
		}
	}
	for name, want := range map[string][]string{
		queueScorer.Name:                  {"scorer"},
		contextLengthAware.Name:           {"filter", "scorer"},
		config.FCFSOrderingPolicyType:     {"flow control", "ordering policy"},
		config.StaticUsageLimitPolicyType: {"flow control", "usage limit policy"},
		"no-such-plugin":                  nil,
	} {
		if diff := cmp.Diff(want, RolesOf(name)); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}
