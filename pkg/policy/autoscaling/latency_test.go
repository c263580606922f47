// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"
)

// observed lets the first engine of each pool observe latencies.
func (s *scene) observed(ttft, tbt time.Duration) *scene {
	s.sample(15*time.Second, nil)
	return s.sample(60*time.Second, func(x *Sample) {
		for k := range s.view.Pools {
			e := &x.Engines[s.view.Pools[k].First]
			e.TimeToFirstToken.Observe(TimeToFirstTokenBounds, ttft, 100)
			e.InterTokenLatency.Observe(InterTokenLatencyBounds, tbt, 100)
		}
	})
}

func TestLatency(t *testing.T) {
	const ms = time.Millisecond
	both := []string{"ttft=1s", "tbt=100ms"}
	decide(t, "latency", map[string]decision{
		"nothing observed is no signal":           {newScene(4).sample(0, nil).sample(scrape, nil), both, "4", "no signal: no latency was observed"},
		"a late first token":                      {newScene(4).observed(2000*ms, 60*ms), both, "5", "TTFT is 2.425s, above 1s"},
		"late tokens":                             {newScene(4).observed(600*ms, 200*ms), both, "5", "TBT is 197.5ms, above 100ms"},
		"the worse of two":                        {newScene(4).observed(2000*ms, 120*ms), both, "5", "TTFT is"},
		"several at once":                         {newScene(4).observed(2000*ms, 60*ms), append(both, "step=3"), "7", "above"},
		"no further one while replicas start":     {newScene(4).start(0, 1).observed(2000*ms, 60*ms), both, "5", "while 1 replica starts"},
		"far below the targets":                   {newScene(4).observed(100*ms, 20*ms), both, "3", "below 0.5 of"},
		"one replica remains":                     {newScene(1).bound(0, 0, 9).observed(100*ms, 20*ms), both, "1", "below 0.5 of"},
		"between":                                 {newScene(4).observed(700*ms, 60*ms), both, "4", "between 0.5 of its target and"},
		"prefill has TTFT and decode TBT":         {newScene(4, 4).observed(2000*ms, 20*ms), both, "5:3", "prefill: from 4 to 5: TTFT"},
		"a pool that the target does not concern": {newScene(4, 4).observed(2000*ms, 20*ms), []string{"ttft=1s"}, "5:4", "decode: stays at 4: no target is about this pool"},
	})
	s := newScene(4, 4).observed(2000*ms, 20*ms)
	world := s.world()
	world.TTFT = time.Second
	if wanted, why := s.ask(loaded(t, "latency", world).New()); wanted != "5:4" {
		t.Errorf("by the SLO: %s: %s", wanted, why)
	}
}
