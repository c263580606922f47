// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
)

// A decisionLog writes the decisions of simulations that run at once, each into
// a file of its own, and puts these together when all have ended: the
// simulations in order, one decision a line, in the order in which requests end. With a name that ends in .gz every
// simulation is a member of a gzip file.
type decisionLog struct {
	name  string
	parts []*decisionPart
	// stop ends the simulations when a file cannot be written.
	stop context.CancelCauseFunc
}

// decisionPart is one simulation's file.
type decisionPart struct {
	file   *os.File
	buffer *bufio.Writer
	zip    *gzip.Writer // nil where nothing is compressed
	out    io.Writer
	line   []byte // scratch
	err    error
}

// grow makes files for more simulations, beside the one that is to be.
func (l *decisionLog) grow(simulations int) error {
	for range simulations {
		f, err := os.Create(l.part(len(l.parts)))
		if err != nil {
			return badInputError{err}
		}
		l.parts = append(l.parts, newDecisionPart(f, strings.HasSuffix(l.name, ".gz")))
	}
	return nil
}

func (l *decisionLog) part(simulation int) string {
	return fmt.Sprintf("%s.partial.%d", l.name, simulation)
}

func newDecisionPart(f *os.File, compressed bool) *decisionPart {
	p := &decisionPart{file: f, buffer: bufio.NewWriter(f)}
	var w io.Writer = p.buffer
	if compressed {
		p.zip = gzip.NewWriter(w)
		w = p.zip
	}
	p.out = w
	return p
}

// decided writes one decision.
func (l *decisionLog) decided(simulation int, d *execute.Decision) {
	p := l.parts[simulation]
	if p.err != nil {
		return
	}
	p.line = d.AppendLine(p.line[:0])
	d.Release()
	if _, p.err = p.out.Write(p.line); p.err != nil {
		l.stop(fmt.Errorf("write %s: %w", p.file.Name(), p.err))
	}
}

func (p *decisionPart) close() error {
	if p.zip != nil {
		p.err = errors.Join(p.err, p.zip.Close())
	}
	return errors.Join(p.err, p.buffer.Flush(), p.file.Close())
}

// finish puts the parts together under the name, or leaves nothing.
func (l *decisionLog) finish() error {
	var errs []error
	for _, p := range l.parts {
		errs = append(errs, p.close())
	}
	err := errors.Join(errs...)
	if err == nil {
		err = writeWhole(l.name, l.copyParts)
	}
	return errors.Join(err, l.discard())
}

func (l *decisionLog) copyParts(w io.Writer) error {
	for i := range l.parts {
		f, err := os.Open(l.part(i))
		if err != nil {
			return err
		}
		_, err = io.Copy(w, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// discard removes the parts.
func (l *decisionLog) discard() error {
	var errs []error
	for i, p := range l.parts {
		_ = p.file.Close() // a second time, perhaps
		errs = append(errs, os.RemoveAll(l.part(i)))
	}
	return errors.Join(errs...)
}

// traced simulates all of a plan and writes its decisions.
func (o *runOptions) traced(ctx context.Context, run compiledRun) (*execute.LocalRun, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l := &decisionLog{name: o.trace, stop: stop}
	conducted, err := o.execute(ctx, run.Name, run.Compiled, executor{began: l.grow, decided: l.decided})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, errors.Join(err, l.discard())
	}
	return conducted, l.finish()
}
