// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/result"
)

// rowGroupDecisions bounds the rows of a row group, and so what a writer holds in memory:
// some 3 KiB a row among 16 endpoints.
const rowGroupDecisions = 1 << 12

// DecisionWriter writes decisions as a Parquet file, a row group at a time.
type DecisionWriter struct {
	out *parquet.GenericWriter[result.DecisionRow]
}

// NewDecisionWriter returns a writer that has to be closed.
func NewDecisionWriter(w io.Writer) *DecisionWriter {
	return &DecisionWriter{parquet.NewGenericWriter[result.DecisionRow](w,
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroupDecisions))}
}

// Write appends decisions.
func (w *DecisionWriter) Write(rows []result.DecisionRow) error {
	if _, err := w.out.Write(rows); err != nil {
		return fmt.Errorf("write decisions as Parquet: %w", err)
	}
	return nil
}

// Append appends the row groups of a file of so many bytes that another writer wrote. They
// are copied as they are.
func (w *DecisionWriter) Append(file io.ReaderAt, size int64) error {
	in, err := parquet.OpenFile(file, size)
	if err != nil {
		return fmt.Errorf("read decisions: %w", err)
	}
	for _, group := range in.RowGroups() {
		if _, err := w.out.WriteRowGroup(group); err != nil {
			return fmt.Errorf("write decisions as Parquet: %w", err)
		}
	}
	return nil
}

// Close writes what is left and the file's end.
func (w *DecisionWriter) Close() error {
	if err := w.out.Close(); err != nil {
		return fmt.Errorf("write decisions as Parquet: %w", err)
	}
	return nil
}
