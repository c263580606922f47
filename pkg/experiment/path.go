// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"strings"
)

// A Segment is one part of a path: a field, or an entry of a list by its name, or by its
// number from 0 where entries have no names.
type Segment struct {
	Name  string
	Entry bool
}

func (s Segment) String() string {
	if s.Entry {
		return "[" + s.Name + "]"
	}
	return s.Name
}

// parsePath splits a path such as pools[llama].engine.maxNumSeqs. Entry names
// may hold any character but brackets.
func parsePath(text string) ([]Segment, error) {
	var path []Segment
	for rest := text; rest != ""; {
		var s Segment
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

// withinScenario is what follows the scenario in a path that begins at an object's spec or at
// its scenario, as errors and kubectl explain have paths; nil of a path that begins in the scenario.
func withinScenario(path []Segment) []Segment {
	rest := path
	for _, above := range []string{"spec", "scenario"} {
		if len(rest) > 1 && rest[0].Name == above && !rest[0].Entry {
			rest = rest[1:]
		}
	}
	if len(rest) == len(path) {
		return nil
	}
	return rest
}

func nextSegment(rest string, first bool) (Segment, string, error) {
	if rest[0] == '[' {
		end := strings.IndexByte(rest, ']')
		if first || end < 0 {
			return Segment{}, "", fmt.Errorf("has an unexpected or unclosed bracket at %q", rest)
		}
		if end == 1 {
			return Segment{}, "", fmt.Errorf("has empty brackets; give the name of the list's entry in them, or its number from 0 where it has none")
		}
		return Segment{Name: rest[1:end], Entry: true}, rest[end+1:], nil
	}
	if !first {
		if rest[0] != '.' {
			return Segment{}, "", fmt.Errorf("needs a dot or a bracket before %q", rest)
		}
		rest = rest[1:]
	}
	end := strings.IndexAny(rest, ".[]")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return Segment{}, "", fmt.Errorf("has an empty field name")
	}
	return Segment{Name: rest[:end]}, rest[end:], nil
}

// Render prints a path as parsePath reads it.
func Render(path []Segment) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 && !s.Entry {
			b.WriteByte('.')
		}
		b.WriteString(s.String())
	}
	return b.String()
}
