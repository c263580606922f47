// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The parts of a report, of which the last one is the longest.
var (
	verdictPart = "# A sweep\n\n**Fail**: gate ttft.\n\n"
	changesPart = "## What changes\n\n````diff\n```\n## not a heading\n" + strings.Repeat("- a\n", 60) + "````\n\n"
	gatesPart   = "## Gates\n\n| ü | Fail |\n" + strings.Repeat("| a | Pass |\n", 12) + "\n"
	basisPart   = "## What this rests on\n\n" + strings.Repeat("- Engine version 6.\n", 20)
	whole       = verdictPart + changesPart + gatesPart + basisPart
)

func TestFit(t *testing.T) {
	length := utf8.RuneCountInString(whole)
	without := func(titles string, kept ...string) string {
		return strings.Join(kept, "") + fmt.Sprintf("*The report has %d characters, which is too long for this place. It lacks %s.*\n", length, titles)
	}
	one := without("1 section: What this rests on", verdictPart, changesPart, gatesPart)
	two := without("2 sections: What this rests on; What changes", verdictPart, gatesPart)
	three := without("3 sections: What this rests on; What changes; Gates", verdictPart)
	for name, tc := range map[string]struct {
		most int
		want string
	}{
		"a report that fits exactly":       {most: length, want: whole},
		"a limit that is far away":         {most: 65536, want: whole},
		"one without the longest section":  {most: utf8.RuneCountInString(one), want: one},
		"one without the two longest":      {most: utf8.RuneCountInString(one) - 1, want: two},
		"one that has the verdict alone":   {most: utf8.RuneCountInString(three), want: three},
		"one whose limit is a bit greater": {most: utf8.RuneCountInString(three) + 3, want: three},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Fit(whole, tc.most)
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
			if n := utf8.RuneCountInString(got); n > tc.most {
				t.Errorf("%d characters, want at most %d", n, tc.most)
			}
		})
	}
	if text, err := Fit(whole, 20); err == nil {
		t.Errorf("a limit below the verdict has no error, but the report %q", text)
	}
}

// Whatever the report and the limit are, a report that fits has its beginning and is not too long.
func FuzzFit(f *testing.F) {
	f.Add(whole, 100)
	f.Add("## a\n```\n## b\n", 3)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if join(sections(text)) != text {
			t.Errorf("the sections are not the report")
		}
		got, err := Fit(text, most)
		if err == nil && (utf8.RuneCountInString(got) > most || !strings.HasPrefix(got, sections(text)[0].text)) {
			t.Errorf("%q for %d characters of %q", got, most, text)
		}
	})
}
