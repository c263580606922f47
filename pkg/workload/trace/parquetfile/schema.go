// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

const blocksColumn = "blocks"

// numbersOf and textsOf are the columns that a row may have in addition to blocks.
func numbersOf(row *trace.ParquetRow) map[string]**int64 {
	return map[string]**int64{
		"arrival_ns": &row.ArrivalNs, "delay_ns": &row.DelayNs, "input_tokens": &row.InputTokens,
		"output_tokens": &row.OutputTokens, "priority": &row.Priority,
	}
}

func textsOf(row *trace.ParquetRow) map[string]*string {
	return map[string]*string{
		"session": &row.Session, "tenant": &row.Tenant, "class": &row.Class, "model": &row.Model, "adapter": &row.Adapter,
	}
}

// required are the columns without which no row is one.
var required = []string{"input_tokens", "output_tokens"}

// findColumns finds the columns of a file. It returns all faults of the schema.
func (r *reader) findColumns() error {
	numbers, texts := numbersOf(&r.row), textsOf(&r.row)
	var faults []error
	var found []string
	for _, node := range r.file.Root().Columns() {
		name := node.Name()
		found = append(found, name)
		c, is := inspect(node)
		want := aList
		if numbers[name] != nil {
			want = aNumber
		} else if texts[name] != nil {
			want = aText
		} else if name != blocksColumn {
			faults = append(faults, fmt.Errorf("unknown column %s, want %s", name, strings.Join(columnNames(), ", ")))
			continue
		}
		switch {
		case is != want:
			faults = append(faults, fmt.Errorf("column %s: must have %s, got %s", name, want, typeOf(node)))
		case want == aNumber:
			r.numbers = append(r.numbers, number{column: c, into: numbers[name]})
		case want == aText:
			r.texts = append(r.texts, text{column: c, into: texts[name]})
		default:
			r.blocks = &c
		}
	}
	for _, name := range required {
		if !slices.Contains(found, name) {
			faults = append(faults, fmt.Errorf("column %s: is missing", name))
		}
	}
	return errors.Join(faults...)
}

// typeOf names the type of a column.
func typeOf(node *parquet.Column) string {
	if node.Leaf() {
		return node.Type().String()
	}
	return "a group of columns"
}

// columnNames are those of all columns, in the order in which they are written.
func columnNames() []string {
	var names []string
	for _, field := range parquet.SchemaOf(trace.ParquetRow{}).Fields() {
		names = append(names, field.Name())
	}
	return names
}

// shape is what the values of a column are, in words.
type shape string

const (
	aNumber shape = "whole numbers of 32 or 64 bits"
	aText   shape = "texts"
	aList   shape = "lists of whole numbers of 32 or 64 bits"
	another shape = "something else"
)

// inspect returns how a column is read, and what its values are.
func inspect(node *parquet.Column) (column, shape) {
	c := column{name: node.Name()}
	depth, repeated := 1, 0
	for ; ; depth++ {
		if node.Repeated() {
			repeated++
		}
		if repeated == 0 || repeated == 1 && node.Repeated() {
			// Down to the repeated node, each node that need not be there is a level.
			if !node.Required() {
				c.entryLevel++
			}
		}
		if node.Leaf() {
			break
		}
		below := node.Columns()
		if len(below) != 1 {
			return c, another
		}
		node = below[0]
	}
	c.index = node.Index()
	c.repetitions, c.definitions = node.MaxRepetitionLevel(), node.MaxDefinitionLevel()
	whole, signed := isWhole(node)
	c.unsigned = !signed
	switch {
	case repeated == 0 && depth == 1 && whole:
		return c, aNumber
	case repeated == 0 && depth == 1 && node.Type().Kind() == parquet.ByteArray:
		return c, aText
	case repeated == 1 && whole:
		return c, aList
	}
	return c, another
}

// isWhole reports whether a leaf has whole numbers that mean nothing else, such as a date, and
// whether they may be negative.
func isWhole(leaf *parquet.Column) (whole, signed bool) {
	if kind := leaf.Type().Kind(); kind != parquet.Int32 && kind != parquet.Int64 {
		return false, false
	}
	logical := leaf.Type().LogicalType()
	if logical == nil {
		return true, true
	}
	integer, ok := logical.Value.(*format.IntType)
	return ok, ok && integer.IsSigned
}

// compressions are those that are read. With broken data of the others, the library takes
// memory without end.
var compressions = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Zstd}

// checkCompression returns the columns with other compressions.
func checkCompression(file *format.FileMetaData) error {
	var faults []error
	known := map[string]bool{}
	for _, group := range file.RowGroups {
		for _, chunk := range group.Columns {
			name, codec := strings.Join(chunk.MetaData.PathInSchema, "."), chunk.MetaData.Codec
			if !slices.Contains(compressions, codec) && !known[name] {
				known[name] = true
				faults = append(faults, fmt.Errorf("column %s: must be compressed with SNAPPY, GZIP or ZSTD, or not at all, got %s", name, codec))
			}
		}
	}
	return errors.Join(faults...)
}
