// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

// decisionTable writes decisions as rows of a Parquet file, some at a time.
type decisionTable struct {
	out    *dataframe.DecisionWriter
	object string
	rows   []result.DecisionRow
}

// decisionsAtOnce is how many rows a table gets at a time.
const decisionsAtOnce = 64

func newDecisionTable(w io.Writer, object string) *decisionTable {
	return &decisionTable{dataframe.NewDecisionWriter(w), object, make([]result.DecisionRow, 0, decisionsAtOnce)}
}

func (t *decisionTable) write(d *execute.Decision) error {
	n := len(t.rows)
	t.rows = t.rows[:n+1]
	d.Row(t.object, &t.rows[n])
	if n+1 < cap(t.rows) {
		return nil
	}
	return t.flush()
}

func (t *decisionTable) flush() error {
	err := t.out.Write(t.rows)
	t.rows = t.rows[:0]
	return err
}

func (t *decisionTable) close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.out.Close()
}

// joinDecisionTables writes the rows of several files as one.
func joinDecisionTables(w io.Writer) (join func(*os.File) error, end func() error) {
	out := dataframe.NewDecisionWriter(w)
	return func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return out.Append(f, info.Size())
	}, out.Close
}
