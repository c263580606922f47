// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// reader reads rows column by column.
type reader struct {
	file   *parquet.File
	groups []parquet.RowGroup // that are not read
	pages  *pageChecker
	left   int64 // rows of the one that is being read

	numbers []number
	texts   []text
	blocks  *column // nil where the file has none

	row   trace.ParquetRow
	ids   []uint64          // memory of the row's blocks
	names map[string]string // texts that occurred, each once
}

// number is a column of whole numbers.
type number struct {
	column
	into  **int64 // of the row
	value int64
}

// text is a column of names.
type text struct {
	column
	into *string // of the row
}

// Metadata implements [trace.ParquetReader].
func (r *reader) Metadata(key string) (string, bool) { return r.file.Lookup(key) }

// Next implements [trace.ParquetReader].
func (r *reader) Next() (row *trace.ParquetRow, err error) {
	defer recovered(&err)
	for r.left == 0 {
		if len(r.groups) == 0 {
			return nil, nil
		}
		if err := r.begin(r.groups[0]); err != nil {
			return nil, err
		}
		r.groups = r.groups[1:]
	}
	r.left--
	for i := range r.numbers {
		if err := r.numbers[i].read(); err != nil {
			return nil, err
		}
	}
	for i := range r.texts {
		if err := r.texts[i].read(r.names); err != nil {
			return nil, err
		}
	}
	if err := r.readBlocks(); err != nil {
		return nil, err
	}
	return &r.row, nil
}

// begin begins a row group.
func (r *reader) begin(group parquet.RowGroup) error {
	r.left = group.NumRows()
	all := r.file.Metadata().RowGroups
	checked, chunks := all[len(all)-len(r.groups)].Columns, group.ColumnChunks()
	for _, c := range r.columns() {
		if err := r.pages.check(c, &checked[c.index].MetaData); err != nil {
			return fmt.Errorf("%s: cannot be read: %w", c.name, err)
		}
		c.begin(chunks)
	}
	return nil
}

// columns are those that are read.
func (r *reader) columns() []*column {
	var all []*column
	for i := range r.numbers {
		all = append(all, &r.numbers[i].column)
	}
	for i := range r.texts {
		all = append(all, &r.texts[i].column)
	}
	if r.blocks != nil {
		all = append(all, r.blocks)
	}
	return all
}

func (n *number) read() error {
	value, err := n.next()
	if err != nil {
		return err
	}
	*n.into = nil
	if !value.IsNull() {
		n.value = n.integer(value)
		*n.into = &n.value
	}
	return nil
}

func (t *text) read(names map[string]string) error {
	value, err := t.next()
	if err != nil {
		return err
	}
	*t.into = ""
	if value.IsNull() {
		return nil
	}
	name, known := names[string(value.ByteArray())]
	if !known {
		name = string(value.ByteArray())
		names[name] = name
	}
	*t.into = name
	return nil
}

// readBlocks reads the list of a row, whose first value is always there.
func (r *reader) readBlocks() error {
	r.row.Blocks = nil
	if r.blocks == nil {
		return nil
	}
	r.ids = r.ids[:0]
	value, err := r.blocks.next()
	if err != nil {
		return err
	}
	for value.DefinitionLevel() >= r.blocks.entryLevel {
		id := r.blocks.integer(value)
		if value.IsNull() || id < 0 && !r.blocks.unsigned {
			return fmt.Errorf("%s: must have ids that are not null and not negative", r.blocks.name)
		}
		r.ids = append(r.ids, uint64(id))
		following, err := r.blocks.peek()
		if errors.Is(err, io.EOF) || err == nil && following.RepetitionLevel() == 0 {
			break
		}
		if value, err = r.blocks.next(); err != nil {
			return err
		}
	}
	r.row.Blocks = r.ids
	return nil
}
