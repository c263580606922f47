// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strconv"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// awaitedSessions are the sessions of one client whose turns wait for answers. All that
// a session asks and is answered follows from its number in the client, so it is the
// same whatever the cluster does.
type awaitedSessions struct {
	spec    *Sessions
	seed    int64
	client  string
	name    []byte // of the stream that was made last
	started uint64
	open    []awaitedSession // by place
}

// awaitedSession is a session under way. It is over where its number is 0.
type awaitedSession struct {
	session
	stream stats.Stream
	// calls are the calls of tools that the turn under way is still to make, and called
	// says that the request under way has the result of one.
	calls  int
	called bool
	// branches are the lengths of the own parts of the turn's branches, where it has
	// any. sent counts the requests of the step under way, unanswered those that are to
	// end, and answers are what they were answered. failed says that one was not.
	branches         []int
	sent, unanswered int
	answers          []prompt.Extent
	failed           bool
}

// requests is the number of requests of the step under way.
func (s *awaitedSession) requests() int { return max(1, len(s.branches)) }

func newAwaitedSessions(client *Client, seed int64) *awaitedSessions {
	if client.Sessions == nil || !client.Sessions.AfterAnswer {
		return nil
	}
	return &awaitedSessions{spec: client.Sessions, seed: seed, client: client.Name}
}

// at returns the session at a place.
func (s *awaitedSessions) at(place int32) *awaitedSession {
	for int(place) >= len(s.open) {
		s.open = append(s.open, awaitedSession{})
	}
	return &s.open[place]
}

// begin starts a session at a place and its first turn.
func (s *awaitedSessions) begin(c *client, at *awaitedSession, number int32, now simtime.Time) {
	at.stream.Reset(s.seed, s.streamName())
	at.session.begin(c, number, s.started, now, &at.stream)
	at.failed = false
	s.started++
	at.turnsLeft = s.spec.Turns.draw(&at.stream)
	s.nextTurn(c, at)
}

// streamName returns the name of the next session's stream.
func (s *awaitedSessions) streamName() []byte {
	s.name = append(s.name[:0], "workload/session/"...)
	s.name = strconv.AppendUint(s.name, s.started, 10)
	s.name = append(s.name, '/')
	s.name = append(s.name, s.client...)
	return s.name
}

// nextTurn draws what the next turn asks. It returns false where the prompt is longer
// than the sessions allow.
func (s *awaitedSessions) nextTurn(c *client, at *awaitedSession) bool {
	at.beginTurn(s.spec, &at.stream)
	asked := c.spec.Input.clamp(c.sampleInput(&at.stream) * at.growth)
	at.calls, at.called = s.spec.Tools.draw(&at.stream), false
	at.branches = s.spec.Branches.draw(at.branches[:0], &at.stream)
	longest := 0
	for _, tokens := range at.branches {
		longest = max(longest, tokens)
	}
	at.beginStep()
	return at.ask(c, c.drawMedia(&at.stream), asked, longest)
}

// nextCall draws the result of the turn's next call.
func (s *awaitedSessions) nextCall(c *client, at *awaitedSession) bool {
	at.calls--
	at.called, at.branches = true, at.branches[:0]
	at.beginStep()
	return at.ask(c, nil, s.spec.Tools.Result.draw(&at.stream), 0)
}

func (s *awaitedSession) beginStep() {
	s.sent, s.unanswered, s.answers = 0, s.requests(), s.answers[:0]
}

// ended notes the end of a request. It returns false while others of the same step are in
// flight.
func (s *awaitedSession) ended(how Ending) bool {
	s.failed = s.failed || how != Completed
	s.unanswered--
	return s.unanswered == 0
}

// goesOn draws the next step of a session whose requests have all ended. It returns false
// where the session ends instead.
func (s *awaitedSessions) goesOn(c *client, at *awaitedSession) bool {
	if at.failed {
		return false
	}
	for _, answer := range at.answers {
		at.add(answer)
	}
	if at.calls > 0 {
		return s.nextCall(c, at)
	}
	return at.turnsLeft > 0 && s.nextTurn(c, at)
}

// end makes the next turn at a place begin a session.
func (s *awaitedSession) end() { s.number = 0 }
