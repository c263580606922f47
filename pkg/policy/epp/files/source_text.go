// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
)

// splitDocuments splits a stream at its lines of dashes.
func splitDocuments(file []byte) []Source {
	documents := []Source{{Line: 1, Column: 1, InPlace: true}}
	for i, line := range document.SplitLines(string(file)) {
		if startsDocument(line) {
			next := Source{Line: i + 1, Column: 1, InPlace: true}
			rest := strings.TrimSpace(line[3:])
			if bare := rest == "" || rest[0] == '#'; bare {
				next.Line++
				line = ""
			}
			if current := &documents[len(documents)-1]; isBlank(current.Text) {
				*current = next
			} else {
				documents = append(documents, next)
			}
		}
		current := &documents[len(documents)-1]
		current.Text = append(current.Text, line...)
	}
	if len(documents) == 1 {
		// The EPP reads such a file as it is.
		return []Source{{Text: file, Line: 1, Column: 1, InPlace: true}}
	}
	return documents
}

func startsDocument(line string) bool {
	rest, found := strings.CutPrefix(line, "---")
	return found && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// isBlank reports whether a text holds nothing but comments and directives of the next
// document.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// TextOf is the text of a scalar, with its place in the text around it.
func TextOf(around []byte, n *yamlv3.Node) Source {
	s := Source{Text: []byte(n.Value), Line: n.Line, Column: n.Column}
	lines := document.SplitLines(string(around))
	if n.Line < 1 || n.Line > len(lines) {
		return s
	}
	if n.Style&yamlv3.LiteralStyle != 0 {
		if indent, ok := literalIndent(lines[n.Line:], n.Value); ok {
			s.Line, s.Column, s.Indent, s.InPlace = n.Line+1, indent+1, indent, true
		}
		return s
	}
	// A scalar on one line, without escapes.
	column := n.Column
	if n.Style&(yamlv3.SingleQuotedStyle|yamlv3.DoubleQuotedStyle) != 0 {
		column++
	}
	if start, ok := byteOffset(lines[n.Line-1], column); ok && !strings.Contains(n.Value, "\n") && strings.HasPrefix(lines[n.Line-1][start:], n.Value) {
		s.Column, s.InPlace = column, true
	}
	return s
}

// literalIndent is how many columns a block of lines is indented by, if it is
// the text otherwise.
func literalIndent(lines []string, text string) (int, bool) {
	wanted := document.SplitLines(text)
	indent := -1
	for i, want := range wanted {
		want = document.WithoutBreak(want)
		if i >= len(lines) {
			return 0, want == ""
		}
		got := document.WithoutBreak(lines[i])
		if strings.TrimLeft(got, " ") == "" && strings.TrimLeft(want, " ") == "" {
			continue
		}
		if indent < 0 {
			indent = len(got) - len(want)
		}
		if indent < 0 || len(got) < indent || strings.TrimLeft(got[:indent], " ") != "" || got[indent:] != want {
			return 0, false
		}
	}
	return max(indent, 0), true
}

// byteOffset is where a column, in characters from 1, begins in a line.
func byteOffset(line string, column int) (int, bool) {
	offset := 0
	for ; column > 1; column-- {
		if offset >= len(line) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(line[offset:])
		offset += size
	}
	return offset, offset <= len(line)
}

// objectSource is the text of a mapping that stands in another document.
func objectSource(around []byte, n *yamlv3.Node) Source {
	lines := document.SplitLines(string(around))
	s := Source{Line: n.Line, Column: n.Column}
	start, ok := 0, n.Line >= 1 && n.Line <= len(lines)
	if ok {
		start, ok = byteOffset(lines[n.Line-1], n.Column)
	}
	if ok && !hasAlias(n) {
		if n.Style&yamlv3.FlowStyle != 0 {
			s.Text, s.InPlace = flowText(lines[n.Line-1:], start), true
		} else {
			s.Text, s.Indent, s.InPlace = blockText(lines[n.Line-1:], start), n.Column-1, true
		}
		if root, err := parseDocument(s.Text); err == nil && root != nil && sameShape(root, n) {
			return s
		}
	}
	s.Indent, s.InPlace = 0, false
	var value any
	if n.Decode(&value) == nil {
		s.Text, _ = yamlv3.Marshal(value)
	}
	return s
}

func hasAlias(n *yamlv3.Node) bool {
	if n.Kind == yamlv3.AliasNode {
		return true
	}
	return slices.ContainsFunc(n.Content, hasAlias)
}

// sameShape reports whether two nodes hold the same.
func sameShape(a, b *yamlv3.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameShape(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// blockText is the lines of a mapping in block style whose first one begins at
// start, which the others are indented by. Its end is the first line that is
// indented by less.
func blockText(lines []string, start int) []byte {
	text := []byte(lines[0][start:])
	for _, line := range lines[1:] {
		content := strings.TrimLeft(document.WithoutBreak(line), " ")
		switch indent := len(document.WithoutBreak(line)) - len(content); {
		case content == "":
			text = append(text, line[min(start, indent):]...)
		case indent < start:
			return text
		default:
			text = append(text, line[start:]...)
		}
	}
	return text
}

// flowText is a mapping in flow style that begins at start of the first line. Its
// end is the brace that closes it.
func flowText(lines []string, start int) []byte {
	text := strings.Join(lines, "")[start:]
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && (i == 0 || strings.IndexByte(" ,:[{\n", text[i-1]) >= 0):
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return []byte(text[:i+1])
			}
		}
	}
	return []byte(text)
}
