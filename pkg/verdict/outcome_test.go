// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

func TestOutcomesHaveOneFormOfEachKind(t *testing.T) {
	type form struct {
		Word, Title, Verb, Sign, Class string
		ExitCode                       int
	}
	want := map[verdict.Outcome]form{
		"Pass":      {"pass", "Pass", "passes", "✔", "pass", 0},
		"Fail":      {"fail", "Fail", "fails", "✖", "fail", 1},
		"Unknown":   {"undecided", "Undecided", "is undecided", "?", "unknown", 3},
		"NotJudged": {"not judged", "Not judged", "is not judged", "–", "none", 0},
		"":          {"not judged", "Not judged", "is not judged", "–", "none", 0},
	}
	got := map[verdict.Outcome]form{}
	for _, o := range append([]verdict.Outcome{""}, verdict.Outcomes...) {
		got[o] = form{o.Word(), o.Title(), o.Verb(), o.Sign(), o.Class(), o.ExitCode()}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
