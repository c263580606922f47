// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/result"
)

// rowGroupRequests bounds the rows of a row group, and so what a writer holds in
// memory: about 150 bytes a row.
const rowGroupRequests = 1 << 16

// RequestWriter writes requests as a Parquet file, a row group at a time.
type RequestWriter struct {
	out *parquet.GenericWriter[result.RequestRow]
	one [1]result.RequestRow
}

// NewRequestWriter returns a writer that has to be closed.
func NewRequestWriter(w io.Writer) *RequestWriter {
	return &RequestWriter{out: parquet.NewGenericWriter[result.RequestRow](w,
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroupRequests))}
}

// Write appends a request.
func (w *RequestWriter) Write(r *result.RequestRow) error {
	w.one[0] = *r
	if _, err := w.out.Write(w.one[:]); err != nil {
		return fmt.Errorf("write requests as Parquet: %w", err)
	}
	return nil
}

// Append appends the requests of a file that another writer wrote.
func (w *RequestWriter) Append(file io.ReaderAt) error {
	in := parquet.NewGenericReader[result.RequestRow](file)
	rows := make([]result.RequestRow, 256)
	for {
		n, err := in.Read(rows)
		for i := range rows[:n] {
			if err := w.Write(&rows[i]); err != nil {
				return errors.Join(err, in.Close())
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return in.Close()
		case err != nil:
			return errors.Join(fmt.Errorf("read requests: %w", err), in.Close())
		}
	}
}

// Close writes what is left and the file's end.
func (w *RequestWriter) Close() error {
	if err := w.out.Close(); err != nil {
		return fmt.Errorf("write requests as Parquet: %w", err)
	}
	return nil
}
