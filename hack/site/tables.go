// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// checkTables finds rows that GitHub shows as text, because an empty line or a missing header
// keeps them out of a table, and rows whose cells do not fit the header: GitHub drops what is
// too much.
func (p *page) checkTables() error {
	var faults []string
	report := func(at int, format string, arguments ...any) {
		faults = append(faults, fmt.Sprintf("%s:%d: %s", p.name, p.lineAt(at), fmt.Sprintf(format, arguments...)))
	}
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
				if isRow(line.Value(p.source)) {
					report(line.Start, "a row outside of a table: its table has no header, or an empty line before the row")
				}
			}
		case *east.Table:
			for row := range children(n) {
				line := p.fullLine(row)
				if got := cells(line.Value(p.source)); got != len(n.Alignments) {
					report(line.Start, "a row of %d cells in a table of %d columns", got, len(n.Alignments))
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if len(faults) > 0 {
		return fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return nil
}

func isRow(line []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(line), []byte("|")) }

// cells counts the cells of a row as GitHub does: a bar in code separates cells too, and a bar
// after a backslash does not.
func cells(row []byte) int {
	row = bytes.ReplaceAll(bytes.TrimSpace(row), []byte(`\|`), nil)
	row = bytes.TrimSuffix(bytes.TrimPrefix(row, []byte("|")), []byte("|"))
	return 1 + bytes.Count(row, []byte("|"))
}

// fullLine is the line of the file that has a row: the segments of the tree stop at the cells.
func (p *page) fullLine(row ast.Node) text.Segment {
	at := row.FirstChild().Lines().At(0).Start
	start := 1 + bytes.LastIndexByte(p.source[:at], '\n')
	end := bytes.IndexByte(p.source[at:], '\n')
	if end < 0 {
		return text.NewSegment(start, len(p.source))
	}
	return text.NewSegment(start, at+end)
}

// lineAt is the number of the line of a byte of the file.
func (p *page) lineAt(at int) int { return 1 + bytes.Count(p.source[:at], []byte("\n")) }
