// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A Table writes rows of one type as a Parquet file, a row group at a time. It has to be closed.
type Table[T any] struct {
	out  *parquet.GenericWriter[T]
	what string
}

// newTable returns a table of something with a number of rows in a row group, which bounds what it holds in memory.
func newTable[T any](w io.Writer, what string, rows int64) *Table[T] {
	return &Table[T]{parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rows)), what}
}

// Write appends rows.
func (t *Table[T]) Write(rows []T) error {
	if _, err := t.out.Write(rows); err != nil {
		return t.fault(err)
	}
	return nil
}

// Append appends the row groups of a file of a given size that another table wrote. They are
// copied as they are.
func (t *Table[T]) Append(file io.ReaderAt, size int64) error {
	in, err := parquet.OpenFile(file, size)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.what, err)
	}
	for _, group := range in.RowGroups() {
		if _, err := t.out.WriteRowGroup(group); err != nil {
			return t.fault(err)
		}
	}
	return nil
}

// Close writes what is left and the file's end.
func (t *Table[T]) Close() error {
	if err := t.out.Close(); err != nil {
		return t.fault(err)
	}
	return nil
}

func (t *Table[T]) fault(err error) error { return fmt.Errorf("write %s as Parquet: %w", t.what, err) }
