// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TraceV2 is the data file of inference-sim's second trace format, a CSV; its YAML header
// is a file of its own and is not needed. Times are arrival_time_us in µs, and lengths
// input_tokens and output_tokens. A prompt is prefix_length tokens, which requests of one
// prefix_group share, and then input_tokens. Prefixes are shared in blocks of 16 tokens.
// tenant_id, slo_class, session_id, model and adapter are read where they are there, and no
// request_id may occur twice. A row with 0 output tokens is a request that failed:
// Options.ZeroOutput says what becomes of it. The columns vllm_priority and deadline_us, and
// those that say how requests were served, are not read.
const TraceV2 Format = "TraceV2"

const traceV2BlockTokens = 16

var traceV2 = format{
	name: TraceV2,
	matches: func(text string) bool {
		return strings.HasPrefix(text, "request_id,client_id,")
	},
	beginning:   256,
	expected:    "is CSV that begins with request_id,client_id",
	blockTokens: traceV2BlockTokens,
	header:      true,
	newParser:   newTraceV2Parser,
	newWriter:   newTraceV2Writer,
	carries:     traitNames(sessionTrait, tenantTrait, classTrait, modelTrait, adapterTrait),
	times:       Microseconds,
	tick:        time.Microsecond,
}

// traceV2Columns are the columns that are read, in order of their indices.
var traceV2Columns = []string{
	"arrival_time_us", "input_tokens", "output_tokens", "prefix_group", "prefix_length",
	"tenant_id", "slo_class", "session_id", "model", "adapter",
}

// traceV2ID is the column of the ids of rows. No id occurs twice.
const traceV2ID = "request_id"

func newTraceV2Parser(Options) parser {
	table := newCSVTable(',', append(slices.Clone(traceV2Columns), traceV2ID)...)
	table.optional = table.columns[3:]
	seen := newIDSet()
	clock := &clock{field: traceV2Columns[0], format: Microseconds}
	var ids []uint64
	return func(rec *record, n int, text []byte) (bool, error) {
		*rec = record{timeField: clock.field, outputField: traceV2Columns[2]}
		if ok, err := table.line(n, text); err != nil || !ok {
			return false, err
		}
		err := table.unique(len(traceV2Columns), seen)
		if err != nil {
			return false, err
		}
		if rec.at, err = clock.at(table.field(0)); err != nil {
			return false, err
		}
		if rec.output, err = table.answer(); err != nil {
			return false, err
		}
		if ids, err = table.prefix(rec, ids[:0]); err != nil {
			return false, err
		}
		rec.ids = ids
		for i, name := range []*string{&rec.tenant, &rec.class, &rec.session, &rec.model, &rec.adapter} {
			if *name, err = table.name(5 + i); err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// prefix reads a prompt's length, and appends the ids of the full blocks of the prefix
// that it shares with its group.
func (t *csvTable) prefix(rec *record, ids []uint64) ([]uint64, error) {
	own, err := t.count(1)
	if err != nil {
		return ids, err
	}
	shared := uint64(0)
	group := t.field(3)
	if t.has(4) && (len(group) > 0 || len(t.field(4)) > 0) {
		if shared, err = t.count(4); err != nil {
			return ids, err
		}
		if shared > workload.MaxTokens {
			return ids, invalidField("prefix_length", "must be at most %d tokens, got %d", workload.MaxTokens, shared)
		}
	}
	if len(group) == 0 {
		shared = 0 // without a group there is no prefix
	} else {
		hash := stats.HashString(string(group))
		for i := range shared / traceV2BlockTokens {
			ids = append(ids, stats.Hash64(hash, i))
		}
	}
	if own > workload.MaxTokens {
		return ids, invalidField("input_tokens", "must be at most %d tokens, got %d", workload.MaxTokens, own)
	}
	rec.input, err = tokens("input_tokens", own+shared)
	return ids, err
}
