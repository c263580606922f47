// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// waiting is a flow whose head came so long ago.
func waiting(tenant int, now simtime.Time, ago time.Duration) *flow {
	f := &flow{tenant: tenant, band: &flowBand{}}
	if ago >= 0 {
		f.Add(&flowItem{since: now.Add(-ago)})
	}
	return f
}

func TestProgramAwareFairness(t *testing.T) {
	const now = simtime.Time(100 * time.Second)
	const idle = time.Duration(-1)
	type served struct {
		tenant, prompt, output int
		at                     time.Duration
	}
	for name, tc := range map[string]struct {
		served   []served
		halfLife float64
		waits    []time.Duration // by tenant
		want     int
	}{
		"who was served least":                    {[]served{{0, 100, 0, 0}, {1, 90, 0, 0}, {2, 110, 0, 0}}, 0, []time.Duration{0, 0, 0}, 1},
		"output counts twice":                     {[]served{{0, 0, 50, 0}, {1, 99, 0, 0}}, 0, []time.Duration{0, 0}, 1},
		"service outweighs a wait":                {[]served{{0, 100, 0, 0}, {1, 0, 0, 0}}, 0, []time.Duration{time.Hour, 0}, 1},
		"between two alike, who waits longer":     {nil, 0, []time.Duration{3 * time.Millisecond, 5 * time.Millisecond}, 1},
		"an empty flow does not count":            {[]served{{0, 100, 0, 0}, {1, 200, 0, 0}}, 0, []time.Duration{0, 0, idle}, 0},
		"service halves in a half-life":           {[]served{{0, 100, 0, 0}, {1, 60, 0, 100 * time.Second}}, 100, []time.Duration{0, 0}, 0},
		"and does not where there is none":        {[]served{{0, 100, 0, 0}, {1, 60, 0, 100 * time.Second}}, 0, []time.Duration{0, 0}, 1},
		"three: 0.8·(1−0.5)+0.2 is more than 0.5": {[]served{{0, 100, 0, 0}, {1, 50, 0, 0}, {2, 45, 0, 0}}, 0, []time.Duration{0, 9 * time.Second, 0}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := &programAwareFair{
				parameters: &ProgramAwareParameters{LASWeightService: 0.8, LASWeightHeadWait: 0.2, LASHalfLifeSeconds: tc.halfLife, EvictionTTLSeconds: 3600, EvictionSweepSeconds: 300},
				programs:   map[int]*program{}, random: stats.NewStream(1, "ties"), flowOf: func(tenant int, _ int32) int { return tenant }, unnamed: -1,
			}
			for _, s := range tc.served {
				a.Used(simtime.Time(s.at), &policy.Request{Tenant: s.tenant, Tokens: s.prompt}, s.output)
			}
			var flows []*flow
			for tenant, ago := range tc.waits {
				flows = append(flows, waiting(tenant, now, ago))
			}
			if got := a.Pick(now, flows); got.tenant != tc.want {
				t.Errorf("tenant %d, want %d", got.tenant, tc.want)
			}
		})
	}
}

// Ties are left to chance, and each of three has its share.
func TestTiesBetweenProgramsAreRandom(t *testing.T) {
	a := &programAwareFair{
		parameters: &ProgramAwareParameters{LASWeightService: 0.8, LASWeightHeadWait: 0.2},
		programs:   map[int]*program{}, random: stats.NewStream(1, "ties"), flowOf: func(tenant int, _ int32) int { return tenant }, unnamed: -1,
	}
	counts := [3]int{}
	for range 3000 {
		counts[a.Pick(9, []*flow{waiting(0, 9, 0), waiting(1, 9, 0), waiting(2, 9, 0)}).tenant]++
	}
	for tenant, n := range counts {
		if n < 900 || n > 1100 {
			t.Errorf("tenant %d has %d turns of 3000", tenant, n)
		}
	}
}

// A program without anything in flight is forgotten at the first sweep after its
// time.
func TestProgramsAreForgotten(t *testing.T) {
	for name, tc := range map[string]struct {
		at       time.Duration
		inFlight bool
		want     float64
	}{
		"its time has come, and no sweep": {119 * time.Second, false, 10},
		"the sweep has":                   {120 * time.Second, false, 0},
		"it has requests in flight":       {500 * time.Second, true, 10},
	} {
		t.Run(name, func(t *testing.T) {
			a := &programAwareFair{
				parameters: &ProgramAwareParameters{EvictionTTLSeconds: 50, EvictionSweepSeconds: 60},
				programs:   map[int]*program{}, flowOf: func(tenant int, _ int32) int { return tenant }, unnamed: -1,
			}
			a.Used(simtime.Time(20*time.Second), &policy.Request{Tokens: 10}, 0)
			if tc.inFlight {
				a.Routed(&scheduler.Cycle{Now: simtime.Time(30 * time.Second)}, scheduler.Picks{})
			}
			if got := a.serviceOf(0, simtime.Time(tc.at)); got != tc.want {
				t.Errorf("service %v, want %v", got, tc.want)
			}
		})
	}
}

// Up to router-v0.10 programs forget while they are idle only: at each pick, or
// by the clock.
func TestIdleProgramsForget(t *testing.T) {
	for name, tc := range map[string]struct {
		halfLife float64
		inFlight int
		waits    time.Duration
		want     float64
	}{
		"by picks":                       {0, 0, -1, 25},
		"by the clock":                   {10, 0, -1, 50},
		"not while a request is running": {0, 1, -1, 100},
		"nor while one waits":            {10, 0, time.Second, 100},
	} {
		t.Run(name, func(t *testing.T) {
			a := &programAwareFair{
				parameters: &ProgramAwareParameters{LASHalfLifeSeconds: tc.halfLife, LASDecayFactor: 0.5}, forgetsOnlyIdle: true,
				programs: map[int]*program{}, flowOf: func(tenant int, _ int32) int { return tenant }, unnamed: -1, random: stats.NewStream(1, "ties"),
			}
			a.Used(0, &policy.Request{Tokens: 100}, 0)
			a.programs[0].inFlight = tc.inFlight
			now := simtime.Time(10 * time.Second)
			flows := []*flow{waiting(0, now, tc.waits)}
			a.Pick(now, flows)
			a.Pick(now, flows)
			if got := a.serviceOf(0, now); got < tc.want-1e-9 || got > tc.want+1e-9 {
				t.Errorf("service %v, want %v", got, tc.want)
			}
		})
	}
}
