// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// sizing is a rule that wants what it is.
type sizing int

func (s *sizing) propose(*place) proposal { return proposal{int(*s), "so it is"} }

func TestEachPoolHasBoundsAndCooldowns(t *testing.T) {
	s := newScene(4, 4).bound(1, 2, 6)
	var r sizing
	e := &eachPool{&r, s.names, []cooldowns{newCooldowns(time.Minute, 5*time.Minute, 5*time.Minute), newCooldowns(0, 0, 0)}}
	for _, step := range []struct {
		seconds int
		rule    sizing
		want    string
		why     string
	}{
		{0, 4, "4:4", "prefill: stays at 4: so it is; decode: stays at 4: so it is"},
		{15, 8, "8:6", "prefill: from 4 to 8: so it is; decode: from 4 to 6: so it is"},
		{30, 9, "8:6", "prefill: stays at 8 instead of 9 in the cooldown until 1m15s: so it is; decode: stays at 6, its maximum, instead of 9: so it is"},
		{75, 9, "9:6", "prefill: from 8 to 9: so it is"},
		{300, 1, "9:2", "prefill: stays at 9 instead of 1 in the cooldown until 6m15s: so it is; decode: from 6 to 2: so it is"},
		{375, 1, "1:2", "prefill: from 9 to 1: so it is; decode: stays at 2, its minimum, instead of 1: so it is"},
		{376, 3, "3:3", "prefill: from 1 to 3: so it is"},
	} {
		s.view.Now, r = simtime.Time(step.seconds)*1e9, step.rule
		wanted, why := s.ask(e)
		if wanted != step.want || !strings.HasPrefix(why, step.why) {
			t.Errorf("after %d s: %s: %q, want %s: %q", step.seconds, wanted, why, step.want, step.why)
		}
	}
}

// A pool without a replica gets one where requests are in flight, and a policy that
// reads no load is not overruled.
func TestRequestsInFlightHaveAReplica(t *testing.T) {
	awaiting := func() *scene {
		return newScene(0, 0).bound(0, 0, 9).bound(1, 0, 9).sample(scrape, func(x *Sample) {
			x.Gateway.Arrived, x.Gateway.Awaiting = 2, 2
		})
	}
	for _, name := range policies.Names() {
		want, parameters := "1:1", required[name]
		switch name {
		case "fixed":
			want, parameters = "0:0", []string{"replicas=0:0"}
		case "schedule":
			want, parameters = "0:0", []string{"at=0s=0:0"}
		}
		s := awaiting()
		world := s.world()
		world.FutureRate = func(_, _, _ simtime.Time) float64 { return 0 }
		if wanted, why := s.ask(loaded(t, name, world, parameters...).New()); wanted != want {
			t.Errorf("%s: %s: %s", name, wanted, why)
		}
	}
}
