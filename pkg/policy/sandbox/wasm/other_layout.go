// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"encoding/binary"
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// unwritten reports whether a module wrote no answer where one is read.
func unwritten(answer []float64) bool {
	for _, x := range answer {
		if !math.IsNaN(x) {
			return false
		}
	}
	return len(answer) > 0
}

// otherLayout says in which layout the answers are expected, and for which the module seems to be
// compiled: it wrote over numbers that it was given where a layout with fewer columns has answers.
func (p *program) otherLayout(frame *sandbox.Frame, buffer []byte) string {
	l := p.code.layout
	text := fmt.Sprintf(": the module writes no answer where it is read: behind %d scalars and %d columns of each row", len(frame.Scalars), l.Columns())
	if own := sandbox.OwnColumns(l); own < l.Columns() {
		text += fmt.Sprintf(", which are %d and %d of the signals", own, l.Columns()-own)
	}
	if columns, found := writtenColumns(frame, l.Columns(), buffer); found {
		text += fmt.Sprintf("; it is compiled for %d columns", columns)
	}
	return text + ". Compile it for these columns, or evaluate it with other signals (--signal; --signal= is none)"
}

// writtenColumns is the number of columns of the layout whose answers begin at the first number that
// the module changed.
func writtenColumns(frame *sandbox.Frame, ofRow int, buffer []byte) (columns int, found bool) {
	scalars := len(frame.Scalars)
	for i := range frame.Cells[:frame.Rows*ofRow] {
		at := (scalars + i) * cellBytes
		if at+cellBytes > len(buffer) || frame.Rows == 0 {
			return 0, false
		}
		if now := binary.LittleEndian.Uint64(buffer[at:]); now != math.Float64bits(frame.Cells[i]) {
			return i / frame.Rows, i%frame.Rows == 0
		}
	}
	return 0, false
}
