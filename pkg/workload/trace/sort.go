// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"slices"
	"unsafe"
)

// sortedRecords are the rows of a file in order of time. Rows of one time keep their order.
// None of them waits for another. The first call of next reads the whole file.
type sortedRecords struct {
	unsorted    records
	memoryBytes int64 // 0 is without bound
	read        bool
	at          int // in rows
	rows        []unsortedRow
	ids         []uint64
	columns     columnsBuilder
	sessions    []string // by number, from 1
	// last is the last row of the file. It has what all rows have.
	last record
}

// unsortedRow is a row that waits for its turn.
type unsortedRow struct {
	at            int64
	row, firstID  int
	ids           int32
	input, output int32
	set, session  int32
}

func newSortedRecords(unsorted records, memoryBytes int64) *sortedRecords {
	return &sortedRecords{
		unsorted: unsorted, memoryBytes: memoryBytes, sessions: []string{""},
		columns: columnsBuilder{columns: &attributeColumns{sets: []attributes{{}}}},
	}
}

func (s *sortedRecords) next(rec *record) (bool, error) {
	if !s.read {
		s.read = true
		if err := s.readAll(rec); err != nil {
			return false, err
		}
	}
	if s.at == len(s.rows) {
		return false, nil
	}
	r := &s.rows[s.at]
	s.at++
	*rec = s.last
	rec.at, rec.row, rec.input, rec.output = r.at, r.row, r.input, r.output
	rec.ids = s.ids[r.firstID : r.firstID+int(r.ids) : r.firstID+int(r.ids)]
	rec.named = false // no row waits for another
	rec.session, rec.attributes = s.sessions[r.session], s.columns.columns.sets[r.set]
	return true, nil
}

// readAll reads the rows and sorts them.
func (s *sortedRecords) readAll(rec *record) error {
	for {
		more, err := s.unsorted.next(rec)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if rec.delayed {
			return atRow(rec.row, invalidField(rec.delayField, "may not be there where rows are sorted: it counts from the row before in the session"))
		}
		s.hold(rec)
		if needs := grown(s.memory()); s.memoryBytes > 0 && needs > s.memoryBytes {
			return atRow(rec.row, tooLarge(len(s.rows), len(s.ids), needs, s.memoryBytes))
		}
		s.last = *rec
	}
	slices.SortFunc(s.rows, func(a, b unsortedRow) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.row, b.row))
	})
	return nil
}

// hold keeps a row until its turn.
func (s *sortedRecords) hold(rec *record) {
	session := s.columns.sessionOf(rec.session)
	if int(session) == len(s.sessions) {
		s.sessions = append(s.sessions, rec.session)
	}
	s.rows = append(s.rows, unsortedRow{
		at: rec.at, row: rec.row, firstID: len(s.ids), ids: int32(len(rec.ids)), input: rec.input, output: rec.output,
		set: s.columns.setOf(rec.attributes), session: session,
	})
	s.ids = append(s.ids, rec.ids...)
}

func (s *sortedRecords) digest() (string, error) { return s.unsorted.digest() }

func (s *sortedRecords) memory() int64 {
	return int64(len(s.rows))*int64(unsafe.Sizeof(unsortedRow{})) + int64(len(s.ids))*int64(unsafe.Sizeof(uint64(0)))
}
