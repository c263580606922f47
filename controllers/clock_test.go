// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// TestTheServersClockCounts where a machine's own one is off: a little does not matter,
// and an answer that takes long says little.
func TestTheServersClockCounts(t *testing.T) {
	const tick = 100 * time.Millisecond
	for name, tc := range map[string]struct {
		before, ahead, took time.Duration
		// wrote is when the server wrote its date, since it was asked.
		wrote, want time.Duration
	}{
		"equal clocks":                       {took: tick},
		"a second of difference":             {ahead: time.Second, took: tick},
		"an hour ahead":                      {ahead: time.Hour, took: tick, want: time.Hour},
		"an hour behind":                     {ahead: -time.Hour, took: tick, want: -time.Hour},
		"an answer that was long on its way": {took: time.Minute},
		"an answer that took long to write":  {took: time.Minute, wrote: time.Minute},
		"both, of a clock that was set":      {before: time.Hour, ahead: time.Hour, took: time.Minute, wrote: 30 * time.Second, want: time.Hour},
		"a clock that was put right":         {before: time.Hour, took: tick},
		"a clock that was put wrong":         {before: time.Hour, ahead: -time.Hour, took: tick, want: -time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			own := clocktesting.NewFakePassiveClock(epoch)
			c := NewServerClock(own)
			c.ahead.Store(int64(tc.before))
			wrote := epoch.Add(tc.wrote + tc.ahead)
			c.synchronize(wrote.UTC().Format(http.TimeFormat), epoch, epoch.Add(tc.took))
			own.SetTime(epoch.Add(tc.took))
			got := c.Now().Sub(epoch.Add(tc.took))
			if off := (got - tc.want).Abs(); off > time.Second || c.Since(c.Now()) != 0 {
				t.Errorf("it is %s ahead, want %s", got, tc.want)
			}
		})
	}
}

// TestTheClockReadsTheServersDate of a real server, and does without where there is none.
func TestTheClockReadsTheServersDate(t *testing.T) {
	own := clocktesting.NewFakePassiveClock(time.Now().Add(-time.Hour))
	c := NewServerClock(own)
	for _, date := range []string{"", "soon"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if date != "" {
				w.Header().Set("Date", date)
			}
		}))
		client := http.Client{Transport: c.Listen(http.DefaultTransport)}
		response, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		server.Close()
		if off := time.Since(c.Now()).Abs(); off > time.Minute {
			t.Errorf("it is %s off", off)
		}
	}
}
