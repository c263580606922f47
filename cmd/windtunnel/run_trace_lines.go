// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
)

// decisionLines writes decisions as JSON lines.
type decisionLines struct {
	buffer *bufio.Writer
	zip    *gzip.Writer // nil where nothing is compressed
	out    io.Writer
	line   []byte // scratch
}

func newDecisionLines(w io.Writer, compressed bool) *decisionLines {
	l := &decisionLines{buffer: bufio.NewWriterSize(w, 1<<16)}
	l.out = l.buffer
	if compressed {
		l.zip = gzip.NewWriter(l.buffer)
		l.out = l.zip
	}
	return l
}

func (l *decisionLines) write(d *execute.Decision) error {
	l.line = d.AppendLine(l.line[:0])
	_, err := l.out.Write(l.line)
	return err
}

func (l *decisionLines) close() error {
	var err error
	if l.zip != nil {
		err = l.zip.Close()
	}
	return errors.Join(err, l.buffer.Flush())
}
