// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
)

// records are the rows of one file.
type records interface {
	// next reads the next row into rec, which is valid until the next call. It returns false
	// after the last row. Errors name the row.
	next(rec *record) (bool, error)
	// digest returns the SHA-256 of the text in hex, once all rows are read.
	digest() (string, error)
	// memory is about what rows that are read ahead take, in bytes.
	memory() int64
}

// records returns the rows of a file, in the order that the options say.
func (f format) records(o Options, r io.Reader) (records, error) {
	var all records
	var err error
	switch {
	case f.newRecords != nil:
		all, err = f.newRecords(o, r)
	case f.newParser == nil:
		all, err = newParquetRecords(o, r)
	default:
		all, err = newLineRecords(r, f.newParser(o))
	}
	if err == nil && o.Order == Sort {
		all = newSortedRecords(all, o.MemoryBytes)
	}
	return all, err
}

// atRow says in which row an error is; nil for nil.
func atRow(row int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("row %d: %w", row, err)
}

// lineRecords are the rows of a text, one a line.
type lineRecords struct {
	lines *lineReader
	parse parser
}

func newLineRecords(r io.Reader, parse parser) (*lineRecords, error) {
	lines, err := newLineReader(r)
	return &lineRecords{lines, parse}, err
}

func (r *lineRecords) next(rec *record) (bool, error) {
	for {
		text, more, err := r.lines.next()
		if err != nil || !more {
			return false, err
		}
		holds, err := r.parse(rec, r.lines.n, text)
		if err != nil {
			return false, atRow(r.lines.n, err)
		}
		if holds {
			rec.row = r.lines.n
			return true, nil
		}
	}
}

func (r *lineRecords) digest() (string, error) { return r.lines.digest(), nil }

func (r *lineRecords) memory() int64 { return 0 }
