// SPDX-License-Identifier: Apache-2.0

package kv

// segmentList is a list of segments through their fields before and after.
type segmentList struct{ first, last int32 }

// pushBack puts a segment at the end.
func (l *segmentList) pushBack(segments []segment, at int32) {
	s := &segments[at]
	s.before, s.after = l.last, none
	if l.last == none {
		l.first = at
	} else {
		segments[l.last].after = at
	}
	l.last = at
}

// link makes the neighbours that a segment names point to it.
func (l *segmentList) link(segments []segment, at int32) {
	s := &segments[at]
	if s.before == none {
		l.first = at
	} else {
		segments[s.before].after = at
	}
	if s.after == none {
		l.last = at
	} else {
		segments[s.after].before = at
	}
}

// unlink takes a segment out.
func (l *segmentList) unlink(segments []segment, at int32) {
	s := &segments[at]
	if s.before == none {
		l.first = s.after
	} else {
		segments[s.before].after = s.after
	}
	if s.after == none {
		l.last = s.before
	} else {
		segments[s.after].before = s.before
	}
}
