// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A pool is split where another pool of its model has the other role.
func TestPoolsThatSplitRoles(t *testing.T) {
	const prefill, decode = v1alpha1.PrefillRole, v1alpha1.DecodeRole
	for name, tc := range map[string]struct {
		first, second v1alpha1.Role
		model         string
		want          bool
	}{
		"decode beside prefill":                {decode, prefill, "a", true},
		"prefill beside decode":                {prefill, decode, "a", true},
		"two of one role":                      {decode, decode, "a", false},
		"both roles beside prefill":            {v1alpha1.BothRole, prefill, "a", false},
		"prefill beside decode of another one": {prefill, decode, "b", false},
	} {
		in := &v1alpha1.Scenario{Pools: []v1alpha1.Pool{{Role: tc.first, Model: "a"}, {Role: tc.second, Model: tc.model}}}
		if got := splits(in, &in.Pools[0]); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
