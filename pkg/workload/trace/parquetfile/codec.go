// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Codec implements [trace.ParquetCodec].
type Codec struct{}

// Open implements [trace.ParquetCodec]. The file is read as its rows are: of each column, one
// page at a time is in memory.
func (Codec) Open(file io.ReaderAt, bytes int64) (r trace.ParquetReader, err error) {
	defer recovered(&err)
	if err := checkFooter(file, bytes); err != nil {
		return nil, fmt.Errorf("must be a whole Parquet file: %w", err)
	}
	opened, err := parquet.OpenFile(file, bytes, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.FileReadMode(parquet.ReadModeSync))
	if err != nil {
		return nil, fmt.Errorf("must be a whole Parquet file: %w", err)
	}
	rows := &reader{file: opened, groups: opened.RowGroups(), pages: newPageChecker(file, bytes), names: map[string]string{}}
	if err := errors.Join(rows.findColumns(), checkCompression(opened.Metadata())); err != nil {
		return nil, err
	}
	return rows, nil
}

// recovered turns a panic of the library, with which it meets some broken files, into an
// error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("must be a whole Parquet file: %v", r)
	}
}

// Create implements [trace.ParquetCodec].
func (Codec) Create(w io.Writer, metadata map[string]string) trace.ParquetWriter {
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Snappy), parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked),
		parquet.CreatedBy("windtunnel", "", ""),
	}
	for key, value := range metadata { // which the library sorts
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	return &writer{out: parquet.NewGenericWriter[trace.ParquetRow](w, options...)}
}
