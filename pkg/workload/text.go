// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"windtunnel.dev/windtunnel/pkg/stats"
)

// textKind tells apart the kinds of text that a prompt is made of. The source
// of an extent is a hash of the kind and of what identifies a text within it,
// so that texts of different kinds never count as shared.
type textKind uint64

const (
	groupText   textKind = iota + 1 // a prefix group's, by hash of its name and, where it has several, number of the text
	uniqueText                      // a client's own and the answer to it, by hash of its name and request number
	blockText                       // a trace's full block, by its id
	tailText                        // the rest of a trace's row and the answer to it, by row number
	fixedText                       // one of a client's fixed prompts, by hash of its name and prompt number
	answerText                      // the answer to one of them, by hash of its name and request number
	sessionText                     // what a client's session asks and is answered, by hash of its name, session number and, from the second on, number of the text
	turnText                        // a turn that has no text of others and the answer to it, by hash of the client's name, session number and turns to come
	summaryText                     // a summary of a session, by hash of the client's name, session number and number of the summary
	branchText                      // a branch's own part and the answer to it, by hash of the client's name, session number, turn and number of the branch
	mediaText                       // an image or the like of a client's pool, by hashes of the client's name and the kind, and number
	exampleText                     // an example of a prefix group, by hash of its name and number of the example
)

// source returns the prompt.Extent source of a text.
func (k textKind) source(identity ...uint64) uint64 {
	return stats.Hash64(uint64(k), identity...)
}

// RecordedBlock returns the prompt.Extent source of a block of a trace, by its id.
func RecordedBlock(id uint64) uint64 { return blockText.source(id) }

// RecordedTail returns the prompt.Extent source of the rest of a trace's row, which no
// other row has, and of the answer to it. Rows are numbered from 0.
func RecordedTail(row int) uint64 { return tailText.source(uint64(row)) }
