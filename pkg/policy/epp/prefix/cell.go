// SPDX-License-Identifier: Apache-2.0

package prefix

import "slices"

// A cell is a place for a stretch and one for a range, side by side because
// most stretches have one range: who needs the one needs the other, and memory
// is what takes time. Further ranges of a stretch have cells of their own. The
// index of a stretch or range is that of its cell.
type cell struct {
	held heldStretch
	own  blockRange
}

// firstCells is how many cells there is room for at first.
const firstCells = 64

// takeCell returns the index of a cell with nothing in it. Pointers into cells
// do not outlast it.
func (x *Index) takeCell() int32 {
	i := x.freeCell
	if i != none {
		x.freeCell = x.cells[i].own.next
		return i
	}
	if len(x.cells) == cap(x.cells) {
		// append alone would copy large slices more often.
		x.cells = slices.Grow(x.cells, max(firstCells, len(x.cells)))
	}
	x.cells = append(x.cells, cell{own: blockRange{stretch: none}})
	return int32(len(x.cells) - 1)
}

// giveCell gives a cell back that has nothing in it.
func (x *Index) giveCell(i int32) {
	x.cells[i].own.next = x.freeCell
	x.freeCell = i
}
