// SPDX-License-Identifier: Apache-2.0

package query

import "testing"

func TestRequirements(t *testing.T) {
	for text, tc := range map[string]struct {
		Requirement
		a, b, none bool // whether values match
	}{
		"l=a":         {Requirement{"l", In, []string{"a"}}, true, false, false},
		"l in (a,b)":  {Requirement{"l", In, []string{"a", "b"}}, true, true, false},
		"l notin (a)": {Requirement{"l", NotIn, []string{"a"}}, false, true, true},
		"l":           {Requirement{"l", Exists, nil}, true, true, false},
		"!l":          {Requirement{"l", DoesNotExist, nil}, false, false, true},
	} {
		if got := tc.String(); got != text {
			t.Errorf("%v is written %s, want %s", tc.Requirement, got, text)
		}
		if a, b, none := tc.matches("a"), tc.matches("b"), tc.matches(""); a != tc.a || b != tc.b || none != tc.none {
			t.Errorf("%s matches a: %t, b: %t, no value: %t", text, a, b, none)
		}
	}
}
