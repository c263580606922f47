// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// textKind tells apart the kinds of text that a prompt is made of. The source
// of an extent is a hash of the kind and of what identifies a text within it,
// so that texts of different kinds never count as shared.
type textKind uint64

const (
	groupText   textKind = iota + 1 // a prefix group's, by hash of its name
	uniqueText                      // a client's own and the answer to it, by hash of its name and request number
	blockText                       // a trace's full block, by its id
	tailText                        // the rest of a trace's row and the answer to it, by row number
	fixedText                       // one of a client's fixed prompts, by hash of its name and prompt number
	answerText                      // the answer to one of them, by hash of its name and request number
	sessionText                     // what a client's session asks and is answered, by hash of its name and session number
	turnText                        // a turn that has no text of others and the answer to it, by hash of the client's name, session number and turns to come
)

// source returns the prompt.Extent source of a text.
func (k textKind) source(identity ...uint64) uint64 {
	return stats.Hash64(uint64(k), identity...)
}

// extentSlab hands out the memory of prompts in slabs: a workload makes millions
// of small prompts, and one allocation for each would cost as much as the
// rest of a request. A slab lives as long as any prompt in it.
type extentSlab struct {
	rest []prompt.Extent
}

const slabExtents = 512

// take returns n zero extents whose capacity is n.
func (e *extentSlab) take(n int) []prompt.Extent {
	if n > len(e.rest) {
		e.rest = make([]prompt.Extent, max(n, slabExtents))
	}
	taken := e.rest[:n:n]
	e.rest = e.rest[n:]
	return taken
}
