// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"unicode/utf8"

	"k8s.io/utils/ptr"
)

func TestClipNeverCutsThroughACharacter(t *testing.T) {
	for _, text := range []string{"", "abc", "abcdef", "äöüäöüäöü", "日本語日本語"} {
		for most := 3; most < 20; most++ {
			got := clip(text, most)
			if len(got) > most || !utf8.ValidString(got) {
				t.Errorf("clip(%q, %d) = %q", text, most, got)
			}
			if len(text) <= most && got != text {
				t.Errorf("clip(%q, %d) = %q, want all of it", text, most, got)
			}
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
