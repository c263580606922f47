// SPDX-License-Identifier: Apache-2.0

package propose_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/search"
)

func TestAJournalAnswersAllInquiriesOrNone(t *testing.T) {
	first, second := inquiry(t), inquiry(t)
	second.Island = 0
	tree := canonical(t, "routing: {decisionTree: {root: {value: 2}}}")
	j := propose.Journal{}
	j.Add([]propose.Entry{{Generation: 2, Island: 1, Policies: []propose.Kept{{Bundle: tree, Parent: 1, Note: "more"}}}})
	if got := j.Answers([]search.Inquiry{first, second}); got != nil {
		t.Errorf("half of the answers are %v", got)
	}
	j.Add([]propose.Entry{{Generation: 2, Error: "down"}})
	want := [][]search.Proposed{{{Value: tree, Parent: 1, Changes: []string{"proposed: more"}}}, nil}
	if diff := cmp.Diff(want, j.Answers([]search.Inquiry{first, second})); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

func TestEntriesThatNoClientKeeps(t *testing.T) {
	tree := canonical(t, "routing: {decisionTree: {root: {value: 2}}}")
	entry := func(change func(*propose.Entry)) []propose.Entry {
		e := propose.Entry{Generation: 2, Island: 1, Policies: []propose.Kept{{Bundle: tree}}}
		change(&e)
		return []propose.Entry{e}
	}
	for name, tc := range map[string]struct {
		entries []propose.Entry
		want    string
	}{
		"a good one":          {entry(func(*propose.Entry) {}), ""},
		"none":                {nil, "0 entries for 1 inquiries"},
		"another generation":  {entry(func(e *propose.Entry) { e.Generation = 3 }), "does not answer generation 2, island 1"},
		"more than wanted":    {entry(func(e *propose.Entry) { e.Policies = make([]propose.Kept, 4) }), "does not answer"},
		"more dropped":        {entry(func(e *propose.Entry) { e.Dropped = make([]string, 9) }), "does not answer"},
		"a parent beyond":     {entry(func(e *propose.Entry) { e.Policies[0].Parent = 2 }), "has parent 2 of 2"},
		"a long note":         {entry(func(e *propose.Entry) { e.Policies[0].Note = strings.Repeat("x", 201) }), "has a note that is not one line of at most 200 bytes"},
		"a note of ANSI":      {entry(func(e *propose.Entry) { e.Policies[0].Note = "\x1b[2JPASS" }), "has a note that is not one line"},
		"a note of lines":     {entry(func(e *propose.Entry) { e.Policies[0].Note = "a\nb" }), "has a note that is not one line"},
		"a reason of ANSI":    {entry(func(e *propose.Entry) { e.Dropped = []string{"\x1b[2JPASS"} }), "entry 0 has a reason that is not one line"},
		"an error of ANSI":    {entry(func(e *propose.Entry) { e.Error = "\u202ePASS" }), "entry 0 has a reason that is not one line"},
		"a large policy":      {entry(func(e *propose.Entry) { e.Policies[0].Bundle = strings.Repeat("x", 17<<10) }), "has 17408 bytes, and may have 16384"},
		"no bundle":           {entry(func(e *propose.Entry) { e.Policies[0].Bundle = "{}" }), "apiVersion"},
		"no canonical bundle": {entry(func(e *propose.Entry) { e.Policies[0].Bundle += " " }), "is not in canonical form"},
	} {
		t.Run(name, func(t *testing.T) {
			err := propose.Check(tc.entries, []search.Inquiry{inquiry(t)})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestWhatIsPacked(t *testing.T) {
	entries := []propose.Entry{{Generation: 1, Policies: []propose.Kept{{Bundle: "<b>"}}}, {Generation: 1, Island: 1, Error: "down"}}
	packed, raw := propose.Pack(entries)
	var got []propose.Entry
	again, err := propose.Unpack(packed, &got)
	if diff := cmp.Diff(entries, got); err != nil || diff != "" || string(again) != string(raw) {
		t.Errorf("%v (−want +got):\n%s", err, diff)
	}
	bomb, _ := propose.Pack(strings.Repeat("x", 9<<20))
	for name, packed := range map[string][]byte{"no gzip": []byte("x"), "cut off": packed[:len(packed)-9], "a bomb": bomb} {
		if _, err := propose.Unpack(packed, &got); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
