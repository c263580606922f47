// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// traceLines writes the trace of a simulation as JSON lines.
type traceLines struct {
	file   *os.File
	buffer *bufio.Writer
	zip    *gzip.Writer // nil where nothing is compressed
	out    io.Writer
	full   bool
	line   []byte // scratch
}

func newTraceLines(f *os.File, compressed, full bool) *traceLines {
	l := &traceLines{file: f, buffer: bufio.NewWriterSize(f, 1<<16), full: full}
	l.out = l.buffer
	if compressed {
		l.zip = gzip.NewWriter(l.buffer)
		l.out = l.zip
	}
	return l
}

// Decision implements [execute.TraceSink].
func (l *traceLines) Decision(d *execute.RoutingRecord) error {
	if l.full {
		l.line = d.AppendRecord(l.line[:0])
	} else {
		l.line = d.AppendLine(l.line[:0])
	}
	d.Release()
	return l.write()
}

// Record implements [execute.TraceSink].
func (l *traceLines) Record(r result.Record) error {
	l.line = result.AppendRecord(l.line[:0], r)
	return l.write()
}

func (l *traceLines) write() error {
	if _, err := l.out.Write(l.line); err != nil {
		return fmt.Errorf("write %s: %w", l.file.Name(), err)
	}
	return nil
}

// Close implements [execute.TraceSink].
func (l *traceLines) Close() error {
	var err error
	if l.zip != nil {
		err = l.zip.Close()
	}
	return errors.Join(err, l.buffer.Flush(), l.file.Close())
}
