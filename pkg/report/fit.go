// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"windtunnel.dev/windtunnel/internal/figure"
)

// section is a part of a report in Markdown: what comes before the first heading of level 2 and has
// no title, or a heading with what follows.
type section struct{ title, text string }

// Fit shortens a report in Markdown to a number of characters. Comments on pull requests have such
// limits. It leaves out whole sections, the longest first, and says which. The title and the verdict
// stay: it is an error if they do not fit.
func Fit(markdown string, most int) (string, error) {
	length := utf8.RuneCountInString(markdown)
	if length <= most {
		return markdown, nil
	}
	kept := sections(markdown)
	var left []string
	for {
		text := join(kept) + leftOut(left, length)
		if utf8.RuneCountInString(text) <= most {
			return text, nil
		}
		longest := 0
		for i := 1; i < len(kept); i++ {
			if longest == 0 || len(kept[i].text) > len(kept[longest].text) {
				longest = i
			}
		}
		if longest == 0 {
			return "", fmt.Errorf("the title and the verdict of the report have %d characters, and %d are allowed", utf8.RuneCountInString(text), most)
		}
		left = append(left, kept[longest].title)
		kept = slices.Delete(kept, longest, longest+1)
	}
}

// leftOut says what a report lacks, and how long the whole one is.
func leftOut(titles []string, length int) string {
	if len(titles) == 0 {
		return ""
	}
	return fmt.Sprintf("*The report has %d characters, which is too long for this place. It lacks %s: %s.*\n",
		length, figure.Plural(len(titles), "section"), strings.Join(titles, "; "))
}

func join(all []section) string {
	var text strings.Builder
	for _, s := range all {
		text.WriteString(s.text)
	}
	return text.String()
}

// sections splits a report at its headings of level 2; the first section has no title. A line in a
// fenced block is no heading.
func sections(markdown string) []section {
	all := []section{{}}
	fence := ""
	for line := range strings.Lines(markdown) {
		bare := strings.TrimRight(line, "\r\n")
		ticks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		title, isHeading := strings.CutPrefix(bare, "## ")
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && len(ticks) >= len(fence) && ticks == bare:
			fence = ""
		case fence == "" && isHeading:
			all = append(all, section{title: title})
		}
		all[len(all)-1].text += line
	}
	return all
}
