// SPDX-License-Identifier: Apache-2.0

package main

import (
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
// simulations in order, and the decisions of each in the order in which their requests
// ended. The format follows from the name.
type decisionLog struct {
	name   string
	object string
	parts  []*decisionPart
	// stop ends the simulations when a file cannot be written.
	stop context.CancelCauseFunc
}

// decisionPart is one simulation's file.
type decisionPart struct {
	file *os.File
	out  decisionFormat
	err  error
}

// A decisionFormat writes the decisions of one simulation to a file.
type decisionFormat interface {
	write(*execute.Decision) error
	close() error
}

// format makes what writes decisions to a file.
func (l *decisionLog) format(f io.Writer) decisionFormat {
	if strings.HasSuffix(l.name, ".parquet") {
		return newDecisionTable(f, l.object)
	}
	return newDecisionLines(f, strings.HasSuffix(l.name, ".gz"))
}

// grow makes files for more simulations, beside the one that is to be.
func (l *decisionLog) grow(simulations int) error {
	for range simulations {
		f, err := os.Create(l.part(len(l.parts)))
		if err != nil {
			return badInputError{err}
		}
		l.parts = append(l.parts, &decisionPart{file: f, out: l.format(f)})
	}
	return nil
}

func (l *decisionLog) part(simulation int) string {
	return fmt.Sprintf("%s.partial.%d", l.name, simulation)
}

// decided writes one decision.
func (l *decisionLog) decided(simulation int, d *execute.Decision) {
	p := l.parts[simulation]
	if p.err != nil {
		return
	}
	if p.err = p.out.write(d); p.err != nil {
		l.stop(fmt.Errorf("write %s: %w", p.file.Name(), p.err))
	}
	d.Release()
}

func (p *decisionPart) close() error { return errors.Join(p.err, p.out.close(), p.file.Close()) }

// finish puts the parts together under the name, or leaves nothing.
func (l *decisionLog) finish() error {
	var errs []error
	for _, p := range l.parts {
		errs = append(errs, p.close())
	}
	err := errors.Join(errs...)
	if err == nil {
		err = writeWhole(l.name, l.join)
	}
	return errors.Join(err, l.discard())
}

// join writes the decisions of all parts.
func (l *decisionLog) join(w io.Writer) error {
	join, end := joinFiles(w)
	if strings.HasSuffix(l.name, ".parquet") {
		join, end = joinDecisionTables(w)
	}
	for i := range l.parts {
		f, err := os.Open(l.part(i))
		if err != nil {
			return err
		}
		if err := errors.Join(join(f), f.Close()); err != nil {
			return err
		}
	}
	return end()
}

// joinFiles writes files one after the other, as lines and members of a gzip file allow.
func joinFiles(w io.Writer) (join func(*os.File) error, end func() error) {
	return func(f *os.File) error {
		_, err := io.Copy(w, f)
		return err
	}, func() error { return nil }
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
	l := &decisionLog{name: o.trace, object: run.Name, stop: stop}
	conducted, err := o.execute(ctx, run.Name, run.Compiled, executor{began: l.grow, decided: l.decided, series: o.bins(run)})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, errors.Join(err, l.discard())
	}
	return conducted, l.finish()
}
