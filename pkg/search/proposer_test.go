// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

// spellers propose a word that has one letter more of the target than its parent, and the
// parent itself, which was tried.
type speller struct {
	letters
	target string
	asked  *[]search.Inquiry
}

func (s speller) Propose(inquiries []search.Inquiry) [][]search.Proposed {
	*s.asked = append(*s.asked, inquiries...)
	answers := make([][]search.Proposed, len(inquiries))
	for i, inquiry := range inquiries {
		best := inquiry.Parents[0].Value
		answers[i] = []search.Proposed{{Value: best}, {Value: "other", Parent: 99}}
		for at := range s.target {
			if best[at] != s.target[at] {
				child := best[:at] + s.target[at:at+1] + best[at+1:]
				answers[i] = append(answers[i], search.Proposed{Value: child, Changes: []string{fmt.Sprint("letter ", at)}})
				break
			}
		}
	}
	return answers
}

func TestProposedChildrenComeFirst(t *testing.T) {
	var asked []search.Inquiry
	p := islandProblems()["texts"]
	p.Space.Parameters[0].Genome = speller{letters{"zzzzz"}, "hello", &asked}
	p.Settings.Generation, p.Settings.MaxTrials = 9, 90
	a := mustNew(t, p)
	told := play(t, a, spelling("hello"))
	points := slices.Concat(told...)
	if at := slices.IndexFunc(points, func(trial search.Trial) bool { return trial.Point[0] == "hello" }); at < 0 || at > 80 {
		t.Errorf("the target is trial %d of %d", at, len(points))
	}
	for _, inquiry := range asked {
		if inquiry.Generation == 0 || inquiry.Count != 3 || len(inquiry.Parents) == 0 || len(inquiry.Parents) > 4 || len(inquiry.Parents[0].Losses) != 1 {
			t.Fatalf("inquiry %+v", inquiry)
		}
	}
	// Told the same, a search with the same proposals goes on in the same way.
	resumed := mustNew(t, p)
	for _, trials := range told[:4] {
		resumed.Tell(trials)
	}
	var want []search.Proposal
	for _, trial := range told[4] {
		want = append(want, trial.Proposal)
	}
	if diff := cmp.Diff(want, resumed.Ask()); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}
