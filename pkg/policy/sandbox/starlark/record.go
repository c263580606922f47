// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// A shape is what records of a group have in common.
type shape struct {
	name   string
	fields []sandbox.Field
	index  map[string]int
	labels [][]starlark.Value // by field
}

func newShape(g *sandbox.Group) *shape {
	s := &shape{name: g.Name, fields: g.Fields, index: map[string]int{}, labels: make([][]starlark.Value, len(g.Fields))}
	for i := range g.Fields {
		s.index[g.Fields[i].Name] = i
		for _, label := range g.Fields[i].Labels {
			s.labels[i] = append(s.labels[i], starlark.String(label))
		}
	}
	return s
}

// value is a number of a frame as a value of the field's kind.
func (s *shape) value(field int, x float64) starlark.Value {
	switch s.fields[field].Kind {
	case sandbox.Integer:
		return starlark.MakeInt64(int64(x))
	case sandbox.Label:
		if i := int(x); i >= 0 && i < len(s.labels[field]) {
			return s.labels[field][i]
		}
		return starlark.String("")
	default:
		return starlark.Float(x)
	}
}

// A record is a group of the frame that the program looks at. It cannot be changed.
type record struct {
	shape *shape
	// cells are the record's in the frame.
	cells []float64
}

var (
	_ starlark.HasAttrs = (*record)(nil)
	_ starlark.Sequence = (*rows)(nil)
)

func (r *record) String() string        { return "<" + r.shape.name + ">" }
func (r *record) Type() string          { return r.shape.name }
func (r *record) Freeze()               {}
func (r *record) Truth() starlark.Bool  { return true }
func (r *record) Hash() (uint32, error) { return 0, fmt.Errorf("%s is not hashable", r.shape.name) }

// Attr returns the value of a field.
func (r *record) Attr(name string) (starlark.Value, error) {
	i, ok := r.shape.index[name]
	if !ok {
		return nil, nil // the interpreter says so
	}
	return r.shape.value(i, r.cells[i]), nil
}

// AttrNames lists the fields in alphabetical order, as the interface has it.
func (r *record) AttrNames() []string {
	var names []string
	for i := range r.shape.fields {
		names = append(names, r.shape.fields[i].Name)
	}
	slices.Sort(names)
	return names
}

// rows are the rows of the frame that the program looks at.
type rows struct {
	shape   *shape
	n       int
	records []*record
}

// show lets the rows be those of a frame.
func (s *rows) show(f *sandbox.Frame) {
	width := len(s.shape.fields)
	for len(s.records) < f.Rows {
		s.records = append(s.records, &record{shape: s.shape})
	}
	s.n = f.Rows
	for i := range f.Rows {
		s.records[i].cells = f.Cells[i*width : (i+1)*width]
	}
}

func (s *rows) String() string             { return fmt.Sprintf("<%d %s>", s.n, s.shape.name) }
func (s *rows) Type() string               { return "list of " + s.shape.name }
func (s *rows) Freeze()                    {}
func (s *rows) Truth() starlark.Bool       { return s.n > 0 }
func (s *rows) Hash() (uint32, error)      { return 0, fmt.Errorf("%s are not hashable", s.shape.name) }
func (s *rows) Len() int                   { return s.n }
func (s *rows) Index(i int) starlark.Value { return s.records[i] }
func (s *rows) Iterate() starlark.Iterator { return &iterator{rows: s} }

type iterator struct {
	rows *rows
	next int
}

func (it *iterator) Next(p *starlark.Value) bool {
	if it.next >= it.rows.n {
		return false
	}
	*p = it.rows.records[it.next]
	it.next++
	return true
}

func (it *iterator) Done() {}
