// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// RequestRow is one request of a simulation, as a row of a Parquet file. The names
// of columns have their units; a cell is null where nothing was measured.
type RequestRow struct {
	// Object, Point and Seed name the simulation, Request the request in it, from 0
	// in order of arrival.
	Object  string `parquet:"object,dict"`
	Point   int64  `parquet:"point"`
	Seed    int64  `parquet:"seed"`
	Request int64  `parquet:"request"`
	// ArrivalSeconds is from the start of the run. Measured is false of requests
	// of the warm-up, which are in no figure of a table.
	ArrivalSeconds float64 `parquet:"arrival_seconds"`
	Measured       bool    `parquet:"measured"`
	Class          string  `parquet:"class,dict"`
	Tenant         string  `parquet:"tenant,dict"`
	// Pool and Replica are null where none took the request.
	Pool    *string `parquet:"pool,dict"`
	Replica *string `parquet:"replica,dict"`
	// Outcome is completed, rejected, failed or unfinished, Reason why the request
	// was rejected, such as shed.
	Outcome string  `parquet:"outcome,dict"`
	Reason  *string `parquet:"reason,dict"`
	// TTFTSeconds is of requests that got a token, TPOTSeconds of completed ones
	// with two tokens or more, E2ESeconds of completed ones.
	TTFTSeconds *float64 `parquet:"ttft_seconds"`
	TPOTSeconds *float64 `parquet:"tpot_seconds"`
	E2ESeconds  *float64 `parquet:"e2e_seconds"`
	// PromptTokens = GPUTokens + CPUTokens + StorageTokens + ComputedTokens where
	// the request was scheduled: found in the KV cache of the replica that computes
	// the prompt, in the tiers below it, and computed. OutputTokens are of
	// completed requests. RemoteTokens are those of the prompt that were handed
	// over to the replica that decodes; they count in the others too.
	PromptTokens   int64  `parquet:"prompt_tokens"`
	OutputTokens   *int64 `parquet:"output_tokens"`
	GPUTokens      *int64 `parquet:"gpu_tokens"`
	CPUTokens      *int64 `parquet:"cpu_tokens"`
	StorageTokens  *int64 `parquet:"storage_tokens"`
	ComputedTokens *int64 `parquet:"computed_tokens"`
	RemoteTokens   *int64 `parquet:"remote_tokens"`
}

// rowGroupRequests bounds the rows of a row group, and so what a writer holds in
// memory: about 150 bytes a row.
const rowGroupRequests = 1 << 16

// RequestWriter writes requests as a Parquet file, a row group at a time.
type RequestWriter struct {
	out *parquet.GenericWriter[RequestRow]
	one [1]RequestRow
}

// NewRequestWriter returns a writer that has to be closed.
func NewRequestWriter(w io.Writer) *RequestWriter {
	return &RequestWriter{out: parquet.NewGenericWriter[RequestRow](w,
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroupRequests))}
}

// Write appends a request.
func (w *RequestWriter) Write(r *RequestRow) error {
	w.one[0] = *r
	if _, err := w.out.Write(w.one[:]); err != nil {
		return fmt.Errorf("write requests as Parquet: %w", err)
	}
	return nil
}

// Append appends the requests of a file that another writer wrote.
func (w *RequestWriter) Append(file io.ReaderAt) error {
	in := parquet.NewGenericReader[RequestRow](file)
	rows := make([]RequestRow, 256)
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
