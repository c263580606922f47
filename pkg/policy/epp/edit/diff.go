// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"fmt"
	"slices"
	"strings"
)

// Diff is the difference of two texts as diff -u prints it, "" for none.
func Diff(name, before, after string) string {
	if before == after {
		return ""
	}
	const around = 3
	script := lineScript(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	for i := 0; i < len(script); {
		if script[i].mark == ' ' {
			i++
			continue
		}
		first, last := max(0, i-around), i
		for j := i; j < len(script) && j <= last+2*around; j++ {
			if script[j].mark != ' ' {
				last = j
			}
		}
		end := min(len(script), last+around+1)
		writeHunk(&out, script, first, end)
		i = end
	}
	return out.String()
}

// A scriptLine is kept (blank), taken out (-) or put in (+).
type scriptLine struct {
	mark byte
	text string
}

func writeHunk(out *strings.Builder, script []scriptLine, first, end int) {
	oldLine, newLine := 1, 1
	count := func(lines []scriptLine) (before, after int) {
		for _, l := range lines {
			if l.mark != '+' {
				before++
			}
			if l.mark != '-' {
				after++
			}
		}
		return before, after
	}
	before, after := count(script[:first])
	oldLine, newLine = oldLine+before, newLine+after
	before, after = count(script[first:end])
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", oldLine, before, newLine, after)
	for _, l := range script[first:end] {
		fmt.Fprintf(out, "%c%s\n", l.mark, strings.TrimSuffix(l.text, "\n"))
		if !strings.HasSuffix(l.text, "\n") {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
}

// lineScript turns one list of lines into another one by their longest common
// subsequence. Edits are few, so what both begin and end with is left out of it.
func lineScript(a, b []string) []scriptLine {
	a, b = withoutEmptyLast(a), withoutEmptyLast(b)
	var head, tail []scriptLine
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, scriptLine{' ', a[0]}), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, scriptLine{' ', a[len(a)-1]}), a[:len(a)-1], b[:len(b)-1]
	}
	script := slices.Concat(head, commonScript(a, b))
	for i := len(tail) - 1; i >= 0; i-- {
		script = append(script, tail[i])
	}
	return script
}

func withoutEmptyLast(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

func commonScript(a, b []string) []scriptLine {
	// common[i][j] is the length of the longest common subsequence of a[i:], b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var script []scriptLine
	for len(a) > 0 || len(b) > 0 {
		i, j := len(common)-1-len(a), len(common[0])-1-len(b)
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			script, a, b = append(script, scriptLine{' ', a[0]}), a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && common[i+1][j] >= common[i][j+1]:
			script, a = append(script, scriptLine{'-', a[0]}), a[1:]
		default:
			script, b = append(script, scriptLine{'+', b[0]}), b[1:]
		}
	}
	return script
}
