// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// Each of several errors with long values keeps its reason.
func TestSpecErrorsKeepTheirReasons(t *testing.T) {
	var errs field.ErrorList
	for _, name := range []string{"a", "b", "c"} {
		errs = append(errs, field.Invalid(field.NewPath("spec", name), strings.Repeat("x", 2000), "must be a word, such as "+name))
	}
	got := specErrorsMessage(errs)
	for _, want := range []string{"must be a word, such as a; ", "must be a word, such as b; ", "must be a word, such as c"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestJoinFirst(t *testing.T) {
	for want, words := range map[string][]string{
		"":                    nil,
		"a":                   {"a"},
		"a; b; c":             {"a", "b", "c"},
		"a; b; c; and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := joinFirst(words); got != want {
			t.Errorf("some(%v) = %q, want %q", words, got, want)
		}
	}
}

func TestInIndexes(t *testing.T) {
	for _, tc := range []struct {
		list  *string
		index int
		want  bool
	}{
		{nil, 3, true},
		{ptr.To(""), 3, true},
		{ptr.To("3"), 3, true},
		{ptr.To("1,3-5,7"), 4, true},
		{ptr.To("1,3-5,7"), 6, false},
		{ptr.To("nonsense"), 6, false},
	} {
		if got := inIndexes(tc.list, tc.index); got != tc.want {
			t.Errorf("inIndexes(%q, %d) = %t, want %t", ptr.Deref(tc.list, ""), tc.index, got, tc.want)
		}
	}
}
