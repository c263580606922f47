// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/result"
)

// WriteParquet selects rows and writes them as a Parquet file with the columns
// that [Query.WriteCSV] has, in that order, and the key in front: parameters are
// texts, metrics doubles in base units, and both null if absent. A
// parameter that has the name of another column is called parameter.NAME.
func (q *Query) WriteParquet(w io.Writer, rows []result.Row, parameters Parameters) error {
	rows = q.Select(rows)
	table := q.parquetTable(rows, parameters)
	out := parquet.NewWriter(w, parquet.NewSchema("row", table), parquet.Compression(&parquet.Snappy))
	line := make(parquet.Row, len(table.columns))
	for i := range rows {
		for j, c := range table.columns {
			level := 0
			value := c.value(&rows[i])
			if c.Optional() && !value.IsNull() {
				level = 1
			}
			line[j] = value.Level(0, level, j)
		}
		if _, err := out.WriteRows([]parquet.Row{line}); err != nil {
			return fmt.Errorf("write rows as Parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write rows as Parquet: %w", err)
	}
	return nil
}

// parquetTable is a schema whose columns stand in the order in which they were
// added: a parquet.Group sorts them by name.
type parquetTable struct {
	parquet.Group
	columns []parquetColumn
}

// parquetColumn is a column and how a row's value in it is found.
type parquetColumn struct {
	parquet.Node
	name  string
	value func(*result.Row) parquet.Value
}

// Name and Value make it a field of a schema. Rows are written value by value.
func (c parquetColumn) Name() string                          { return c.name }
func (c parquetColumn) Value(reflect.Value) (v reflect.Value) { return v }

// Fields returns the columns in their order.
func (t *parquetTable) Fields() []parquet.Field {
	fields := make([]parquet.Field, len(t.columns))
	for i, c := range t.columns {
		fields[i] = c
	}
	return fields
}

// add appends a column. A name that is taken gets a prefix.
func (t *parquetTable) add(name string, node parquet.Node, value func(*result.Row) parquet.Value) {
	for slices.ContainsFunc(t.columns, func(c parquetColumn) bool { return c.name == name }) {
		name = "parameter." + name
	}
	t.columns = append(t.columns, parquetColumn{node, name, value})
}

func (q *Query) parquetTable(rows []result.Row, parameters Parameters) *parquetTable {
	t := &parquetTable{Group: parquet.Group{}}
	number := parquet.Leaf(parquet.DoubleType)
	if haveObjects(rows) {
		t.add("object", parquet.String(), func(r *result.Row) parquet.Value { return parquetText(r.Object) })
	}
	t.add("key", parquet.String(), func(r *result.Row) parquet.Value { return parquetText(r.Key) })
	t.add("point", parquet.Int(64), func(r *result.Row) parquet.Value { return parquet.Int64Value(int64(r.Point)) })
	t.add("share", number, func(r *result.Row) parquet.Value { return parquet.DoubleValue(r.Share) })
	t.add("seed", parquet.Int(64), func(r *result.Row) parquet.Value { return parquet.Int64Value(r.Seed) })
	if haveWorkloads(rows) {
		t.add("workload", parquet.String(), func(r *result.Row) parquet.Value { return parquetText(r.Workload) })
	}
	own := len(t.columns)
	for _, c := range q.columns(rows) {
		from := c.Reader()
		t.add(c.String(), parquet.Optional(number), func(r *result.Row) parquet.Value {
			if value, ok := from.Value(r); ok {
				return parquet.DoubleValue(value)
			}
			return parquet.NullValue()
		})
	}
	t.add("error", parquet.String(), func(r *result.Row) parquet.Value { return parquetText(r.Error) })
	metrics := len(t.columns)
	for _, name := range parameters.names(rows) {
		t.add(name, parquet.Optional(parquet.String()), func(r *result.Row) parquet.Value {
			if text := parameters.value(r, name); text != "" {
				return parquetText(text)
			}
			return parquet.NullValue()
		})
	}
	// Parameters stand before the metrics, as in CSV, and give way in a clash.
	t.columns = slices.Concat(t.columns[:own], t.columns[metrics:], t.columns[own:metrics])
	return t
}

func parquetText(text string) parquet.Value { return parquet.ByteArrayValue([]byte(text)) }
