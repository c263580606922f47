// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// TestStreamsEnd: the streams of two answers end at 10 and 20 ns. The client of the second
// one goes away at 5 ns, so that the last stream ends at 10 ns.
func TestStreamsEnd(t *testing.T) {
	var (
		s run.State
		a answers
	)
	for number := 1; number <= 2; number++ {
		id := s.Requests.Take()
		q := &s.Requests.All[id]
		q.Info.ID = number
		for _, p := range []request.Phase{request.Waiting, request.Running, request.Leaving} {
			q.MoveTo(p)
		}
		at := simtime.Time(10 * number)
		a.deliveries.push(delivery{at: at, number: number, id: id, ends: true})
		a.lastsUntil(at)
	}
	if end := a.streamsEnd(&s); end != 20 {
		t.Errorf("the streams end at %v, want 20ns", end)
	}
	a.cancel(5, &s.Requests.All[1])
	s.Requests.Release(1)
	if end := a.streamsEnd(&s); end != 10 {
		t.Errorf("the streams end at %v, want 10ns", end)
	}
}
