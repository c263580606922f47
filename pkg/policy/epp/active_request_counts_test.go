// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A countStep is something that an active-request-scorer is told, at a time.
type countStep struct {
	at             time.Duration
	do             func(s *activeRequestCounts, at simtime.Time, r *policy.Request, p scheduler.Picks)
	request        int
	decode, second int
}

func toRoute(s *activeRequestCounts, at simtime.Time, r *policy.Request, p scheduler.Picks) {
	s.Routed(&scheduler.Cycle{Request: r.ID, Now: at}, p)
}

func toBegin(s *activeRequestCounts, _ simtime.Time, r *policy.Request, p scheduler.Picks) {
	s.FirstToken(r, p.Primary)
}

func toEnd(s *activeRequestCounts, at simtime.Time, r *policy.Request, p scheduler.Picks) {
	s.Used(at, r, 1)
	s.Finished(r, p.Primary)
}

func toBreakOff(s *activeRequestCounts, _ simtime.Time, r *policy.Request, p scheduler.Picks) {
	s.Finished(r, p.Primary)
}

// countsIn makes the scorer of a version for four endpoints.
func countsIn(t *testing.T, version, parameters string) *activeRequestCounts {
	t.Helper()
	body := oldHeader + "plugins: [{type: active-request-scorer, parameters: " + parameters + "}]"
	c, errs := Load([]byte(body), version, inline)
	if errs = append(errs, c.Check(nil, inline)...); len(errs) > 0 {
		t.Fatalf("%s: %v", version, errs.ToAggregate())
	}
	p := c.Plugin(activeRequestScorerType)
	b := scheduler.NewBuilder(parts, c, config.Cluster{Endpoints: 4}, 1)
	return b.Factory(p).NewScorer(b, p).(*activeRequestCounts)
}

// What an old active-request-scorer has counted by the end of some steps.
func TestActiveRequestCounts(t *testing.T) {
	const second = time.Second
	shared := []countStep{{0, toRoute, 1, 0, 1}, {second, toBegin, 1, 0, 1}, {2 * second, toEnd, 1, 0, 1}}
	twice := []countStep{{0, toRoute, 1, 2, 2}, {second, toEnd, 1, 2, 2}}
	long := []countStep{{30 * second, toRoute, 1, 3, scheduler.None}, {150*second + 1, toEnd, 1, 3, scheduler.None}}
	broken := []countStep{{0, toRoute, 1, 3, scheduler.None}, {second, toBreakOff, 1, 3, scheduler.None}, {second, toRoute, 1, 0, scheduler.None}}
	cases := map[string]struct {
		version, parameters string
		steps               []countStep
		at                  time.Duration
		want                []int64
	}{
		"to the headers":                    {"scheduler-v0.3.2", "{}", []countStep{{0, toRoute, 1, 3, scheduler.None}, {second, toBegin, 1, 3, scheduler.None}}, second, []int64{0, 0, 0, 0}},
		"to the end from v0.4 on":           {"scheduler-v0.4.0", "{}", []countStep{{0, toRoute, 1, 3, scheduler.None}, {second, toBegin, 1, 3, scheduler.None}}, second, []int64{0, 0, 0, 1}},
		"the end is the decode endpoint's":  {"scheduler-v0.4.0", "{}", shared, 3 * second, []int64{0, 1, 0, 0}},
		"and both's from v0.5 on":           {"scheduler-v0.5.1", "{}", shared, 3 * second, []int64{0, 0, 0, 0}},
		"the other waits for the sweep":     {"scheduler-v0.4.0", "{}", shared, 239 * second, []int64{0, 1, 0, 0}},
		"which comes":                       {"scheduler-v0.4.0", "{}", shared, 240 * second, []int64{0, 0, 0, 0}},
		"chosen twice is left once":         {"scheduler-v0.4.0", "{}", twice, time.Hour, []int64{0, 0, 1, 0}},
		"but not from v0.5 on":              {"scheduler-v0.5.1", "{}", twice, second, []int64{0, 0, 0, 0}},
		"too long a request misses its end": {"scheduler-v0.8.0", "{}", long, 239 * second, []int64{0, 0, 0, 1}},
		"and is swept":                      {"scheduler-v0.8.0", "{}", long, 240 * second, []int64{0, 0, 0, 0}},
		"a stated timeout":                  {"scheduler-v0.8.0", "{requestTimeout: 10s}", []countStep{{second, toRoute, 1, 3, scheduler.None}}, 20 * second, []int64{0, 0, 0, 0}},
		"before the sweep":                  {"scheduler-v0.8.0", "{requestTimeout: 10s}", []countStep{{second, toRoute, 1, 3, scheduler.None}}, 20*second - 1, []int64{0, 0, 0, 1}},
		"as old as the timeout is young":    {"scheduler-v0.8.0", "{requestTimeout: 10s}", []countStep{{0, toRoute, 1, 3, scheduler.None}}, 10 * second, []int64{0, 0, 0, 1}},
		"no timeout is the default":         {"scheduler-v0.8.0", "{requestTimeout: -1s}", []countStep{{second, toRoute, 1, 3, scheduler.None}}, 100 * second, []int64{0, 0, 0, 1}},
		"to break off is no end in v0.4":    {"scheduler-v0.4.0", "{}", broken, 2 * second, []int64{1, 0, 0, 1}},
		"and is one from v0.5 on":           {"scheduler-v0.5.1", "{}", broken, 2 * second, []int64{1, 0, 0, 0}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := countsIn(t, tc.version, tc.parameters)
			for _, step := range tc.steps {
				step.do(s, simtime.Time(step.at), &policy.Request{ID: step.request}, scheduler.Picks{Primary: step.decode, Prefill: step.second})
			}
			s.sweep(simtime.Time(tc.at))
			if diff := cmp.Diff(tc.want, s.counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

// Old scores are relative to the busiest endpoint of all, and unless it is stated,
// some versions give busy ones nothing.
func TestScoresOfActiveRequestCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		version, parameters string
		want                []float64
	}{
		"of all endpoints":          {"scheduler-v0.6.0", "{}", []float64{1, 0.75, 0.5}},
		"an unset greatest is 0":    {"scheduler-v0.7.1", "{}", []float64{1, 0, 0}},
		"also in v0.8":              {"scheduler-v0.8.0", "{idleThreshold: 1}", []float64{1, 1, 0}},
		"a stated one":              {"scheduler-v0.7.1", "{maxBusyScore: 0.5}", []float64{1, 0.375, 0.25}},
		"a bad one is 1":            {"scheduler-v0.7.1", "{maxBusyScore: 2}", []float64{1, 0.75, 0.5}},
		"idle is as much as stated": {"scheduler-v0.7.1", "{idleThreshold: 1, maxBusyScore: 0.5}", []float64{1, 1, 0.25}},
	} {
		s := countsIn(t, tc.version, tc.parameters)
		copy(s.counts, []int64{0, 1, 2, 4})
		scores := make([]float64, 3)
		s.Score(&scheduler.Cycle{}, []int{0, 1, 2}, scheduler.NewWeight(1), scores)
		if diff := cmp.Diff(tc.want, scores); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
