// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func newTurns(timeWeight, inactivitySeconds float64) *programAwareFair {
	return &programAwareFair{
		parameters: &ProgramAwareParameters{
			Strategy: turnPriority, TurnPriorityTimeWeight: timeWeight, TurnPriorityInactivitySeconds: inactivitySeconds,
			EvictionTTLSeconds: 3600, EvictionSweepSeconds: 300,
		},
		programs: map[int]*program{}, random: stats.NewStream(1, "ties"), flowOf: func(tenant int, _ int32) int { return tenant }, unnamed: 9,
	}
}

// take has a program take turns, the last of which ends at a time.
func (a *programAwareFair) take(tenant, turns int, last simtime.Time) {
	for range turns {
		a.Routed(&scheduler.Cycle{Now: last, Tenant: tenant}, scheduler.Picks{})
		a.Used(last, &policy.Request{Tenant: tenant}, 0)
		a.Finished(&policy.Request{Tenant: tenant}, 0)
	}
}

// The scores are worked out by hand: turn + weight · seconds.
func TestTurnPriority(t *testing.T) {
	const now = simtime.Time(1000 * time.Second)
	const idle = time.Duration(-1)
	for name, tc := range map[string]struct {
		weight float64
		turns  []int           // by tenant, ended now
		waits  []time.Duration // by tenant
		want   int
	}{
		"the deeper session: 21 against 2":                    {0, []int{1, 20}, []time.Duration{0, 0}, 1},
		"50 s at 0.5 are 25 turns: 27 against 21":             {0.5, []int{20, 1}, []time.Duration{0, 50 * time.Second}, 1},
		"the TTL bounds the wait: 32 against 61":              {0.5, []int{60, 1}, []time.Duration{0, time.Minute}, 0},
		"an empty flow does not count":                        {0.5, []int{60, 1}, []time.Duration{idle, 0}, 1},
		"of equal scores who waits longer: 2 + 1 and 3":       {0.5, []int{2, 1}, []time.Duration{0, 2 * time.Second}, 1},
		"by turns alone, of equal ones who waits longer":      {0, []int{3, 3}, []time.Duration{2 * time.Second, 10 * time.Second}, 1},
		"a new program is at its first turn: 1 + 1 and 2 + 0": {0.5, []int{1, 0}, []time.Duration{0, 2 * time.Second}, 1},
		"none waits": {0.5, []int{1}, []time.Duration{idle}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTurns(tc.weight, 120)
			var flows []*flow
			for tenant, ago := range tc.waits {
				a.take(tenant, tc.turns[tenant], now)
				flows = append(flows, waiting(tenant, now, ago))
			}
			got := -1
			if f := a.Pick(now, flows); f != nil {
				got = f.tenant
			}
			if got != tc.want {
				t.Errorf("tenant %d, want %d", got, tc.want)
			}
		})
	}
}

// A program begins again at turn 1 where it was idle for longer than the limit, from its last answer to the
// arrival of its next request.
func TestTurnsBeginAgain(t *testing.T) {
	const last, limit = 1000 * time.Second, 120.0
	for name, tc := range map[string]struct {
		limit    float64
		arrival  time.Duration // after the last answer
		wait     time.Duration
		inFlight bool
		flow     int
		want     int
	}{
		"at the limit":                        {limit, 120 * time.Second, 0, false, 0, 31},
		"past it":                             {limit, 121 * time.Second, 0, false, 0, 1},
		"time in the queue does not count":    {limit, time.Second, 129 * time.Second, false, 0, 31},
		"a request in flight keeps the turns": {limit, 600 * time.Second, 0, true, 0, 32},
		"0 is without limit":                  {0, 3000 * time.Second, 0, false, 0, 31},
		"requests that name no program":       {limit, 0, 0, false, 9, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTurns(0, tc.limit)
			a.take(tc.flow, 30, simtime.Time(last))
			since := simtime.Time(last + tc.arrival)
			if tc.inFlight {
				a.Routed(&scheduler.Cycle{Now: since, Tenant: tc.flow}, scheduler.Picks{})
			}
			if got := a.turnOf(tc.flow, since, since.Add(tc.wait)); got != tc.want {
				t.Errorf("turn %d, want %d", got, tc.want)
			}
		})
	}
}

// A thousand sessions of one turn each end 10 s apart. The sweep at 9,900 s deletes those that ended more than
// 3,600 s before it, which are those up to number 629.
func TestForgottenProgramsAreDeleted(t *testing.T) {
	a := newTurns(0, 120)
	for i := range 1000 {
		a.take(i, 1, simtime.Time(i)*simtime.Time(10*time.Second))
	}
	if got := len(a.programs); got != 370 {
		t.Errorf("%d programs are kept, want 370", got)
	}
}

// With an agent-identity and turns to count, each session of the tenant default is a flow.
func TestSessionsAreFlows(t *testing.T) {
	turns := &config.Plugin{Type: ProgramAwareFairnessType, Parameters: &ProgramAwareParameters{Strategy: turnPriority}}
	service := &config.Plugin{Type: ProgramAwareFairnessType, Parameters: &ProgramAwareParameters{Strategy: leastAttainedService}}
	agent := &config.Plugin{Type: config.AgentIdentityType}
	for name, tc := range map[string]struct {
		plugins []*config.Plugin
		tenant  int
		session int32
		want    int
	}{
		"a session of the tenant default":    {[]*config.Plugin{turns, agent}, 0, 5, 7},
		"one of another tenant":              {[]*config.Plugin{turns, agent}, 1, 5, 0},
		"a request without a session":        {[]*config.Plugin{turns, agent}, 0, 0, 1},
		"without an agent-identity":          {[]*config.Plugin{turns}, 0, 5, 1},
		"strategy las has flows by tenant":   {[]*config.Plugin{service, agent}, 0, 5, 1},
		"another tenant, without a strategy": {nil, 1, 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := &scheduler.Builder{Cluster: config.Cluster{Tenants: []string{"default", "chat"}}, Document: &config.EffectiveDocument{Plugins: tc.plugins}}
			if got := newFlowNumbers(b)(tc.tenant, tc.session); got != tc.want {
				t.Errorf("flow %d, want %d", got, tc.want)
			}
		})
	}
}
