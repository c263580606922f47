// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strconv"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// awaitedSessions are the sessions of one client whose turns wait for answers. All that
// a session asks and is answered follows from its number in the client, so it is the
// same whatever the cluster does.
type awaitedSessions struct {
	client  *Client
	stream  func(string) *stats.Stream
	started uint64
	open    []awaitedSession // by place
}

// awaitedSession is a session under way. The zero awaitedSession is over.
type awaitedSession struct {
	number    int32  // in the workload, from 1
	index     uint64 // in the client, from 0
	turnsLeft int    // turns to come
	tokens    int    // asked and answered so far
	asked     int    // own part of the turn to come
	stream    *stats.Stream
}

func newAwaitedSessions(client *Client, stream func(string) *stats.Stream) *awaitedSessions {
	if client.Sessions == nil || !client.Sessions.AfterAnswer {
		return nil
	}
	return &awaitedSessions{client: client, stream: stream}
}

// at returns the session at a place.
func (s *awaitedSessions) at(place int32) *awaitedSession {
	for int(place) >= len(s.open) {
		s.open = append(s.open, awaitedSession{})
	}
	return &s.open[place]
}

// begin starts a session at a place.
func (s *awaitedSessions) begin(place int32, number int32) *awaitedSession {
	at := s.at(place)
	stream := s.stream("session/" + strconv.FormatUint(s.started, 10))
	*at = awaitedSession{number: number, index: s.started, stream: stream, turnsLeft: s.client.Sessions.Turns.draw(stream)}
	at.asked = s.client.Input.draw(stream)
	s.started++
	return at
}

// goesOn draws the next turn of the session at a place, once the last one was
// answered. It returns false where the session ends instead.
func (s *awaitedSessions) goesOn(place int32) bool {
	at := &s.open[place]
	if at.turnsLeft == 0 {
		return false
	}
	at.asked = s.client.Input.draw(at.stream)
	return s.client.PrefixTokens+at.tokens+at.asked <= s.client.Sessions.maxTokens()
}

// end makes the next turn at a place begin a session.
func (s *awaitedSessions) end(place int32) { s.open[place] = awaitedSession{} }
