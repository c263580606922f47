// SPDX-License-Identifier: Apache-2.0

package study

import "strings"

// Table is a table of a page: its first column is text, the others are numbers.
type Table struct {
	Titles []string
	Rows   [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// String returns the table in Markdown, without a line's end after it.
func (t *Table) String() string {
	rules := make([]string, len(t.Titles))
	for i := range rules {
		rules[i] = "---:"
	}
	rules[0] = "---"
	lines := []string{line(t.Titles), line(rules)}
	for _, row := range t.Rows {
		lines = append(lines, line(row))
	}
	return strings.Join(lines, "\n")
}

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
