// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"regexp"
	"strings"
	"testing"
)

// TestTheFirstVerdictIsThatOfTheTask compares the README's way to a first verdict with
// docs/tasks/first-verdict.md, whose commands and output are a test of the command: the same
// flags of init, which alone determine the verdict, and the same line of output.
func TestTheFirstVerdictIsThatOfTheTask(t *testing.T) {
	const task = "docs/tasks/first-verdict.md"
	initial := regexp.MustCompile(`(?s)windtunnel init (.*?) -o `)
	for _, place := range []*regexp.Regexp{initial, regexp.MustCompile(`(?m)^verdict: (.*)$`)} {
		got, want := one(t, "README.md", place), one(t, task, place)
		got = strings.Replace(got, "config/samples/tasks/values.yaml", "values.yaml", 1)
		if got != want {
			t.Errorf("the README has\n%s\nand %s has\n%s", got, task, want)
		}
	}
}

// one is what a regular expression finds first on a page, with single spaces.
func one(t *testing.T, page string, place *regexp.Regexp) string {
	t.Helper()
	match := place.FindStringSubmatch(read(t, page))
	if match == nil {
		t.Fatalf("%s has no %s", page, place)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(match[1], "\\\n", " ")), " ")
}

// TestTheReadmeIsShort holds the README to what a newcomer reads.
func TestTheReadmeIsShort(t *testing.T) {
	const most = 1200
	if words := len(strings.Fields(read(t, "README.md"))); words > most {
		t.Errorf("the README has %d words, want %d at most", words, most)
	}
}
