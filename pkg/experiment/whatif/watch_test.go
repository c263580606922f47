// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// counted is a source that counts its requests.
type counted struct {
	workload.Source
	requests int
}

func (c *counted) Next() (workload.Request, bool) {
	c.requests++
	return c.Source.Next()
}

// A simulation takes no more requests when those of the windows have ended, and the windows
// have all requests that arrive in them, each once.
func TestWatchStopsASimulation(t *testing.T) {
	for name, test := range map[string]struct {
		requests []int
		want     int // requests in windows, at 100 a second
		most     int // requests of the run
	}{
		"one window":                  {[]int{300}, 200, 1000},
		"two windows":                 {[]int{300, 900}, 400, 1600},
		"two windows that overlap":    {[]int{300, 400}, 300, 1100},
		"a request that is not there": {[]int{300, 5000}, 200, 5001},
	} {
		t.Run(name, func(t *testing.T) {
			config := reference.R(5000, 4, 1)
			source := &counted{Source: config.Source}
			config.Source = source
			w := newWatch(test.requests, 2*time.Second)
			if err := w.simulate(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			seen := map[int]bool{}
			for _, e := range w.ends {
				seen[e.request] = true
			}
			if n := len(w.ends); len(seen) != n || n < test.want*8/10 || n > test.want*12/10 {
				t.Errorf("%d ends of %d requests, want about %d", n, len(seen), test.want)
			}
			if source.requests > test.most {
				t.Errorf("%d requests arrived, want at most %d", source.requests, test.most)
			}
		})
	}
}
