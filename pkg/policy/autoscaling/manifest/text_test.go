// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKindsAndPlacesOfObjects(t *testing.T) {
	for name, tc := range map[string]struct {
		text    string
		kinds   []string
		located string
	}{
		"one object":        {"kind: ScaledObject\n", []string{"ScaledObject"}, "kind: ScaledObject\n"},
		"several":           {"kind: A\n---\nkind: ScaledObject\n---\nkind: B", []string{"A", "ScaledObject", "B"}, "\nkind: ScaledObject\n"},
		"one between marks": {"---\nkind: ScaledObject\n---\n", []string{"ScaledObject"}, "\nkind: ScaledObject\n"},
		"other objects":     {"kind: A\n", []string{"A"}, ""},
		"nothing":           {"# none\n", nil, ""},
		"values":            {"replicas: 3\n", nil, ""},
		"a text":            {"notes\n", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.kinds, Kinds([]byte(tc.text))); diff != "" {
				t.Errorf("kinds (−want +got):\n%s", diff)
			}
			start, end, ok := Locate(ScaledObject, []byte(tc.text))
			if got := tc.text[start:end]; got != tc.located || ok != (tc.located != "") {
				t.Errorf("the object is %q, %v, want %q", got, ok, tc.located)
			}
		})
	}
}
