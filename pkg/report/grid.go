// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// grid is a table in a fixed-width font: columns two spaces apart, aligned to
// one side each, which package text/tabwriter cannot do.
type grid struct {
	columns []column
}

// Table is a grid for writers of other forms.
type Table struct {
	Titles []string
	// Right says which columns are aligned to the right.
	Right []bool
	Rows  [][]string
}

// table returns the grid's cells by row.
func (g *grid) table() Table {
	var t Table
	for _, c := range g.columns {
		t.Titles, t.Right = append(t.Titles, c.title), append(t.Right, c.right)
	}
	for row := range g.columns[0].cells {
		var cells []string
		for _, c := range g.columns {
			cells = append(cells, c.cells[row])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// column is a title and cells. All columns of a grid have as many.
type column struct {
	title string
	right bool // aligned to the right
	cells []string
}

func (g *grid) add(title string, right bool, cells []string) {
	g.columns = append(g.columns, column{title: title, right: right, cells: cells})
}

// write prints the grid; a grid without rows prints its titles.
func (g *grid) write(w io.Writer) {
	widths := make([]int, len(g.columns))
	for i, c := range g.columns {
		widths[i] = max(utf8.RuneCountInString(c.title), widest(c.cells))
	}
	line := func(cell func(column) string) {
		var parts []string
		for i, c := range g.columns {
			parts = append(parts, pad(cell(c), widths[i], c.right))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(c column) string { return c.title })
	if len(g.columns) == 0 {
		return
	}
	for row := range g.columns[0].cells {
		line(func(c column) string { return c.cells[row] })
	}
}

func pad(text string, width int, right bool) string {
	space := strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
	if right {
		return space + text
	}
	return text + space
}

func widest(cells []string) int {
	width := 0
	for _, cell := range cells {
		width = max(width, utf8.RuneCountInString(cell))
	}
	return width
}

// joinCells joins cells line by line, each side padded to its own width, so that
// what follows a number is aligned with what follows another.
func joinCells(left, right []string) []string {
	leftWidth, rightWidth := widest(left), widest(right)
	joined := make([]string, len(left))
	for i := range left {
		joined[i] = pad(left[i], leftWidth, true)
		if rightWidth > 0 {
			joined[i] += " " + pad(right[i], rightWidth, false)
		}
	}
	return joined
}
