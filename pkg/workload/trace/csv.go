// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// GenericCSV is any CSV: [CSV] says which columns hold what, and how times are written.
// Without it, the columns are those of [WrittenCSV], of which the first three must be there.
// The first line names the columns. It says nothing of prompts, so none shares a prefix
// with another.
const GenericCSV Format = "CSV"

var csvFormat = format{
	name:      GenericCSV,
	matches:   func(text string) bool { return strings.HasPrefix(text, writtenColumns) },
	beginning: len(writtenColumns),
	expected:  "begins with " + writtenColumns + ", or is any CSV whose columns csv (--csv) names",
	header:    true,
	newParser: newCSVParser,
	times:     Nanoseconds, // of WrittenCSV
	newWriter: newCSVWriter,
	carries:   traitNames(sessionTrait, tenantTrait, classTrait, priorityTrait, modelTrait),
	tick:      time.Nanosecond,
}

// CSV says what the columns of a CSV are. Those without a name are not there.
type CSV struct {
	// Time, Input and Output are the columns of the arrival, the prompt's length and the
	// answer's length in tokens.
	Time, Input, Output string
	// Tenant, Class, Session and Model are the columns of names. A row may leave each
	// empty.
	Tenant, Class, Session, Model string
	// Priority is the column of a whole number: higher is more important. A row may
	// leave it empty.
	Priority string
	// Text is the column of the prompts. Only [SharedByText] reads it, and keeps none of it.
	Text string
	// TimeFormat says how the arrivals are written.
	TimeFormat TimeFormat
	// Delimiter separates fields; empty is a comma.
	Delimiter Delimiter
}

// Delimiter is what separates the fields of a CSV.
type Delimiter string

// The delimiters.
const (
	Comma     Delimiter = "Comma"
	Semicolon Delimiter = "Semicolon"
	Tab       Delimiter = "Tab"
	Pipe      Delimiter = "Pipe"
)

var delimiters = map[Delimiter]byte{"": ',', Comma: ',', Semicolon: ';', Tab: '\t', Pipe: '|'}

// maxPriority bounds the priorities of rows, as the API bounds those of clients.
const maxPriority = 1_000_000

// columns returns the names of the columns, by what the API calls them.
func (c CSV) columns() (names, fields []string) {
	return []string{c.Time, c.Input, c.Output, c.Tenant, c.Class, c.Session, c.Model, c.Priority},
		[]string{"time", "inputTokens", "outputTokens", "tenant", "class", "session", "model", "priority"}
}

// validate returns the faults of the columns.
func (c CSV) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names, fields := c.columns()
	for i, name := range names {
		switch {
		case name == "" && i < 3:
			errs = append(errs, field.Required(path.Child(fields[i]), "the name of the column"))
		case name != "" && slices.Contains(names[:i], name):
			errs = append(errs, field.Duplicate(path.Child(fields[i]), name))
		}
	}
	if !slices.Contains(timeFormats(), c.TimeFormat) {
		errs = append(errs, field.NotSupported(path.Child("timeFormat"), c.TimeFormat, timeFormats()))
	}
	if _, ok := delimiters[c.Delimiter]; !ok {
		known := slices.DeleteFunc(slices.Sorted(maps.Keys(delimiters)), func(d Delimiter) bool { return d == "" })
		errs = append(errs, field.NotSupported(path.Child("delimiter"), c.Delimiter, known))
	}
	return errs
}

func newCSVParser(o Options) parser {
	c := WrittenCSV()
	if o.CSV != nil {
		c = *o.CSV
	}
	columns, _ := c.columns()
	columns = append(columns, c.Text)
	table := newCSVTable(delimiters[c.Delimiter], columns...)
	table.optional, table.namesDelimiter = []string{""}, true // columns without a name
	if o.CSV == nil {
		table.optional, table.hint = columns[3:], ": csv (--csv) names other columns"
	}
	shares := &sharer{Sharing: o.Sharing}
	clock := &clock{field: c.Time, format: c.TimeFormat, chosen: o.CSV != nil}
	return func(rec *record, n int, text []byte) (bool, error) {
		ok, err := table.request(rec, n, text, clock)
		if err != nil || !ok {
			return false, err
		}
		for i, name := range []*string{&rec.tenant, &rec.class, &rec.session, &rec.model} {
			if *name, err = table.name(3 + i); err != nil {
				return false, err
			}
		}
		if o.Sharing != (Sharing{}) {
			shares.share(rec, table.field(8))
		}
		rec.priority, err = table.priority(7)
		return err == nil, err
	}
}

// priority returns column i as a priority; nil where the row has none.
func (t *csvTable) priority(i int) (*int, error) {
	text := t.field(i)
	if len(text) == 0 {
		return nil, nil
	}
	priority, err := strconv.Atoi(string(whole(text)))
	if err != nil || priority < -maxPriority || priority > maxPriority {
		return nil, invalidField(t.columns[i], "must be a whole number between %d and %d, got %.80q", -maxPriority, maxPriority, text)
	}
	return &priority, nil
}
