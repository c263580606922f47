// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A flowBench drives a flowController as a simulation does: it is asked to
// release after each request and whenever it wakes. Its detector says what the
// bench says, and all requests go to endpoint 0.
type flowBench struct {
	*flowController
	level     float64
	endpoints int
	now       simtime.Time
	next      simtime.Time // when it wakes
	log       []string     // who left, when and how
}

const ms = simtime.Time(time.Millisecond)

func newFlowBench(settings config.FlowSettings, of version.Release) *flowBench {
	g := &flowBench{endpoints: 1, next: simtime.Never}
	f := &flowController{
		ticks: ticksOf(1),
		schedule: func(v *policy.View, r *policy.Request) (policy.Route, error) {
			if g.eviction != nil {
				g.eviction.Routed(&scheduler.Cycle{Now: v.Now, Request: r.ID, Priority: r.Priority}, scheduler.Picks{})
			}
			return policy.To(0), nil
		},
		look:  func(v *policy.View) *scheduler.Cycle { return &scheduler.Cycle{Now: v.Now, Present: g.endpoints} },
		rules: rulesOf(of), settings: settings, limit: staticUsageLimit{1},
		flowOf: func(tenant int, _ int32) int { return tenant }, bytesPerToken: 4,
	}
	f.detector, f.saturation = g, &poolSaturation{detector: g}
	programs := &programAwareFair{
		parameters: &ProgramAwareParameters{LASWeightService: 0.8, LASWeightHeadWait: 0.2, LASHalfLifeSeconds: 60},
		programs:   map[int]*program{}, random: stats.NewStream(1, "ties"), flowOf: f.flowOf, unnamed: -1,
	}
	f.newBand = func(priority int) *flowBand {
		b := settings.Of(priority)
		fair := map[string]fairness{
			config.GlobalStrictFairnessPolicyType: globalStrictFairness{}, roundRobinFairnessPolicyType: &roundRobinFairness{last: scheduler.None},
			ProgramAwareFairnessType: programs,
		}
		order := map[string]ordering{
			config.FCFSOrderingPolicyType: firstComeOrdering{}, edfOrderingPolicyType: earliestDeadlineOrdering{settings.TTL},
			sloDeadlineOrderingPolicyType: statedDeadlineOrdering{},
		}
		return &flowBand{priority: priority, maxRequests: b.MaxRequests, maxBytes: b.MaxBytes, fairness: fair[b.Fairness], ordering: order[b.Ordering]}
	}
	if settings.Evicts {
		f.eviction = newFlowEviction(testGrace)
	}
	f.band(0)
	for _, b := range settings.Bands {
		f.band(b.Priority)
	}
	g.flowController = f
	return g
}

func (g *flowBench) Saturation(*scheduler.Cycle) float64 { return g.level }

// until lets all wakes before a time happen.
func (g *flowBench) until(at simtime.Time) {
	for g.next < at {
		g.now = g.next
		g.drain()
	}
	g.now = at
}

// drain asks for releases, and for the time of the next wake.
func (g *flowBench) drain() {
	for {
		r, ok := g.Release(&policy.View{Now: g.now})
		if !ok {
			break
		}
		how := ""
		if r.Err != nil {
			how = ": " + r.Err.Error()
		}
		g.log = append(g.log, fmt.Sprint(g.now, " ", r.Request, how))
	}
	for g.eviction != nil {
		id, ok := g.eviction.next()
		if !ok {
			break
		}
		g.log = append(g.log, fmt.Sprint(g.now, " ", id, ": evicted"))
		g.finish(id)
	}
	g.next = simtime.Never
	if at, ok := g.Wake(g.now); ok {
		if at <= g.now {
			panic(fmt.Sprintf("wakes at %v, at %v", at, g.now))
		}
		g.next = at
	}
}

// arrive lets a request come.
func (g *flowBench) arrive(at simtime.Time, r policy.Request) {
	g.until(at)
	r.Arrival = at
	if err := g.Route(&policy.View{Now: at}, &r); !errors.Is(err, policy.ErrHeld) {
		g.log = append(g.log, fmt.Sprint(at, " ", r.ID, ": ", err))
	}
	g.drain()
}

// finish ends an answer.
func (g *flowBench) finish(id int) {
	if g.eviction != nil {
		g.eviction.Finished(&policy.Request{ID: id}, 0)
	}
}

// someBands is the settings of a section in YAML, for a release.
func someBands(t *testing.T, text string, of version.Release) config.FlowSettings {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(cmp.Or(text, "{}")))
	if err != nil {
		t.Fatal(err)
	}
	root, err := document.ParseJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	var section config.FlowControl
	if faults, _ := document.DecodeParameters(root, &section, version.Router11, true, nil); len(faults) > 0 {
		t.Fatal(faults)
	}
	return config.NewFlowSettings(&section, of)
}
