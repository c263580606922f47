// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// sessions are the conversations by their number, from 1; 0 are requests without one.
type sessions map[int32]session

// session is what is known of a conversation.
type session struct {
	turns       int
	first, last simtime.Time
}

func (s sessions) add(number int32, at simtime.Time) {
	if number == 0 {
		return
	}
	of, known := s[number]
	if !known {
		of.first = at
	}
	of.turns++
	of.last = at
	s[number] = of
}

// describe returns nil where no request has a session.
func (s sessions) describe(requests int) *Sessions {
	if len(s) == 0 {
		return nil
	}
	of := &Sessions{Sessions: len(s)}
	turns := 0
	var gaps time.Duration
	for _, session := range s {
		turns += session.turns
		of.MostTurns = max(of.MostTurns, session.turns)
		gaps += time.Duration(session.last - session.first)
	}
	of.MeanTurns = float64(turns) / float64(len(s))
	of.RequestsShare = float64(turns) / float64(requests)
	if turns > len(s) {
		of.MeanGapSeconds = gaps.Seconds() / float64(turns-len(s))
	}
	return of
}
