// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/workload"
)

// RequestWriter writes requests as the rows of a trace in the format [Windtunnel]. It does
// not write the texts of answers, time-outs and headers. A replay begins when their run did, and
// not with the first of them.
type RequestWriter struct {
	out         *writer
	labels      workload.Labels
	blockTokens int
	record      record
}

// NewRequestWriter returns a writer of requests that have these labels. Prompts are written
// as blocks of a number of tokens: what they share of a block is lost. With blocks of 0 tokens,
// nothing of what prompts share is written.
func NewRequestWriter(w io.Writer, labels workload.Labels, blockTokens int) (*RequestWriter, error) {
	if blockTokens < 0 || blockTokens > maxBlockTokens {
		return nil, fmt.Errorf("blocks must have at most %d tokens, got %d", maxBlockTokens, blockTokens)
	}
	return &RequestWriter{out: newWriter(w, windtunnel, int32(blockTokens), nil), labels: labels, blockTokens: blockTokens}, nil
}

// Write writes a request. Requests come in order of arrival.
func (w *RequestWriter) Write(r *workload.Request) error { return w.WriteServed(r, Outcome{}) }

// WriteServed writes a request and how it was served.
func (w *RequestWriter) WriteServed(r *workload.Request, served Outcome) error {
	rec := &w.record
	priority := r.Priority
	*rec = record{
		at: int64(r.Arrival), begins: true, outcome: served, input: int32(r.Prompt.Tokens()), output: int32(r.OutputTokens), ids: rec.ids[:0],
		attributes: attributes{
			tenant: w.labels.Tenants[r.Tenant], class: w.labels.Classes[r.Class],
			model: nameAt(w.labels.Models, r.Model), adapter: nameAt(w.labels.Adapters, r.Adapter),
		},
	}
	if w.blockTokens > 0 {
		rec.ids = r.Prompt.FullBlocks(rec.ids, w.blockTokens)
	}
	if priority != 0 {
		rec.priority = &priority
	}
	if r.Session > 0 {
		rec.session = strconv.Itoa(int(r.Session))
	}
	return w.out.write(rec)
}

// Rows returns how many requests were written.
func (w *RequestWriter) Rows() int { return w.out.rows }

// Close writes the end of the trace.
func (w *RequestWriter) Close() error { return w.out.Close() }

// nameAt returns the name that a number counted from 1 stands for; "" for 0.
func nameAt(names []string, number int) string {
	if number == 0 {
		return ""
	}
	return names[number-1]
}
