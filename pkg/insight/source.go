// SPDX-License-Identifier: Apache-2.0

package insight

import "windtunnel.dev/windtunnel/pkg/workload"

// watchedSource is a source whose requests a collector knows by their beginnings.
type watchedSource struct {
	workload.Source
	to *Collector
}

// Close implements [io.Closer].
func (s watchedSource) Close() error { return workload.Close(s.Source) }

// Next implements [workload.Source].
func (s watchedSource) Next() (workload.Request, bool) {
	q, ok := s.Source.Next()
	if ok {
		s.to.of(q.ID).beginning = beginningOf(&q)
	}
	return q, ok
}

// A beginning is what the prompts of several requests may share: the conversation, or the first
// text. Requests of one key share at most this number of tokens.
type beginning struct {
	session int32
	source  uint64
}

// keyed is the beginning of a prompt with its length in tokens.
type keyed struct {
	key    beginning
	tokens int
}

// beginningOf returns the beginning of a prompt: all of it in a conversation, whose next turn
// repeats it.
func beginningOf(q *workload.Request) keyed {
	if q.Session != 0 {
		return keyed{beginning{session: q.Session}, q.Prompt.Tokens()}
	}
	if len(q.Prompt.Extents) == 0 {
		return keyed{}
	}
	first := &q.Prompt.Extents[0]
	return keyed{beginning{source: first.Source}, int(first.Tokens)}
}
