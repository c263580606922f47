// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// Embed puts another text in a configuration's place. ok is false where its text
// does not stand in the file letter for letter.
func Embed(file []byte, source *files.Source, text string) (spliced []byte, ok bool) {
	if !source.InPlace {
		return nil, false
	}
	outer, inner := New(string(file)), New(string(source.Text))
	start, ok := outer.at(source.Line, source.Column)
	if !ok {
		return nil, false
	}
	endLine, endColumn := inner.Position(len(inner.Text))
	endLine, endColumn = source.Position(endLine, endColumn)
	if strings.HasSuffix(inner.Text, "\n") {
		endColumn = 1 // The next line's indentation is not the text's.
	}
	end, ok := outer.at(endLine, endColumn)
	if !ok {
		end = len(outer.Text)
	}
	if start > end {
		return nil, false
	}
	return []byte(outer.Text[:start] + Indent(text, source.Indent, outer.LineBreak()) + outer.Text[end:]), true
}

// at is the offset of a position.
func (b *Buffer) at(line, column int) (int, bool) {
	if line < 1 || line > len(b.Lines) {
		return 0, false
	}
	return b.Offset(nodeAt(line, column))
}

// Indent indents all lines of a text but the first one, and blank ones.
func Indent(text string, columns int, lineBreak string) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for i, line := range strings.SplitAfter(text, "\n") {
		if i > 0 && strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", columns))
		}
		b.WriteString(line)
	}
	if lineBreak == "\n" {
		return b.String()
	}
	return strings.ReplaceAll(b.String(), "\n", lineBreak)
}
