// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// manyBeginnings bounds the beginnings that are remembered twice over.
const manyBeginnings = 4096

// holders bounds the replicas that are remembered for one beginning.
const holders = 4

// A held is a replica that computed a beginning of a number of tokens, and when that was done.
type held struct {
	replica, tokens int
	at              simtime.Time
}

// beginnings are who computed which beginning last. When there are too many, the older ones
// are forgotten.
type beginnings struct{ young, old map[beginning][]held }

// of returns who computed a beginning.
func (b *beginnings) of(key beginning) []held {
	if all, ok := b.young[key]; ok {
		return all
	}
	return b.old[key]
}

// put notes that a replica computed a beginning, in the place of the replica that did so
// longest ago.
func (b *beginnings) put(key beginning, h held) {
	all := slices.Clone(b.of(key))
	switch i := slices.IndexFunc(all, func(o held) bool { return o.replica == h.replica }); {
	case i >= 0:
		if h.at > all[i].at {
			all[i] = h
		}
	case len(all) < holders:
		all = append(all, h)
	default:
		oldest := 0
		for i := range all {
			if all[i].at < all[oldest].at {
				oldest = i
			}
		}
		all[oldest] = h
	}
	if len(b.young) >= manyBeginnings {
		b.young, b.old = map[beginning][]held{}, b.young
	}
	b.young[key] = all
}
