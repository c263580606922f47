// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Bounds of what a writer of records holds in memory: the rows of a row group, of 100 to 200
// bytes each, and those that it writes at a time.
const (
	rowGroupRecords = 1 << 16
	recordsAtOnce   = 256
)

// A RecordWriter writes records of one kind as a Parquet file. It has to be closed.
type RecordWriter interface {
	// Write appends a record of the kind. It panics where the record is of another one.
	Write(r result.Record) error
	// Append appends the records of a file of a given size that another writer wrote.
	Append(file io.ReaderAt, size int64) error
	Close() error
}

// NewRecordWriter returns a writer of records of a kind, which is none of decisions.
func NewRecordWriter(kind result.RecordKind, w io.Writer) RecordWriter {
	switch kind {
	case result.PriorityKind:
		return newRecordTable[result.PriorityRecord](kind, w)
	case result.AdmissionKind:
		return newRecordTable[result.AdmissionRecord](kind, w)
	case result.BatchKind:
		return newRecordTable[result.BatchRecord](kind, w)
	case result.PreemptionKind:
		return newRecordTable[result.PreemptionRecord](kind, w)
	case result.HandOverKind:
		return newRecordTable[result.HandOverRecord](kind, w)
	case result.TransferKind:
		return newRecordTable[result.TransferRecord](kind, w)
	case result.ScalingKind:
		return newRecordTable[result.ScalingRecord](kind, w)
	case result.ReplicaKind:
		return newRecordTable[result.ReplicaRecord](kind, w)
	default:
		panic(fmt.Sprintf("dataframe: no records of kind %s", kind))
	}
}

// recordTable writes records some at a time.
type recordTable[T any] struct {
	*Table[T]
	rows []T
}

func newRecordTable[T any](kind result.RecordKind, w io.Writer) *recordTable[T] {
	return &recordTable[T]{newTable[T](w, string(kind)+" records", rowGroupRecords), make([]T, 0, recordsAtOnce)}
}

func (t *recordTable[T]) Write(r result.Record) error {
	t.rows = append(t.rows, *any(r).(*T))
	if len(t.rows) < recordsAtOnce {
		return nil
	}
	return t.flush()
}

func (t *recordTable[T]) flush() error {
	err := t.Table.Write(t.rows)
	t.rows = t.rows[:0]
	return err
}

// Close writes what is left and the file's end.
func (t *recordTable[T]) Close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.Table.Close()
}
