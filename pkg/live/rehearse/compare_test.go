// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

const requests = 200

// poisson makes the first requests of a sample.
func poisson(t *testing.T) Maker {
	t.Helper()
	return makerOf(t, testfile.Read(t, "../../../config/samples/simulationrun-poisson.yaml"))
}

// makerOf makes the first requests of a run.
func makerOf(t *testing.T, text []byte) Maker {
	t.Helper()
	run := experimenttest.ReadSet(t, text).Runs[0]
	run.Spec.Scenario.Horizon.Requests = new(int64(requests))
	c := experimenttest.MustCompileRun(t, run)
	return func() (simulator.Config, error) {
		return execute.Config(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 42})
	}
}

// asked is a source that keeps its requests.
type asked struct {
	workload.Source
	all map[int]workload.Request
}

func (a asked) Next() (workload.Request, bool) {
	q, ok := a.Source.Next()
	if ok {
		a.all[q.ID] = q
	}
	return q, ok
}

// simulated are the requests of a simulation as a real EPP with the same choices has them.
func simulated(t *testing.T, maker Maker) (addresses []string, all []*load.Outcome) {
	t.Helper()
	c, err := maker()
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Pools[0].Replicas {
		addresses = append(addresses, fmt.Sprintf("127.0.0.1:%d", 8000+i))
	}
	from, chosen := asked{c.Source, map[int]workload.Request{}}, map[int]simtime.Time{}
	c.Source = from
	c.Ended = func(e simulator.RequestEnd) {
		all = append(all, &load.Outcome{Request: from.all[e.ID], RequestEnd: e, Endpoint: addresses[e.Replica]})
	}
	detach := execute.WatchDecisions(&c, func(d *execute.RoutingRecord) {
		chosen[d.Request.ID] = simtime.Time(math.Round(d.AtSeconds * 1e9))
	})
	if _, err := simulation.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	detach()
	for _, o := range all {
		if o.Chosen = chosen[o.ID]; o.Chosen > o.Arrival {
			o.Chosen = o.Chosen.Add(answerTime)
		}
	}
	return addresses, all
}

// held is a run whose requests wait behind flow control.
const held = `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: held}
spec:
  scenario:
    horizon: {requests: 1}
    pools: [{name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2, engine: {maxNumSeqs: 8}}]
    router:
      endpointPickerConfig:
        version: router-main
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          featureGates: [flowControl]
          plugins:
          - type: queue-scorer
          - type: active-request-scorer
          - {type: utilization-detector, parameters: {queueDepthThreshold: 2}}
          flowControl: {saturationDetector: {pluginRef: utilization-detector}}
          schedulingProfiles:
          - {name: default, plugins: [{pluginRef: queue-scorer}, {pluginRef: active-request-scorer}]}
    workload:
      clients:
      - {name: chat, tenant: chat, arrivals: {rate: "8"}, inputTokens: {distribution: Constant, mean: "400"}, outputTokens: {distribution: Exponential, mean: "150", max: 600}}
      - {name: nightly, tenant: reports, arrivals: {rate: "16"}, inputTokens: {distribution: Constant, mean: "1500"}, outputTokens: {distribution: Exponential, mean: "400", max: 1000}}
`

// TestHeldRequestsAreComparedAsTheyLeave takes the order in which requests leave flow control from the
// real EPP, which a simulation stands for here. Without endpoints that were read it decides on its own
// scrapes, so that each decision is the same.
func TestHeldRequestsAreComparedAsTheyLeave(t *testing.T) {
	maker := makerOf(t, []byte(held))
	addresses, all := simulated(t, maker)
	choices, waited := NewChoices(addresses), 0
	for _, o := range all {
		choices.Add(o)
		if o.Chosen > o.Arrival.Add(2*answerTime) {
			waited++
		}
	}
	if waited < requests/4 {
		t.Fatalf("%d requests waited", waited)
	}
	got, err := Compare(t.Context(), maker, choices, make(Scrapes, len(addresses)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Decisions{Equal: requests}, got.Decisions); diff != "" {
		t.Errorf("decisions (−want +got):\n%s", diff)
	}
}

func TestChoicesAreComparedAfterTheSameOnesBefore(t *testing.T) {
	maker := poisson(t)
	addresses, all := simulated(t, maker)
	// elsewhere is another endpoint than that of a request.
	elsewhere := func(o *load.Outcome) string {
		if o.Endpoint == addresses[0] {
			return addresses[1]
		}
		return addresses[0]
	}
	for name, tc := range map[string]struct {
		change func(*load.Outcome)
		want   Decisions
	}{
		"the same choices": {func(*load.Outcome) {}, Decisions{Equal: requests}},
		"another endpoint that the EPP finds as good": {
			func(o *load.Outcome) {
				o.Scores = map[string]float64{o.Endpoint: 4}
				o.Endpoint = elsewhere(o)
				o.Scores[o.Endpoint] = 4
			},
			Decisions{Equal: requests - 1, Tied: 1},
		},
		"an endpoint that neither finds best": {
			func(o *load.Outcome) {
				o.Scores = map[string]float64{o.Endpoint: 3}
				o.Endpoint = elsewhere(o)
				o.Scores[o.Endpoint] = 4
			},
			Decisions{Equal: requests - 1, Different: 1},
		},
		"no endpoint":        {func(o *load.Outcome) { o.Endpoint = "" }, Decisions{Equal: requests - 1, NotRouted: 1}},
		"an unknown request": {func(o *load.Outcome) { o.Request.Origin.Step = 2 * requests }, Decisions{Equal: requests - 1, OneSided: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			choices := NewChoices(addresses)
			for _, o := range all {
				copied := *o
				if o.ID == requests-1 { // after which no decision follows
					tc.change(&copied)
				}
				choices.Add(&copied)
			}
			got, err := Compare(t.Context(), maker, choices, make(Scrapes, len(addresses)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Decisions); diff != "" {
				t.Errorf("decisions (−want +got):\n%s", diff)
			}
			if got.Decisions.Different+got.Decisions.NotRouted != len(got.Differences) {
				t.Errorf("differences: %+v", got.Differences)
			}
		})
	}
}

func TestTheSameChoicesGiveTheSameFigures(t *testing.T) {
	maker := poisson(t)
	addresses, all := simulated(t, maker)
	choices := NewChoices(addresses)
	for _, o := range all {
		choices.Add(o)
	}
	got, err := Compare(t.Context(), maker, choices, make(Scrapes, len(addresses)))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Own.Equal(got.Same) {
		t.Errorf("metrics (−by itself +with its own choices):\n%s", cmp.Diff(got.Own, got.Same))
	}
	for _, f := range Figures(got, Limits{}, got.Same) {
		if !f.Within || f.Apart != 0 {
			t.Errorf("%+v", f)
		}
	}
}

func TestFiguresByTheirLimits(t *testing.T) {
	metrics := func(ttft, tpot, hits float64) result.Metrics {
		return result.NewMetrics(map[string]float64{"engineTtft.p50": ttft, "ttft.p50": 10 * ttft, "tpot.mean": tpot, "cacheHit.gpu": hits})
	}
	s := &Simulated{Own: metrics(1, 1, 1), Same: metrics(1, 0.01, 0.5)}
	limits := Limits{TTFT: 0.05, TPOT: 0.05, Shares: 0.01}
	for name, tc := range map[string]struct {
		live   result.Metrics
		within []bool // engineTtft, ttft, tpot, cacheHit
	}{
		"at the limits":   {metrics(1.04, 0.0096, 0.509), []bool{true, true, true, true}},
		"over the limits": {metrics(0.94, 0.0106, 0.48), []bool{false, true, false, false}},
		"far over them":   {metrics(100, 0, 0), []bool{false, true, false, false}},
	} {
		var within []bool
		for _, f := range Figures(s, limits, tc.live) {
			within = append(within, f.Within)
		}
		if diff := cmp.Diff(tc.within, within); diff != "" {
			t.Errorf("%s: within (−want +got):\n%s", name, diff)
		}
	}
}

// TestRequestsComeWhenTheyWereSent has a client that sends one request each second, the second of
// them 1.5 s late, and the third, which nothing is known of, behind it.
func TestRequestsComeWhenTheyWereSent(t *testing.T) {
	var sources [2]workload.Source
	for i := range sources {
		sources[i] = workload.NewClients([]workload.Client{{
			Name: "client", Arrivals: workload.Arrivals{Process: workload.Constant, RatePerSecond: 1},
			Input: workload.Lengths{Distribution: stats.Constant{Value: 8}, Min: 1}, Output: workload.Lengths{Distribution: stats.Constant{Value: 8}, Min: 1},
		}}, 1)
	}
	const second = simtime.Time(time.Second)
	choices := NewChoices(nil)
	for _, sent := range []simtime.Time{second, 3*second + second/2} {
		q, _ := sources[0].Next()
		choices.Add(&load.Outcome{Request: q, RequestEnd: simulator.RequestEnd{Arrival: sent}})
	}
	source := &noted{Source: sources[1], ids: map[int]identity{}, sent: choices.sent}
	var got []simtime.Time
	for range 4 {
		q, _ := source.Next()
		got = append(got, q.Arrival)
	}
	if diff := cmp.Diff([]simtime.Time{second, 3*second + second/2, 3*second + second/2, 4 * second}, got); diff != "" {
		t.Errorf("arrivals (−want +got):\n%s", diff)
	}
}
