// SPDX-License-Identifier: Apache-2.0

package kv

import "slices"

// arena keeps records under small numbers and uses the numbers of released records
// again, with the memory that those records own. The zero value is empty.
type arena[T any] struct {
	all  []T
	free []int32
}

// initialRecords is the capacity of an arena after its first record.
const initialRecords = 64

// take returns the number of a record that still has the content of its last use. It
// moves records: pointers to them do not survive it.
func (a *arena[T]) take() int32 {
	if n := len(a.free); n > 0 {
		at := a.free[n-1]
		a.free = a.free[:n-1]
		return at
	}
	if len(a.all) == cap(a.all) {
		a.all = slices.Grow(a.all, max(initialRecords, len(a.all)))
	}
	var zero T
	a.all = append(a.all, zero)
	return int32(len(a.all) - 1)
}

func (a *arena[T]) release(at int32) { a.free = append(a.free, at) }

// len returns the number of records in use.
func (a *arena[T]) len() int { return len(a.all) - len(a.free) }
