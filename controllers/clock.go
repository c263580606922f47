// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// maxSkew is how far a machine's clock may be off before the API server's counts.
const maxSkew = 2 * time.Second

// ServerClock follows the API server's clock, which it reads from the dates of its
// responses: another manager, on a machine with another clock, compares the times that
// this one writes into a status. While both clocks are close, the local one counts. It may
// be used concurrently.
type ServerClock struct {
	local clock.PassiveClock
	// ahead is how far the server's clock is ahead of the own one.
	ahead atomic.Int64
}

// NewServerClock makes a clock of a machine's own, which holds until an API server
// answers.
func NewServerClock(own clock.PassiveClock) *ServerClock { return &ServerClock{local: own} }

// Now implements clock.PassiveClock.
func (c *ServerClock) Now() time.Time { return c.local.Now().Add(time.Duration(c.ahead.Load())) }

// Since implements clock.PassiveClock.
func (c *ServerClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Listen has the clock hear the answers to requests. A client's transport is wrapped in
// it.
func (c *ServerClock) Listen(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		asked := c.local.Now()
		response, err := next.RoundTrip(r)
		if err == nil {
			c.synchronize(response.Header.Get("Date"), asked, c.local.Now())
		}
		return response, err
	})
}

// synchronize sets the clock by a date that a server wrote between two times, cutting off
// fractions of seconds. A clock that may be right is left alone: answers that take long
// would have it waver.
func (c *ServerClock) synchronize(date string, asked, answered time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	least, most := at.Sub(answered), at.Add(time.Second).Sub(asked)
	right := func(ahead time.Duration) bool { return least-maxSkew <= ahead && ahead <= most+maxSkew }
	switch {
	case right(0):
		c.ahead.Store(0)
	case right(time.Duration(c.ahead.Load())):
	case least > 0:
		c.ahead.Store(int64(least))
	default:
		c.ahead.Store(int64(most))
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
