// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Traffic is the part of a scenario that imitates a trace.
type Traffic struct {
	Horizon  v1alpha1.Horizon  `json:"horizon"`
	Workload v1alpha1.Workload `json:"workload"`
	// Notes say what is imitated and what is not.
	Notes []string `json:"-"`
}

// leastRequests is how many requests tell something of rates and lengths.
const leastRequests = 50

// Trace fits clients to a trace. It keeps some bytes for each request and each distinct
// block. A trace with fewer than 50 requests, or with one timestamp, is an error, and so is
// one whose file cannot be read again.
func Trace(t *trace.Trace) (*Traffic, error) {
	if n := t.Requests(); n < leastRequests {
		return nil, fmt.Errorf("%d requests are too few to imitate: at least %d are needed", n, leastRequests)
	}
	s, err := t.Statistics()
	if err != nil {
		return nil, err
	}
	if s.Span == 0 {
		return nil, errors.New("all requests have one timestamp, so there is no rate to imitate")
	}
	f := &fitter{blockTokens: t.BlockTokens(), how: Arrivals(s)}
	if s.ReusableTokens == 0 {
		f.blockTokens = 0
	}
	source := func() (workload.Source, workload.Labels) {
		l := t.Replay(trace.Replay{RateScale: 1, Arrivals: f.how}, 1)
		return workload.AnsweredAtOnce(l), l.Labels()
	}
	if f.blockTokens > 0 {
		all, _ := source()
		f.prefix = findPrefix(all, f.blockTokens)
		if err := workload.Close(all); err != nil {
			return nil, err
		}
	}
	all, labels := source()
	f.observe(all)
	if err := workload.Close(all); err != nil {
		return nil, err
	}
	return f.traffic(s, t.Digest(), labels), nil
}

// batchedShare is the share of timestamps among requests below which arrivals are batches.
const batchedShare = 0.5

// Arrivals says how the arrivals of a trace are to be taken: batches of one timestamp are
// spread over the time to the next.
func Arrivals(s trace.Statistics) trace.Arrivals {
	if float64(s.DistinctTimestamps) < batchedShare*float64(s.Requests-s.Waiting) {
		return trace.Spread
	}
	return trace.AsRecorded
}

// fitter is what is known of a trace.
type fitter struct {
	blockTokens int // 0 where prompts share nothing
	how         trace.Arrivals
	prefix      prefix
	// single are requests that no other continues, and turns those of conversations.
	single, turns []observed
	sessions      []conversation
	span          simtime.Time
	// hasSessions says whether some request names its session.
	hasSessions bool
}

// observed is a request of the trace.
type observed struct {
	arrival       simtime.Time
	input, output int32
}

// conversation is a chain of requests, each of which continues the one before.
type conversation struct {
	first observed
	last  observed
	turns int
	// added sums the tokens of later turns that were in no earlier one.
	added int64
	gaps  time.Duration
}

// observe goes through the requests.
func (f *fitter) observe(source workload.Source) {
	c := &chains{blockTokens: f.blockTokens, prefix: f.prefix, last: map[uint64]int32{}}
	var all []observed
	var of []int32 // conversations of the requests
	for {
		r, ok := source.Next()
		if !ok {
			break
		}
		o := observed{r.Arrival, int32(r.Prompt.Tokens()), int32(r.OutputTokens)}
		f.span = max(f.span, r.Arrival)
		f.hasSessions = f.hasSessions || r.Session > 0
		number := int32(len(f.sessions))
		if before, continues := c.add(&r, len(all)); continues {
			number = of[before]
			f.sessions[number].add(o)
		} else {
			f.sessions = append(f.sessions, conversation{first: o, last: o, turns: 1})
		}
		all, of = append(all, o), append(of, number)
	}
	for i, o := range all {
		if f.sessions[of[i]].turns > 1 {
			f.turns = append(f.turns, o)
		} else {
			f.single = append(f.single, o)
		}
	}
}

// add notes a further turn.
func (c *conversation) add(o observed) {
	c.turns++
	c.added += int64(max(1, o.input-c.last.input-c.last.output))
	c.gaps += time.Duration(o.arrival - c.last.arrival)
	c.last = o
}
