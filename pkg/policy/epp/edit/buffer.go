// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
)

// A Buffer is the text of a configuration with its tree, for edits that leave
// alone what they are not about.
type Buffer struct {
	Text  string
	Root  *yamlv3.Node
	Lines []int // where each line begins
}

// New reads a text. One that is no YAML has no tree.
func New(text string) *Buffer {
	b := &Buffer{Text: text, Root: Parse([]byte(text)), Lines: []int{0}}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(text[i:], "\n"):
		case r == '\n', r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			b.Lines = append(b.Lines, i)
		}
	}
	return b
}

// A Splice replaces the bytes from start to end.
type Splice struct {
	Start, End int
	Text       string
}

// Replacing returns the one splice that puts text in the place of bytes.
func Replacing(start, end int, text string) []Splice {
	return []Splice{{Start: start, End: end, Text: text}}
}

// Apply makes edits that do not overlap; ok is false if they do.
func (b *Buffer) Apply(splices []Splice) (text string, ok bool) {
	splices = slices.Clone(splices)
	slices.SortStableFunc(splices, func(x, y Splice) int { return x.Start - y.Start })
	var out strings.Builder
	at := 0
	for _, s := range splices {
		if s.Start < at || s.End < s.Start {
			return "", false
		}
		out.WriteString(b.Text[at:s.Start])
		out.WriteString(s.Text)
		at = s.End
	}
	out.WriteString(b.Text[at:])
	return out.String(), true
}

// Position is the line and column of an offset, from 1, columns in characters.
func (b *Buffer) Position(offset int) (line, column int) {
	line, found := slices.BinarySearch(b.Lines, offset)
	if !found {
		line--
	}
	return line + 1, utf8.RuneCountInString(b.Text[b.Lines[line]:offset]) + 1
}

// Offset is where a node begins; ok is false where the text is not what the tree
// says.
func (b *Buffer) Offset(n *yamlv3.Node) (offset int, ok bool) {
	if n == nil || n.Line < 1 || n.Line > len(b.Lines) {
		return 0, false
	}
	offset = b.Lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(b.Text[offset:])
		if size == 0 {
			return 0, false
		}
		offset += size
	}
	return offset, true
}

// Line is the text of a line, counted from 0, without its break.
func (b *Buffer) Line(i int) string {
	return strings.TrimRight(b.Text[b.Lines[i]:b.LineEnd(i)], "\r\n\u0085\u2028\u2029")
}

// LineEnd is where the line after line i begins.
func (b *Buffer) LineEnd(i int) int {
	if i+1 < len(b.Lines) {
		return b.Lines[i+1]
	}
	return len(b.Text)
}

// LineBreak is how the text breaks lines.
func (b *Buffer) LineBreak() string {
	if strings.Contains(b.Text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Scalar is where a scalar on one line begins and ends, its quotes included.
func (b *Buffer) Scalar(n *yamlv3.Node) (start, end int, ok bool) {
	if start, ok = b.Offset(n); !ok || n.Kind != yamlv3.ScalarNode {
		return 0, 0, false
	}
	line, _ := b.Position(start)
	rest := b.Text[start:min(b.LineEnd(line-1), len(b.Text))]
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

// Replace writes another scalar in a scalar's place.
func (b *Buffer) Replace(n *yamlv3.Node, text string) []Splice {
	start, end, ok := b.Scalar(n)
	if !ok {
		return nil
	}
	return []Splice{{start, end, text}}
}

// IsFlow reports whether a collection is written in braces or brackets.
func IsFlow(n *yamlv3.Node) bool { return n.Style&yamlv3.FlowStyle != 0 }

// FlowEnd is where a value within braces or brackets ends.
func (b *Buffer) FlowEnd(n *yamlv3.Node) (int, bool) {
	if n.Kind == yamlv3.ScalarNode {
		_, end, ok := b.Scalar(n)
		return end, ok
	}
	start, ok := b.Offset(n)
	if !ok || !IsFlow(n) {
		return 0, false
	}
	if len(n.Content) == 0 {
		closing := strings.IndexAny(b.Text[start:], "}]")
		return start + closing + 1, closing >= 0
	}
	end, ok := b.FlowEnd(n.Content[len(n.Content)-1])
	if !ok {
		return 0, false
	}
	for end < len(b.Text) && strings.IndexByte(" \t\r\n,", b.Text[end]) >= 0 {
		end++
	}
	if end == len(b.Text) || b.Text[end] != '}' && b.Text[end] != ']' {
		return 0, false
	}
	return end + 1, true
}

// Remove takes one entry out of a collection: a key with its value, or an
// element. It is nil where that is the only one.
func (b *Buffer) Remove(parent *yamlv3.Node, index int) []Splice {
	step := 1
	if parent.Kind == yamlv3.MappingNode {
		step = 2
	}
	first := index * step
	if len(parent.Content) <= step || first >= len(parent.Content) {
		return nil
	}
	if IsFlow(parent) {
		return b.removeFlow(parent, first, step)
	}
	return b.removeBlock(parent, first, step)
}

func (b *Buffer) removeFlow(parent *yamlv3.Node, first, step int) []Splice {
	start, ok := b.Offset(parent.Content[first])
	if !ok {
		return nil
	}
	if first+step < len(parent.Content) {
		next, ok := b.Offset(parent.Content[first+step])
		if !ok {
			return nil
		}
		return []Splice{{start, next, ""}}
	}
	end, ok := b.FlowEnd(parent.Content[first+step-1])
	comma := strings.LastIndexByte(b.Text[:start], ',')
	if !ok || comma < 0 || strings.TrimSpace(b.Text[comma+1:start]) != "" {
		return nil
	}
	return []Splice{{comma, end, ""}}
}

func (b *Buffer) removeBlock(parent *yamlv3.Node, first, step int) []Splice {
	start, ok := b.Offset(parent.Content[first])
	if !ok {
		return nil
	}
	end := b.BlockEnd(parent, first, step)
	line, _ := b.Position(start)
	before := b.Text[b.Lines[line-1]:start]
	if strings.TrimSpace(before) == "" || parent.Kind == yamlv3.SequenceNode && strings.TrimSpace(before) == "-" {
		return []Splice{{b.Lines[line-1], end, ""}}
	}
	// The first key of a list's element: the next one takes its place.
	if first+step >= len(parent.Content) {
		return nil
	}
	next, ok := b.Offset(parent.Content[first+step])
	if !ok {
		return nil
	}
	return []Splice{{start, next, ""}}
}

// BlockEnd is where the lines of an entry in block style end: after the last one
// that is indented by more than the entry.
func (b *Buffer) BlockEnd(parent *yamlv3.Node, first, step int) int {
	n := parent.Content[first]
	column := n.Column
	if parent.Kind == yamlv3.SequenceNode {
		column = b.Dash(n)
	}
	value := parent.Content[first+step-1]
	inFlow := len(b.Text)
	if value.Kind != yamlv3.ScalarNode && IsFlow(value) {
		if end, ok := b.FlowEnd(value); ok {
			inFlow = end
		}
	} else {
		inFlow = 0
	}
	last := n.Line - 1
	for i := n.Line; i < len(b.Lines); i++ {
		line := b.Line(i)
		content := strings.TrimLeft(line, " ")
		if content == "" {
			continue
		}
		indent := len(line) - len(content)
		sameList := step == 2 && value.Kind == yamlv3.SequenceNode && indent == column-1 && (content == "-" || strings.HasPrefix(content, "- "))
		if indent < column && !sameList && b.Lines[i] >= inFlow {
			break
		}
		last = i
	}
	return b.LineEnd(last)
}

// Dash is the column, from 1, of the dash in front of an element in block style.
func (b *Buffer) Dash(n *yamlv3.Node) int {
	start, ok := b.Offset(n)
	if !ok {
		return n.Column
	}
	begin := b.Lines[n.Line-1]
	if i := strings.LastIndexByte(b.Text[begin:start], '-'); i >= 0 {
		return utf8.RuneCountInString(b.Text[begin:begin+i]) + 1
	}
	return n.Column
}

// InsertAfter adds an element after one of a list. In block style it has lines,
// in flow style it is the text in braces.
func (b *Buffer) InsertAfter(parent *yamlv3.Node, index int, lines []string, flow string) []Splice {
	n := parent.Content[index]
	if IsFlow(parent) {
		end, ok := b.FlowEnd(n)
		if !ok {
			return nil
		}
		return []Splice{{end, end, ", " + flow}}
	}
	end := b.BlockEnd(parent, index, 1)
	indent := strings.Repeat(" ", b.Dash(n)-1)
	return b.InsertLines(end, indent, lines)
}

// InsertLines adds whole lines at the beginning of one.
func (b *Buffer) InsertLines(at int, indent string, lines []string) []Splice {
	text := ""
	if at > 0 && !strings.HasSuffix(b.Text[:at], "\n") && !strings.HasSuffix(b.Text[:at], "\r") {
		text = b.LineBreak()
		for i, line := range lines {
			lines[i] = indent + line
		}
		return []Splice{{at, at, text + strings.Join(lines, b.LineBreak())}}
	}
	for _, line := range lines {
		text += indent + line + b.LineBreak()
	}
	return []Splice{{at, at, text}}
}

// nodeAt is nothing but a place.
func nodeAt(line, column int) *yamlv3.Node { return &yamlv3.Node{Line: line, Column: column} }
