// SPDX-License-Identifier: Apache-2.0

package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// maxNear is how many names an error suggests.
const maxNear = 3

// Nearest returns the names that a user may have meant, the likeliest first:
// those that contain what was written or are a part of it, and those that, whole
// or by their beginning, a few edits turn into it. Case and the organisation
// before a slash do not count.
func Nearest(written string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	short := bare(written)
	for _, name := range names {
		known := bare(name)
		distance := min(Distance(short, known), 1+Distance(short, known[:min(len(short), len(known))]))
		if strings.Contains(known, short) || strings.Contains(short, known) {
			distance = min(distance, 1)
		}
		if distance <= max(2, len(short)/3) {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var found []string
	for _, c := range near[:min(len(near), maxNear)] {
		found = append(found, c.name)
	}
	return found
}

// Slip returns the name that a slip of the keyboard turns into what was written: at
// most one edit for four letters; "" if there is none. Case does not count. Of equally
// near names it returns the first.
func Slip(written string, names []string) string {
	best, nearest := len(written)/4+1, ""
	for _, name := range names {
		if distance := Distance(strings.ToLower(written), strings.ToLower(name)); distance < best {
			best, nearest = distance, name
		}
	}
	return nearest
}

func bare(name string) string {
	return strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
}
