// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// A traceLog writes the traces of simulations that run at once, each into files of its
// own, and puts these together when all have ended: the simulations in order, and the
// records of each in the order in which they were made. The format follows from the name.
type traceLog struct {
	name   string
	object string
	full   bool

	mu          sync.Mutex
	simulations []int
}

// traceFile is a file of a trace. A table has records of one kind.
type traceFile struct {
	name string
	kind result.RecordKind
}

// isTable reports whether a trace is of tables, and not of lines.
func (l *traceLog) isTable() bool { return strings.HasSuffix(l.name, parquetSuffix) }

const parquetSuffix = ".parquet"

// files are those of the trace when it is done: one of lines, or one table for each kind of records.
func (l *traceLog) files() []traceFile {
	files := []traceFile{{l.name, result.RoutingKind}}
	if l.isTable() && l.full {
		for _, kind := range result.RecordKinds {
			files = append(files, traceFile{l.tableOf(kind), kind})
		}
	}
	return files
}

// tableOf names the table of a kind next to that of decisions.
func (l *traceLog) tableOf(kind result.RecordKind) string {
	return strings.TrimSuffix(l.name, parquetSuffix) + "." + string(kind) + parquetSuffix
}

func partOf(file string, simulation int) string {
	return fmt.Sprintf("%s.partial.%d", file, simulation)
}

// open begins the trace of one simulation.
func (l *traceLog) open(simulation int) (execute.TraceSink, error) {
	l.mu.Lock()
	l.simulations = append(l.simulations, simulation)
	l.mu.Unlock()
	f, err := os.Create(partOf(l.name, simulation))
	if err != nil {
		return nil, cli.BadInput(err)
	}
	if l.isTable() {
		return newTraceTables(f, l.object, func(kind result.RecordKind) (*os.File, error) {
			return os.Create(partOf(l.tableOf(kind), simulation))
		}), nil
	}
	return newTraceLines(f, strings.HasSuffix(l.name, ".gz"), l.full), nil
}

// finish puts the parts together under the names, or leaves nothing.
func (l *traceLog) finish() error {
	var errs []error
	var written []string
	for _, f := range l.files() {
		if err := cli.WriteWhole(f.name, func(w io.Writer) error { return l.join(f, w) }); err != nil {
			errs = append(errs, err)
			break
		}
		written = append(written, f.name)
	}
	if len(errs) > 0 {
		for _, name := range written {
			errs = append(errs, os.Remove(name))
		}
	}
	return errors.Join(append(errs, l.discard())...)
}

// join writes the parts of a file, in the order of the simulations.
func (l *traceLog) join(file traceFile, w io.Writer) error {
	join, end := joinFiles(w)
	if l.isTable() {
		join, end = joinTables(file.kind, w)
	}
	for _, simulation := range slices.Sorted(slices.Values(l.simulations)) {
		f, err := os.Open(partOf(file.name, simulation))
		if errors.Is(err, os.ErrNotExist) {
			continue // there was no record of the kind
		}
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
func (l *traceLog) discard() error {
	var errs []error
	for _, simulation := range l.simulations {
		for _, f := range l.files() {
			errs = append(errs, os.RemoveAll(partOf(f.name, simulation)))
		}
	}
	return errors.Join(errs...)
}

// traced simulates all of a plan and writes its trace.
func (o *runOptions) traced(ctx context.Context, run local.Run) (*execute.LocalRun, error) {
	by := o.trace.of(run)
	l := &traceLog{name: o.trace.file, object: run.Name, full: by.Full}
	by.To = l.open
	conducted, err := o.Execute(ctx, run.Name, run.Compiled, local.Executor{Trace: &by, Series: o.bins(run)})
	if err != nil {
		return nil, errors.Join(err, l.discard())
	}
	return conducted, l.finish()
}
