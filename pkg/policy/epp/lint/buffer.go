// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
)

// A buffer is the text of a configuration with its tree, for edits that leave
// alone what they are not about.
type buffer struct {
	text  string
	root  *yamlv3.Node
	lines []int // where each line begins
}

func newBuffer(text string) *buffer {
	b := &buffer{text: text, root: parse([]byte(text)), lines: []int{0}}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(text[i:], "\n"):
		case r == '\n', r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			b.lines = append(b.lines, i)
		}
	}
	return b
}

// A splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap; ok is false if they do.
func (b *buffer) apply(splices []splice) (text string, ok bool) {
	splices = slices.Clone(splices)
	slices.SortStableFunc(splices, func(x, y splice) int { return x.start - y.start })
	var out strings.Builder
	at := 0
	for _, s := range splices {
		if s.start < at || s.end < s.start {
			return "", false
		}
		out.WriteString(b.text[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.WriteString(b.text[at:])
	return out.String(), true
}

// position is the line and column of an offset, from 1, columns in characters.
func (b *buffer) position(offset int) (line, column int) {
	line, found := slices.BinarySearch(b.lines, offset)
	if !found {
		line--
	}
	return line + 1, utf8.RuneCountInString(b.text[b.lines[line]:offset]) + 1
}

// offset is where a node begins; ok is false where the text is not what the tree
// says.
func (b *buffer) offset(n *yamlv3.Node) (offset int, ok bool) {
	if n == nil || n.Line < 1 || n.Line > len(b.lines) {
		return 0, false
	}
	offset = b.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(b.text[offset:])
		if size == 0 {
			return 0, false
		}
		offset += size
	}
	return offset, true
}

// line is the text of a line, counted from 0, without its break.
func (b *buffer) line(i int) string {
	return strings.TrimRight(b.text[b.lines[i]:b.lineEnd(i)], "\r\n\u0085\u2028\u2029")
}

// lineEnd is where the line after line i begins.
func (b *buffer) lineEnd(i int) int {
	if i+1 < len(b.lines) {
		return b.lines[i+1]
	}
	return len(b.text)
}

// lineBreak is how the text breaks lines.
func (b *buffer) lineBreak() string {
	if strings.Contains(b.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// scalar is where a scalar on one line begins and ends, its quotes included.
func (b *buffer) scalar(n *yamlv3.Node) (start, end int, ok bool) {
	if start, ok = b.offset(n); !ok || n.Kind != yamlv3.ScalarNode {
		return 0, 0, false
	}
	line, _ := b.position(start)
	rest := b.text[start:min(b.lineEnd(line-1), len(b.text))]
	switch {
	case n.Style&(yamlv3.DoubleQuotedStyle|yamlv3.SingleQuotedStyle) != 0:
		inner := strings.TrimLeft(rest, `"'`)
		if quote := len(rest) - len(inner); quote != 1 || strings.ContainsAny(n.Value, "\"'\\\n") || !strings.HasPrefix(inner, n.Value) {
			return 0, 0, false
		}
		return start, start + len(n.Value) + 2, true
	case n.Style == 0 && n.Anchor == "" && n.Value != "" && strings.HasPrefix(rest, n.Value):
		return start, start + len(n.Value), true
	}
	return 0, 0, false
}

// replace writes another scalar in a scalar's place.
func (b *buffer) replace(n *yamlv3.Node, text string) []splice {
	start, end, ok := b.scalar(n)
	if !ok {
		return nil
	}
	return []splice{{start, end, text}}
}

// isFlow reports whether a collection is written in braces or brackets.
func isFlow(n *yamlv3.Node) bool { return n.Style&yamlv3.FlowStyle != 0 }

// flowEnd is where a value within braces or brackets ends.
func (b *buffer) flowEnd(n *yamlv3.Node) (int, bool) {
	if n.Kind == yamlv3.ScalarNode {
		_, end, ok := b.scalar(n)
		return end, ok
	}
	start, ok := b.offset(n)
	if !ok || !isFlow(n) {
		return 0, false
	}
	if len(n.Content) == 0 {
		closing := strings.IndexAny(b.text[start:], "}]")
		return start + closing + 1, closing >= 0
	}
	end, ok := b.flowEnd(n.Content[len(n.Content)-1])
	if !ok {
		return 0, false
	}
	for end < len(b.text) && strings.IndexByte(" \t\r\n,", b.text[end]) >= 0 {
		end++
	}
	if end == len(b.text) || b.text[end] != '}' && b.text[end] != ']' {
		return 0, false
	}
	return end + 1, true
}

// remove takes one entry out of a collection: a key with its value, or an
// element. It is nil where that is the only one.
func (b *buffer) remove(parent *yamlv3.Node, index int) []splice {
	step := 1
	if parent.Kind == yamlv3.MappingNode {
		step = 2
	}
	first := index * step
	if len(parent.Content) <= step || first >= len(parent.Content) {
		return nil
	}
	if isFlow(parent) {
		return b.removeFlow(parent, first, step)
	}
	return b.removeBlock(parent, first, step)
}

func (b *buffer) removeFlow(parent *yamlv3.Node, first, step int) []splice {
	start, ok := b.offset(parent.Content[first])
	if !ok {
		return nil
	}
	if first+step < len(parent.Content) {
		next, ok := b.offset(parent.Content[first+step])
		if !ok {
			return nil
		}
		return []splice{{start, next, ""}}
	}
	end, ok := b.flowEnd(parent.Content[first+step-1])
	comma := strings.LastIndexByte(b.text[:start], ',')
	if !ok || comma < 0 || strings.TrimSpace(b.text[comma+1:start]) != "" {
		return nil
	}
	return []splice{{comma, end, ""}}
}

func (b *buffer) removeBlock(parent *yamlv3.Node, first, step int) []splice {
	start, ok := b.offset(parent.Content[first])
	if !ok {
		return nil
	}
	end := b.blockEnd(parent, first, step)
	line, _ := b.position(start)
	before := b.text[b.lines[line-1]:start]
	if strings.TrimSpace(before) == "" || parent.Kind == yamlv3.SequenceNode && strings.TrimSpace(before) == "-" {
		return []splice{{b.lines[line-1], end, ""}}
	}
	// The first key of a list's element: the next one takes its place.
	if first+step >= len(parent.Content) {
		return nil
	}
	next, ok := b.offset(parent.Content[first+step])
	if !ok {
		return nil
	}
	return []splice{{start, next, ""}}
}

// blockEnd is where the lines of an entry in block style end: after the last one
// that is indented by more than the entry.
func (b *buffer) blockEnd(parent *yamlv3.Node, first, step int) int {
	n := parent.Content[first]
	column := n.Column
	if parent.Kind == yamlv3.SequenceNode {
		column = b.dash(n)
	}
	value := parent.Content[first+step-1]
	inFlow := len(b.text)
	if value.Kind != yamlv3.ScalarNode && isFlow(value) {
		if end, ok := b.flowEnd(value); ok {
			inFlow = end
		}
	} else {
		inFlow = 0
	}
	last := n.Line - 1
	for i := n.Line; i < len(b.lines); i++ {
		line := b.line(i)
		content := strings.TrimLeft(line, " ")
		if content == "" {
			continue
		}
		indent := len(line) - len(content)
		sameList := step == 2 && value.Kind == yamlv3.SequenceNode && indent == column-1 && (content == "-" || strings.HasPrefix(content, "- "))
		if indent < column && !sameList && b.lines[i] >= inFlow {
			break
		}
		last = i
	}
	return b.lineEnd(last)
}

// dash is the column, from 1, of the dash in front of an element in block style.
func (b *buffer) dash(n *yamlv3.Node) int {
	start, ok := b.offset(n)
	if !ok {
		return n.Column
	}
	begin := b.lines[n.Line-1]
	if i := strings.LastIndexByte(b.text[begin:start], '-'); i >= 0 {
		return utf8.RuneCountInString(b.text[begin:begin+i]) + 1
	}
	return n.Column
}

// insertAfter adds an element after one of a list. In block style it has lines,
// in flow style it is the text in braces.
func (b *buffer) insertAfter(parent *yamlv3.Node, index int, lines []string, flow string) []splice {
	n := parent.Content[index]
	if isFlow(parent) {
		end, ok := b.flowEnd(n)
		if !ok {
			return nil
		}
		return []splice{{end, end, ", " + flow}}
	}
	end := b.blockEnd(parent, index, 1)
	indent := strings.Repeat(" ", b.dash(n)-1)
	return b.insertLines(end, indent, lines)
}

// insertLines adds whole lines at the beginning of one.
func (b *buffer) insertLines(at int, indent string, lines []string) []splice {
	text := ""
	if at > 0 && !strings.HasSuffix(b.text[:at], "\n") && !strings.HasSuffix(b.text[:at], "\r") {
		text = b.lineBreak()
		for i, line := range lines {
			lines[i] = indent + line
		}
		return []splice{{at, at, text + strings.Join(lines, b.lineBreak())}}
	}
	for _, line := range lines {
		text += indent + line + b.lineBreak()
	}
	return []splice{{at, at, text}}
}

// nodeAt is nothing but a place.
func nodeAt(line, column int) *yamlv3.Node { return &yamlv3.Node{Line: line, Column: column} }
