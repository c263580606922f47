// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"strings"
)

// A segment is one step of a path: a field, or an entry of a list.
type segment struct {
	name  string
	entry bool
}

func (s segment) String() string {
	if s.entry {
		return "[" + s.name + "]"
	}
	return s.name
}

// parsePath splits a path such as pools[llama].engine.maxNumSeqs. Entry names
// may hold any character but brackets.
func parsePath(text string) ([]segment, error) {
	var path []segment
	for rest := text; rest != ""; {
		var s segment
		var err error
		if s, rest, err = nextSegment(rest, len(path) == 0); err != nil {
			return nil, err
		}
		path = append(path, s)
	}
	if len(path) == 0 {
		return nil, fmt.Errorf("is empty")
	}
	return path, nil
}

func nextSegment(rest string, first bool) (segment, string, error) {
	if rest[0] == '[' {
		end := strings.IndexByte(rest, ']')
		if first || end < 0 {
			return segment{}, "", fmt.Errorf("has an unexpected or unclosed bracket at %q", rest)
		}
		if end == 1 {
			return segment{}, "", fmt.Errorf("has empty brackets; name the list's entry in them")
		}
		return segment{name: rest[1:end], entry: true}, rest[end+1:], nil
	}
	if !first {
		if rest[0] != '.' {
			return segment{}, "", fmt.Errorf("needs a dot or a bracket before %q", rest)
		}
		rest = rest[1:]
	}
	end := strings.IndexAny(rest, ".[]")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return segment{}, "", fmt.Errorf("has an empty field name")
	}
	return segment{name: rest[:end]}, rest[end:], nil
}

// render prints a path as parsePath reads it.
func render(path []segment) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 && !s.entry {
			b.WriteByte('.')
		}
		b.WriteString(s.String())
	}
	return b.String()
}
