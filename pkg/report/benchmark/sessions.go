// SPDX-License-Identifier: Apache-2.0

package benchmark

import "windtunnel.dev/windtunnel/pkg/result"

// sessionName names a conversation of a simulation.
type sessionName struct {
	source string
	number int64
}

// session is what became of one conversation. Its events are requests; a retry is not an
// event of its own.
type session struct {
	events, completed, unfinished int64
	first, end                    float64 // seconds
	input, output                 int64   // tokens
	// warmUp says that a part of it is not measured.
	warmUp bool
}

func (r *Recorder) recordSession(row *result.RequestRow) {
	if row.Session == 0 {
		return
	}
	name := sessionName{row.Source, row.Session}
	s := r.open[name]
	if s == nil {
		s = &session{first: row.ArrivalSeconds}
		if r.open == nil {
			r.open = map[sessionName]*session{}
		}
		r.open[name] = s
	}
	s.warmUp = s.warmUp || !row.Measured
	s.first, s.end = min(s.first, row.ArrivalSeconds), max(s.end, row.ArrivalSeconds)
	if row.Attempt == 0 {
		s.events++
	}
	switch row.Outcome {
	case "completed":
		s.completed++
		s.end = max(s.end, row.ArrivalSeconds+*row.E2ESeconds)
		s.input, s.output = s.input+row.PromptTokens, s.output+*row.OutputTokens
	case "unfinished":
		s.unfinished++
	}
}

// cancelled are the events that ended without an answer.
func (s *session) cancelled() int64 { return max(0, s.events-s.completed-s.unfinished) }

// sessionSummary sums up conversations of which all requests are measured.
type sessionSummary struct {
	total, succeeded, failed                     int64
	events, completed, cancelled                 int64
	duration                                     tally
	perEvents, perCancelled, perInput, perOutput tally
}

func (a *sessionSummary) add(s *session) {
	if s.warmUp || s.events == 0 {
		return
	}
	a.total++
	switch {
	case s.cancelled() > 0:
		a.failed++
	case s.unfinished == 0:
		a.succeeded++
	}
	a.events, a.completed, a.cancelled = a.events+s.events, a.completed+s.completed, a.cancelled+s.cancelled()
	if s.unfinished == 0 {
		a.duration.addSeconds(s.end - s.first)
	}
	a.perEvents.add(s.events)
	a.perCancelled.add(s.cancelled())
	a.perInput.add(s.input)
	a.perOutput.add(s.output)
}

func (a *sessionSummary) merge(o *sessionSummary) {
	a.total, a.succeeded, a.failed = a.total+o.total, a.succeeded+o.succeeded, a.failed+o.failed
	a.events, a.completed, a.cancelled = a.events+o.events, a.completed+o.completed, a.cancelled+o.cancelled
	for _, pair := range [][2]*tally{{&a.duration, &o.duration}, {&a.perEvents, &o.perEvents}, {&a.perCancelled, &o.perCancelled}, {&a.perInput, &o.perInput}, {&a.perOutput, &o.perOutput}} {
		pair[0].merge(pair[1])
	}
}

// report returns nil where there are no conversations.
func (a *sessionSummary) report(seconds float64) *SessionPerformance {
	if a.total == 0 {
		return nil
	}
	s := &Sessions{
		Total: a.total, Succeeded: &a.succeeded, Failed: &a.failed,
		TotalEvents: &a.events, TotalEventsCompleted: &a.completed, TotalEventsCancelled: &a.cancelled,
		SessionDuration:           a.duration.statistics("s", nanoseconds),
		EventsPerSession:          a.perEvents.statistics("count", 1),
		EventsCancelledPerSession: a.perCancelled.statistics("count", 1),
		InputTokensPerSession:     a.perInput.statistics("count", 1),
		OutputTokensPerSession:    a.perOutput.statistics("count", 1),
	}
	if seconds > 0 {
		s.SessionRate = &Statistics{Units: "queries/s", Mean: float64(a.succeeded) / seconds}
	}
	return &SessionPerformance{Sessions: s}
}
