// SPDX-License-Identifier: Apache-2.0

package trace

import "slices"

// addition is something that a format makes rows say.
type addition struct {
	what string
	// by reports whether a format does so, and to whether it does so to a row.
	by func(format) bool
	to func(*writer, *record) bool
}

// additions, in the order in which they are reported.
var additions = []addition{
	{
		what: "session",
		by:   func(f format) bool { return f.ownSessions },
		to:   func(_ *writer, r *record) bool { return r.session == "" },
	}, {
		// The partial last block of a prompt does not count: no reader shares it.
		what: "ids of blocks that no other row has",
		by:   func(f format) bool { return slices.Contains(f.carries, blocksTrait.name) && !f.sharedBlocks },
		to: func(w *writer, r *record) bool {
			full := int(r.input) - int(r.input)%w.blocks.to
			return full > len(r.ids)*w.blocks.from
		},
	},
}
