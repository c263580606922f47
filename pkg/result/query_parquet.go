// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet selects rows and writes them as a Parquet file, with the columns
// that [Query.WriteJSON] has: key, point, share, seed and error; parameters and
// metrics are groups, of texts and of doubles in base units, null where there is
// none. A group without columns is left out.
func (q *Query) WriteParquet(w io.Writer, rows []Row, parameters Parameters) error {
	rows = q.Select(rows)
	table := parquetTable{parameters: parameters, metrics: map[string]source{}}
	schema := table.schema(parameters.names(rows), q.columns(rows))
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Snappy))
	columns := schema.Columns()
	line := make(parquet.Row, len(columns))
	for i := range rows {
		for j, path := range columns {
			value, level := table.cell(&rows[i], path)
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

// parquetTable looks up the cells of rows.
type parquetTable struct {
	parameters Parameters
	metrics    map[string]source
}

// Names of the table's groups.
const (
	parameterGroup = "parameters"
	metricGroup    = "metrics"
)

func (t *parquetTable) schema(names []string, columns []Measure) *parquet.Schema {
	root := parquet.Group{
		"key": parquet.String(), "error": parquet.String(),
		"point": parquet.Int(64), "seed": parquet.Int(64), "share": parquet.Leaf(parquet.DoubleType),
	}
	if len(names) > 0 {
		group := parquet.Group{}
		for _, name := range names {
			group[name] = parquet.Optional(parquet.String())
		}
		root[parameterGroup] = group
	}
	if len(columns) > 0 {
		group := parquet.Group{}
		for _, column := range columns {
			group[column.String()] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
			t.metrics[column.String()] = column.source()
		}
		root[metricGroup] = group
	}
	return parquet.NewSchema("row", root)
}

// cell returns a row's value in a column and the level at which it is defined.
func (t *parquetTable) cell(r *Row, path []string) (parquet.Value, int) {
	switch path[0] {
	case "key":
		return parquet.ByteArrayValue([]byte(r.Key)), 0
	case "error":
		return parquet.ByteArrayValue([]byte(r.Error)), 0
	case "point":
		return parquet.Int64Value(int64(r.Point)), 0
	case "seed":
		return parquet.Int64Value(r.Seed), 0
	case "share":
		return parquet.DoubleValue(r.Share), 0
	case parameterGroup:
		if text := t.parameters.value(r.Point, path[1]); text != "" {
			return parquet.ByteArrayValue([]byte(text)), 1
		}
	case metricGroup:
		if value, ok := t.metrics[path[1]].value(r); ok {
			return parquet.DoubleValue(value), 1
		}
	}
	return parquet.NullValue(), 0
}
