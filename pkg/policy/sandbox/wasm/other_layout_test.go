// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"encoding/binary"
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// Two rows of 11 columns: a module for 9 columns writes its answers over the numbers 18 and 19 of the rows,
// 18 ÷ 2 = 9.
func TestTheColumnsThatAModuleIsCompiledFor(t *testing.T) {
	frame := &sandbox.Frame{Scalars: make([]float64, 3), Rows: 2, Cells: make([]float64, 22)}
	for name, c := range map[string]struct {
		changed []int
		columns int
		found   bool
	}{
		"nothing is changed":    {nil, 0, false},
		"answers of 9 columns":  {[]int{18, 19}, 9, true},
		"answers of 10 columns": {[]int{20, 21}, 10, true},
		"a number amid a row":   {[]int{5}, 2, false},
	} {
		buffer := make([]byte, (3+22+2)*cellBytes)
		for _, i := range c.changed {
			binary.LittleEndian.PutUint64(buffer[(3+i)*cellBytes:], math.Float64bits(-1))
		}
		if columns, found := writtenColumns(frame, 11, buffer); found != c.found || found && columns != c.columns {
			t.Errorf("%s: %d, %t; want %d, %t", name, columns, found, c.columns, c.found)
		}
	}
}
