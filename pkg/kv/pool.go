// SPDX-License-Identifier: Apache-2.0

package kv

import "slices"

// pool keeps records under small numbers and uses the places of those that are
// gone again, with the memory that they own. The zero value is empty.
type pool[T any] struct {
	all  []T
	free []int32
}

// firstRecords is how many a pool has room for at first.
const firstRecords = 64

// take returns a place whose record is as the last one left it. It moves
// records: pointers to them do not survive it.
func (p *pool[T]) take() int32 {
	if n := len(p.free); n > 0 {
		at := p.free[n-1]
		p.free = p.free[:n-1]
		return at
	}
	if len(p.all) == cap(p.all) {
		p.all = slices.Grow(p.all, max(firstRecords, len(p.all)))
	}
	var blank T
	p.all = append(p.all, blank)
	return int32(len(p.all) - 1)
}

func (p *pool[T]) release(at int32) { p.free = append(p.free, at) }

// len is how many records there are.
func (p *pool[T]) len() int { return len(p.all) - len(p.free) }
