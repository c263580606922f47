// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/report"
)

// diff is a change of a file, line by line.
type diff struct {
	Title string
	Lines []diffLine
}

// diffLine is a line with a class of the style. Its first character says what the class does, for
// those who see no colours.
type diffLine struct{ Class, Text string }

func newDiff(of report.Diff) diff {
	d := diff{Title: upperFirst(of.Title)}
	for line := range strings.Lines(of.Text) {
		line = strings.TrimRight(line, "\n")
		class := "same"
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			class = "place"
		case strings.HasPrefix(line, "+"):
			class = "added"
		case strings.HasPrefix(line, "-"):
			class = "removed"
		}
		d.Lines = append(d.Lines, diffLine{class, line})
	}
	return d
}
