// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"unicode/utf8"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/pkg/experiment"
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

func TestSome(t *testing.T) {
	for want, words := range map[string][]string{
		"":                    nil,
		"a":                   {"a"},
		"a; b; c":             {"a", "b", "c"},
		"a; b; c; and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := some(words); got != want {
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

func TestThePlanCacheForgetsWhatWasUsedLongestAgo(t *testing.T) {
	plan := func(seeds int) *experiment.Plan { return &experiment.Plan{Seeds: make([]int64, seeds)} }
	size := func(seeds int) int { return len(plan(seeds).Encode()) }
	c := newPlanCache(2*size(4) + 1)
	c.put("a", plan(4))
	c.put("b", plan(4))
	c.get("a")
	c.put("c", plan(4))
	if c.get("a") == nil || c.get("b") != nil || c.get("c") == nil || c.used != 2*size(4) {
		t.Errorf("it holds %v, %d bytes", c.recent, c.used)
	}
	c.put("large", plan(1000))
	if c.get("large") == nil || len(c.plans) != 1 || c.used != size(1000) {
		t.Errorf("it holds %v, %d bytes", c.recent, c.used)
	}
	c.put("large", plan(1000))
	if c.used != size(1000) {
		t.Errorf("a plan counts twice: %d bytes", c.used)
	}
}
