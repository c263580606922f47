// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Format is the format of a log of measured requests.
type Format string

const (
	// JSONL is one JSON object a line with at least the fields of a log, which
	// are numbers.
	JSONL Format = "JSONL"
	// CSV has a header that names at least the fields of a log, in any order,
	// and then one request a line. No field is quoted.
	CSV Format = "CSV"
)

// Formats lists the formats that ReadLog takes.
func Formats() []Format { return []Format{JSONL, CSV} }

// The fields of a log. Times are seconds on one clock, the engine's, since any
// instant; lengths are tokens. Whatever else a line says is passed over.
const (
	fieldQueued     = "queued_ts"
	fieldFirstToken = "first_token_ts"
	fieldLastToken  = "last_token_ts"
	fieldInput      = "input_toks"
	fieldOutput     = "output_toks"
)

var logFields = [...]string{fieldQueued, fieldFirstToken, fieldLastToken, fieldInput, fieldOutput}

// maxLineBytes bounds a line, so that a file which is no log is an error before
// it fills the memory.
const maxLineBytes = 8 << 20

// ReadLog reads measured requests in the order of the log. The first fault
// ends the reading with an error "name: line N: field: what".
func ReadLog(format Format, r io.Reader, name string) ([]Request, error) {
	var parse func(n int, text []byte) (logRow, bool, error)
	switch format {
	case JSONL:
		parse = parseJSONLine
	case CSV:
		parse = (&csvLog{}).parse
	default:
		return nil, fmt.Errorf("%s: unknown log format %q, want one of %v", name, format, Formats())
	}
	var requests []Request
	err := eachLine(r, func(n int, text []byte) error {
		row, ok, err := parse(n, text)
		if err != nil || !ok {
			return err
		}
		q, err := row.request()
		requests = append(requests, q)
		return err
	})
	if err == nil && len(requests) == 0 {
		err = errors.New("a log without requests")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return requests, nil
}

// eachLine calls line with each line that is not blank, and its number from 1.
func eachLine(r io.Reader, line func(n int, text []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := line(n, text); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// logRow is what a line says; nil is a field that it lacks.
type logRow struct {
	Queued     *float64 `json:"queued_ts"`
	FirstToken *float64 `json:"first_token_ts"`
	LastToken  *float64 `json:"last_token_ts"`
	Input      *float64 `json:"input_toks"`
	Output     *float64 `json:"output_toks"`
}

// values are in the order of logFields.
func (l *logRow) values() [len(logFields)]**float64 {
	return [...]**float64{&l.Queued, &l.FirstToken, &l.LastToken, &l.Input, &l.Output}
}

// maxSeconds keeps times within whole nanoseconds of 64 bits.
const maxSeconds = 9e9

// request checks a row by itself.
func (l *logRow) request() (Request, error) {
	for i, v := range l.values() {
		if *v == nil {
			return Request{}, fmt.Errorf("%s: is missing", logFields[i])
		}
	}
	for i, v := range []float64{*l.Queued, *l.FirstToken, *l.LastToken} {
		if !(math.Abs(v) <= maxSeconds) {
			return Request{}, fmt.Errorf("%s: must be seconds, got %v", logFields[i], v)
		}
	}
	for i, v := range []float64{*l.Input, *l.Output} {
		if !(v >= 1 && v <= workload.MaxTokens && v == math.Floor(v)) {
			return Request{}, fmt.Errorf("%s: must be a whole number of tokens between 1 and %d, got %v", logFields[3+i], workload.MaxTokens, v)
		}
	}
	q := Request{
		Queued:       nanoseconds(*l.Queued),
		FirstToken:   nanoseconds(*l.FirstToken),
		LastToken:    nanoseconds(*l.LastToken),
		InputTokens:  int(*l.Input),
		OutputTokens: int(*l.Output),
	}
	switch {
	case q.FirstToken <= q.Queued:
		return Request{}, fmt.Errorf("%s: must be later than %s", fieldFirstToken, fieldQueued)
	case q.LastToken < q.FirstToken, q.LastToken == q.FirstToken && q.OutputTokens > 1:
		return Request{}, fmt.Errorf("%s: must be later than %s", fieldLastToken, fieldFirstToken)
	}
	return q, nil
}

func nanoseconds(seconds float64) simtime.Time { return simtime.Time(math.Round(seconds * 1e9)) }
