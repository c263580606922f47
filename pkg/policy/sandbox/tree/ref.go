// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// A ref is where the value of a field is in a frame.
type ref struct {
	place place
	// index is that of the scalar, or of the column.
	index int
}

type place int

const (
	scalar place = iota
	ofRow
	minOfRows
	maxOfRows
	meanOfRows
	sumOfRows
)

// overRows are the words for what all rows have together.
var overRows = map[string]place{"min": minOfRows, "max": maxOfRows, "mean": meanOfRows, "sum": sumOfRows}

// find resolves the name of a field. It returns nil for an unknown name.
func (l *loader) find(name string, path *field.Path) (ref, *sandbox.Field) {
	parts := strings.Split(name, ".")
	group, first, isRow, ok := l.layout.Find(parts[0])
	if !ok || len(parts) < 2 {
		l.errs = append(l.errs, field.NotSupported(path, name, l.known()))
		return ref{}, nil
	}
	at := slices.IndexFunc(group.Fields, func(f sandbox.Field) bool { return f.Name == parts[1] })
	if at < 0 {
		l.errs = append(l.errs, field.NotSupported(path, name, l.known()))
		return ref{}, nil
	}
	of := &group.Fields[at]
	switch {
	case !isRow && len(parts) == 2:
		return ref{scalar, first + at}, of
	case isRow && len(parts) == 2 && l.layout.Answer.Many():
		return ref{ofRow, at}, of
	case isRow && len(parts) == 3 && overRows[parts[2]] != scalar && of.Kind != sandbox.Label:
		return ref{overRows[parts[2]], at}, of
	case isRow && len(parts) == 2:
		l.invalid(path, name, "the answer is for all %s: add .min, .max, .mean or .sum", parts[0])
	default:
		l.errs = append(l.errs, field.NotSupported(path, name, l.known()))
	}
	return ref{}, nil
}

// known are the names of all fields.
func (l *loader) known() []string {
	var names []string
	for _, g := range l.layout.Groups {
		for _, f := range g.Fields {
			names = append(names, g.Name+"."+f.Name)
		}
	}
	if l.layout.Rows != nil {
		for _, f := range l.layout.Rows.Fields {
			names = append(names, l.layout.Rows.Name+"."+f.Name)
		}
	}
	return names
}

// of returns the value of a field for a row. Without rows, what all have together is 0.
func (r ref) of(f *sandbox.Frame, width, row int) float64 {
	switch r.place {
	case scalar:
		return f.Scalars[r.index]
	case ofRow:
		return f.Cells[row*width+r.index]
	}
	if f.Rows == 0 {
		return 0
	}
	least, most, sum := f.Cells[r.index], f.Cells[r.index], 0.0
	for i := range f.Rows {
		x := f.Cells[i*width+r.index]
		least, most, sum = min(least, x), max(most, x), sum+x
	}
	switch r.place {
	case minOfRows:
		return least
	case maxOfRows:
		return most
	case meanOfRows:
		return sum / float64(f.Rows)
	default:
		return sum
	}
}
