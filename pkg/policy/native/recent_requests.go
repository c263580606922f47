// SPDX-License-Identifier: Apache-2.0

package native

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// recentRequests counts the requests that were sent to each endpoint within a window of
// time, both ends included.
type recentRequests struct {
	window time.Duration
	// sent are the requests in order of time, from the first one on in a circle.
	sent          []recentRequest
	first, length int
	counts        []int // by endpoint; none before the first request
}

type recentRequest struct {
	at       simtime.Time
	endpoint int
}

func newRecentRequests(window time.Duration, endpoints int) recentRequests {
	r := recentRequests{window: window, sent: make([]recentRequest, 64), counts: make([]int, endpoints)}
	for e := range r.counts {
		r.counts[e] = none
	}
	return r
}

// of is the count of an endpoint, and less than 0 if it was never sent a request.
func (r *recentRequests) of(endpoint int) int { return r.counts[endpoint] }

// expire forgets what is older than the window.
func (r *recentRequests) expire(now simtime.Time) {
	for ; r.length > 0 && r.sent[r.first].at < now.Add(-r.window); r.length-- {
		r.counts[r.sent[r.first].endpoint]--
		r.first = (r.first + 1) % len(r.sent)
	}
}

func (r *recentRequests) routed(n *round, endpoint int) {
	r.expire(n.view.Now)
	if r.length == len(r.sent) {
		r.grow()
	}
	r.sent[(r.first+r.length)%len(r.sent)] = recentRequest{n.view.Now, endpoint}
	r.length++
	r.counts[endpoint] = max(r.counts[endpoint], 0) + 1
}

// grow doubles the circle, which then begins with the first request.
func (r *recentRequests) grow() {
	larger := make([]recentRequest, 2*len(r.sent))
	copy(larger[copy(larger, r.sent[r.first:]):], r.sent[:r.first])
	r.sent, r.first = larger, 0
}
