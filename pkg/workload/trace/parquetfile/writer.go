// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A row group ends after a number of rows or of ids of blocks. A writer holds one in memory.
const groupRows, groupBlocks = 1 << 16, 1 << 20

// writer writes rows, a row group at a time.
type writer struct {
	out          *parquet.GenericWriter[trace.ParquetRow]
	one          [1]trace.ParquetRow
	rows, blocks int // in the row group
}

// Write implements [trace.ParquetWriter].
func (w *writer) Write(row *trace.ParquetRow) error {
	w.one[0] = *row
	if _, err := w.out.Write(w.one[:]); err != nil {
		return err
	}
	w.rows++
	w.blocks += len(row.Blocks)
	if w.rows < groupRows && w.blocks < groupBlocks {
		return nil
	}
	w.rows, w.blocks = 0, 0
	return w.out.Flush()
}

// Close implements [trace.ParquetWriter].
func (w *writer) Close() error { return w.out.Close() }
