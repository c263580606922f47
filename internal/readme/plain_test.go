// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// banned are words and phrases that the pages do not use, and what to write
// instead.
var banned = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bbef(alls?|ell|allen)\b`), "what happens to the replica: it fails, drains or recovers"},
	{regexp.MustCompile(`(?i)\bbreath(e|es|ed|ing)\b`), "what the code does, such as: checks the context"},
	{regexp.MustCompile(`(?i)\bsway(s|ed)?\b`), "the sensitivity"},
	{regexp.MustCompile(`(?i)\blast ?words\b`), "the termination message"},
	{regexp.MustCompile(`(?i)\bstrangers?\b`), "a conflict, or an object of another owner"},
	{regexp.MustCompile(`^(Refused|Rejected|Counted|Kept) (is|are) `), "the subject first: two candidates with no order are rejected"},
	{regexp.MustCompile(`^Nothing (is|was) gained by\b`), "the subject first, and the measured effect"},
	{regexp.MustCompile(`(?i)\bof one's own\b`), "its own, beside the owner's name"},
	{regexp.MustCompile(`(?i)\bwhom?ever\b|\b(no|any|every)body\b`), "the user, the manager or the program that acts, or: no request, any endpoint"},
	{regexp.MustCompile(`(?i)\bwhat you promised\b|\b(keeps?|kept) (the|its|their|the same) promises?\b`), "meets the SLO"},
	{regexp.MustCompile(`(?i)\bpromises? (of|to|at|is|are)\b`), "the SLO"},
	{regexp.MustCompile(`(?i)\bturn(s|ed|ing)?( it| them| requests)? away\b`), "rejects"},
	{regexp.MustCompile(`(?i)\b(hears?|heard) (of|from|at|nothing|it)\b|\b(is|are) (heard|told)\b`), "receives events, or reads the data"},
	{regexp.MustCompile(`(?i)\bseldom meant\b`), "probably a mistake"},
	{regexp.MustCompile(`(?i)\bin silence\b|\bwithout a word\b`), "without a message"},
	{regexp.MustCompile(`(?i)\bhas a say\b`), "takes part, or works"},
	{regexp.MustCompile(`(?i)\bthe last (bit|word)\b`), "exactly"},
	{regexp.MustCompile(`(?i)\ball the same\b`), "still, or nevertheless"},
	{regexp.MustCompile(`(?i)\bfor want of\b|\bfor good\b`), "because it has no, or permanently"},
	{regexp.MustCompile(`(?i)\bgoes with it\b`), "is deleted with it"},
	{regexp.MustCompile(`(?i)\bwhat goes\b`), "the name of the thing that is deleted"},
}

// TestPagesSpeakPlainly looks for banned words in the prose of the pages.
func TestPagesSpeakPlainly(t *testing.T) {
	for _, page := range pages(t) {
		for _, fault := range notPlain(read(t, page)) {
			t.Errorf("%s:%s", page, fault)
		}
	}
}

func TestBannedPhrasesAreFoundInProseOnly(t *testing.T) {
	for text, faults := range map[string]int{
		"Two candidates with no order are rejected.":         0,
		"Refused are two of which the order is not clear.":   1,
		"The condition has the last words\nof the pod.":      1,
		"```\nthe last words of the pod\n```\n":              0,
		"```sh\nmake\n```\nA stranger has the name.":         1,
		"The pool keeps the promise at 80 requests a second": 2,
		"The router turns requests away.":                    1,
		"It turned the corner, and went away.":               0,
		"An index that nobody wires hears nothing.":          2,
	} {
		if got := notPlain(text); len(got) != faults {
			t.Errorf("%q has the faults %q, want %d", text, got, faults)
		}
	}
}

// notPlain returns a message for each banned phrase of a page, with the number of
// its line. It passes over fenced blocks: they show what programs print.
func notPlain(page string) []string {
	var faults []string
	number, fenced := 0, false
	for line := range strings.Lines(page) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		for _, b := range banned {
			if found := b.phrase.FindString(line); found != "" && !fenced {
				faults = append(faults, fmt.Sprintf("%d: %q: write %s", number, found, b.instead))
			}
		}
	}
	return faults
}

// pages are the Markdown files that users read, as paths from the root.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		name, err := filepath.Rel(root, path)
		all = append(all, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
