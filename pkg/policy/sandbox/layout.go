// SPDX-License-Identifier: Apache-2.0

package sandbox

import "slices"

// Component is a kind of decision that programs make.
type Component string

// The components.
const (
	Admission Component = "admission"
	Priority  Component = "priority"
	Routing   Component = "routing"
	Scheduler Component = "scheduler"
	Autoscale Component = "autoscale"
)

// A Layout says what a program of one component sees, and in which order. The order of what
// is there does not change between versions; more may follow.
type Layout struct {
	Component Component
	// Function is the name of the program's function. Its arguments are the groups in
	// order, and then the rows, if the layout has some.
	Function string
	Groups   []Group
	// Rows is what there are several of, such as endpoints; nil if there is nothing.
	Rows *Group
	// Answer is what the program answers.
	Answer Answer
}

// A Group is a record of fields.
type Group struct {
	Name   string
	Fields []Field
}

// A Field is one number, or the name that a number stands for.
type Field struct {
	Name string
	Kind Kind
	// Help says what the field means, with its unit.
	Help string
	// Labels are the names of a Label, by number.
	Labels []string
}

// Kind is what a field is to a language that has types.
type Kind int

// The kinds of fields.
const (
	Number  Kind = iota // a real number
	Integer             // a whole number
	Label               // a name: its number is the index into Labels
)

// Answer is what programs answer.
type Answer int

const (
	// Scores are one number for each row: the row with the greatest one is chosen.
	Scores Answer = iota
	// Verdict is one number: 0 admits, a negative one rejects, and a positive one is a
	// delay in seconds. Languages with truth values may answer true to admit and false to
	// reject.
	Verdict
	// WholeNumber is one whole number.
	WholeNumber
	// Rank is one number.
	Rank
	// Counts are one whole number of at least 0 for each row.
	Counts
)

// Many reports whether there is one number for each row.
func (a Answer) Many() bool { return a == Scores || a == Counts }

// Scalars is the number of fields of all groups, and Columns that of the fields of a row.
func (l *Layout) Scalars() int {
	n := 0
	for i := range l.Groups {
		n += len(l.Groups[i].Fields)
	}
	return n
}

// Columns is the number of fields of a row.
func (l *Layout) Columns() int {
	if l.Rows == nil {
		return 0
	}
	return len(l.Rows.Fields)
}

// With returns the layout with more fields of a row.
func (l *Layout) With(columns ...Field) *Layout {
	more := *l
	more.Rows = &Group{Name: l.Rows.Name, Fields: slices.Concat(l.Rows.Fields, columns)}
	return &more
}

// Find returns the group or the rows of a name, and where its fields begin among the
// scalars or in a row; ok is false for an unknown name.
func (l *Layout) Find(name string) (group *Group, first int, row, ok bool) {
	for i := range l.Groups {
		if l.Groups[i].Name == name {
			return &l.Groups[i], first, false, true
		}
		first += len(l.Groups[i].Fields)
	}
	if l.Rows != nil && l.Rows.Name == name {
		return l.Rows, 0, true, true
	}
	return nil, 0, false, false
}

// A Frame is what a program sees of one decision. Who asks owns it, and fills it in again
// for the next one.
type Frame struct {
	// Scalars are the fields of the groups, in the layout's order.
	Scalars []float64
	// Rows is how many rows there are, and Cells their fields, row by row.
	Rows  int
	Cells []float64
}

// NewFrame returns a frame with room for the given number of rows.
func NewFrame(l *Layout, rows int) *Frame {
	return &Frame{Scalars: make([]float64, l.Scalars()), Cells: make([]float64, 0, rows*l.Columns())}
}

// Resize sets the number of rows. The cells are those of other rows.
func (f *Frame) Resize(l *Layout, rows int) {
	f.Rows = rows
	f.Cells = slices.Grow(f.Cells[:0], rows*l.Columns())[:rows*l.Columns()]
}
