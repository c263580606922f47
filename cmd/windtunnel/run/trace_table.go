// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

// traceTables writes the trace of a simulation as Parquet files: one of decisions, and one for each
// other kind of records that there is.
type traceTables struct {
	object string
	file   *os.File
	out    *dataframe.Table[result.DecisionRow]
	rows   []result.DecisionRow
	// held are the decisions of the rows, which point into them.
	held    []*execute.RoutingRecord
	create  func(result.RecordKind) (*os.File, error)
	records map[result.RecordKind]*recordFile
}

// recordFile is the table of records of one kind.
type recordFile struct {
	dataframe.RecordWriter
	file *os.File
}

// decisionsAtOnce is how many rows a table gets at a time.
const decisionsAtOnce = 64

func newTraceTables(f *os.File, object string, create func(result.RecordKind) (*os.File, error)) *traceTables {
	return &traceTables{
		object: object, file: f, out: dataframe.NewDecisionWriter(f), rows: make([]result.DecisionRow, 0, decisionsAtOnce),
		create: create, records: map[result.RecordKind]*recordFile{},
	}
}

// Decision implements [execute.TraceSink].
func (t *traceTables) Decision(d *execute.RoutingRecord) error {
	n := len(t.rows)
	t.rows = t.rows[:n+1]
	d.Row(t.object, &t.rows[n])
	t.held = append(t.held, d)
	if n+1 < cap(t.rows) {
		return nil
	}
	return t.flush()
}

func (t *traceTables) flush() error {
	err := t.out.Write(t.rows)
	t.rows = t.rows[:0]
	for _, d := range t.held {
		d.Release()
	}
	t.held = t.held[:0]
	return err
}

// Record implements [execute.TraceSink].
func (t *traceTables) Record(r result.Record) error {
	to := t.records[r.Kind()]
	if to == nil {
		f, err := t.create(r.Kind())
		if err != nil {
			return fmt.Errorf("write %s records: %w", r.Kind(), err)
		}
		to = &recordFile{dataframe.NewRecordWriter(r.Kind(), f), f}
		t.records[r.Kind()] = to
	}
	r.Of().Object = t.object
	return to.Write(r)
}

// Close implements [execute.TraceSink].
func (t *traceTables) Close() error {
	errs := []error{t.flush(), t.out.Close(), t.file.Close()}
	for _, kind := range result.RecordKinds {
		if of := t.records[kind]; of != nil {
			errs = append(errs, of.Close(), of.file.Close())
		}
	}
	return errors.Join(errs...)
}

// joinTables writes the rows of several files of one kind as one.
func joinTables(kind result.RecordKind, w io.Writer) (join func(*os.File) error, end func() error) {
	var out interface {
		Append(file io.ReaderAt, size int64) error
		Close() error
	} = dataframe.NewDecisionWriter(w)
	if kind != result.RoutingKind {
		out = dataframe.NewRecordWriter(kind, w)
	}
	return func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return out.Append(f, info.Size())
	}, out.Close
}
