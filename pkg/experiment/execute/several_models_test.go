// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// twoModels is the sample with two models. Its runs end with their arrivals, so that the
// figures over time are over the same time whichever requests there are.
func twoModels(t *testing.T, edit func(*v1alpha1.Scenario)) *v1alpha1.SimulationRun {
	t.Helper()
	run := readSample(t, "simulationrun-two-models.yaml").Runs[0]
	run.Spec.Scenario.Horizon = v1alpha1.Horizon{Duration: "20s", Warmup: "5s", Drain: "0s"}
	if edit != nil {
		edit(&run.Spec.Scenario)
	}
	return run
}

// alone leaves of a run what belongs to its router number i.
func alone(run *v1alpha1.SimulationRun, i int) *v1alpha1.SimulationRun {
	one := run.DeepCopy()
	s := &one.Spec.Scenario
	model := s.Routers[i].Model
	s.Router, s.Routers = s.Routers[i].Router, nil
	s.Pools = slices.DeleteFunc(s.Pools, func(p v1alpha1.Pool) bool { return p.Model != model })
	s.Workload.Clients = slices.DeleteFunc(s.Workload.Clients, func(c v1alpha1.Client) bool { return c.Model != model })
	s.SLOs = slices.DeleteFunc(s.SLOs, func(o v1alpha1.SLO) bool {
		return !slices.ContainsFunc(s.Workload.Clients, func(c v1alpha1.Client) bool { return c.Class == o.Class })
	})
	s.Disruptions = slices.DeleteFunc(s.Disruptions, func(d v1alpha1.Disruption) bool {
		return !slices.ContainsFunc(s.Pools, func(p v1alpha1.Pool) bool { return p.Name == d.Pool })
	})
	return one
}

func documentOf(t *testing.T, run *v1alpha1.SimulationRun) *result.Document {
	t.Helper()
	c := experimenttest.MustCompileRun(t, run)
	return experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))[0].Document
}

// flowControl has a router hold requests, in two EPPs.
const flowControl = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins:
- {type: queue-scorer}
- {type: prefix-cache-scorer}
- {type: concurrency-detector, parameters: {maxConcurrency: 8}}
flowControl:
  saturationDetector: {pluginRef: concurrency-detector}
`

// precise has a router listen to the engines' KV events.
const precise = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: token-producer
  parameters: {modelName: any}
- {type: precise-prefix-cache-producer}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}
- {type: queue-scorer}
`

// Two models that share nothing have the figures of two runs, one with each of them.
func TestModelsTogetherHaveTheFiguresOfEachAlone(t *testing.T) {
	for name, edit := range map[string]func(*v1alpha1.Scenario){
		"the sample": nil,
		"two EPPs with flow control beside one": func(s *v1alpha1.Scenario) {
			s.Routers[0].Replicas = 2
			s.Routers[0].EndpointPickerConfig.Inline = new(flowControl)
		},
		"flow control of both": func(s *v1alpha1.Scenario) {
			s.Routers[0].EndpointPickerConfig.Inline = new(flowControl)
			s.Routers[1].EndpointPickerConfig.Inline = new(flowControl)
		},
		"KV events beside a native policy": func(s *v1alpha1.Scenario) {
			s.Routers[0].EndpointPickerConfig.Inline = new(precise)
			s.Routers[1].Router = v1alpha1.Router{
				MetricsRefreshInterval: "50ms",
				Policies:               &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "random"}},
			}
		},
		"users who wait, and failures": func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].Arrivals = v1alpha1.Arrivals{}
			s.Workload.Clients[0].ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 30}
			s.Disruptions = []v1alpha1.Disruption{
				{At: "6s", Kind: v1alpha1.FailDisruption, Pool: "small", Replica: 1},
				{At: "8s", Kind: v1alpha1.FailDisruption, Pool: "large", Replica: 1},
				{At: "9s", Kind: v1alpha1.RecoverDisruption, Pool: "small", Replica: 1},
			}
		},
		"adaptive weights of both": func(s *v1alpha1.Scenario) {
			shed := &v1alpha1.GatewayPolicy{Policy: "probabilistic", Parameters: map[string]v1alpha1.PolicyParameter{"queueDepth": "1", "kvUtilization": "0.02", "most": "0.3"}}
			law := func(parameters ...string) *v1alpha1.GatewayPolicy {
				p := &v1alpha1.GatewayPolicy{Policy: "multiplicative", Parameters: map[string]v1alpha1.PolicyParameter{"epochRequests": "10"}}
				for i := 0; i < len(parameters); i += 2 {
					p.Parameters[parameters[i]] = v1alpha1.PolicyParameter(parameters[i+1])
				}
				return p
			}
			s.Routers[0].Admission, s.Routers[1].Admission = shed, shed
			s.Routers[0].Adaptive = law()
			s.Routers[1].Adaptive = law("prefix", "active-request-scorer", "load", "queue-scorer", "minLoad", "0.5")
		},
		"metrics of two ages": func(s *v1alpha1.Scenario) { s.Routers[1].MetricsRefreshInterval = "350ms" },
		"metrics of no age": func(s *v1alpha1.Scenario) {
			s.Routers[1].Signals = v1alpha1.OracleSignals
			s.Routers[1].Admission = &v1alpha1.GatewayPolicy{Policy: "saturation", Parameters: parameters{"kvUtilization": "0.05", "priority": "1"}}
		},
		"adapters of one model": func(s *v1alpha1.Scenario) {
			s.Pools[1].Adapters = &v1alpha1.Adapters{Max: 2, LoadTime: "100ms"}
			s.Workload.Clients[1].Adapter = "contracts"
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := twoModels(t, edit)
			together := documentOf(t, run)
			for i := range run.Spec.Scenario.Routers {
				want, got := documentOf(t, alone(run, i)), together.Models[i]
				if want.Overall.Requests.Completed == 0 {
					t.Fatal("nothing is served")
				}
				if diff := cmp.Diff(want.Overall, got, cmpopts.IgnoreFields(result.Group{}, "Selector")); diff != "" {
					t.Errorf("model %s (−alone +together):\n%s", got.Model, diff)
				}
				if diff := cmp.Diff(want.Pools[0], together.Pools[i]); diff != "" {
					t.Errorf("pool %s (−alone +together):\n%s", together.Pools[i].Pool, diff)
				}
			}
		})
	}
}

// Arrivals and rejections by model add up, those of no pool included.
func TestModelsCountTheirRejections(t *testing.T) {
	run := twoModels(t, func(s *v1alpha1.Scenario) {
		s.Routers[0].EndpointPickerConfig.Inline = new(flowControl + "  defaultRequestTTL: 50ms\n")
		s.Pools[0].Replicas = 1
	})
	d := documentOf(t, run)
	small, large := d.Models[0].Requests, d.Models[1].Requests
	if small.Rejected == 0 || large.Rejected != 0 || small.Arrived+large.Arrived != d.Overall.Requests.Arrived || d.Pools[0].Requests.Rejected != 0 {
		t.Errorf("rejected %d and %d, in the pool %d; arrived %d and %d of %d",
			small.Rejected, large.Rejected, d.Pools[0].Requests.Rejected, small.Arrived, large.Arrived, d.Overall.Requests.Arrived)
	}
}

func TestDecisionsNameTheModel(t *testing.T) {
	run := twoModels(t, nil)
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	c := experimenttest.MustCompileRun(t, run)
	models := map[string]string{}
	_, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{
		Parallelism: 1,
		Trace: execute.Decisions(func(_ int, d *execute.RoutingRecord) {
			models[d.Model] = strings.Join(d.Names, " ")
		}),
	})
	want := map[string]string{"meta-llama/Llama-3.1-8B-Instruct": "small/0 small/1 small/2", "meta-llama/Llama-3.1-70B-Instruct": "large/0 large/1"}
	if diff := cmp.Diff(want, models); diff != "" || err != nil {
		t.Errorf("models and their endpoints (−want +got):\n%s%v", diff, err)
	}
}

// What stands before the router of one model tells of its requests alone.
func TestVerdictsAreOfOneModel(t *testing.T) {
	run := twoModels(t, func(s *v1alpha1.Scenario) {
		s.Routers[1].Signals = v1alpha1.OracleSignals
		s.Routers[1].Admission = &v1alpha1.GatewayPolicy{Policy: "reject-all"}
	})
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	c := experimenttest.MustCompileRun(t, run)
	seen := map[string]int{}
	_, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{
		Parallelism: 1,
		Trace: execute.Decisions(func(_ int, d *execute.RoutingRecord) {
			what := fmt.Sprintf("%s by %d endpoints, signals %q, rejected %q", strings.Join(d.Names, " "), len(d.Endpoints), d.Signals, d.Rejected)
			if last := d.LastVerdict(); last != nil {
				what += ", " + last.Verdict
			}
			seen[what]++
		}),
	})
	want := []string{
		`large/0 large/1 by 2 endpoints, signals "Oracle", rejected "classRefused", rejected`,
		`small/0 small/1 small/2 by 3 endpoints, signals "", rejected ""`,
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(seen))); diff != "" || err != nil {
		t.Errorf("decisions (−want +got):\n%s%v", diff, err)
	}
}

// modelCounts counts the requests of a run by their model.
type modelCounts map[string]int

func (c modelCounts) Write(row *result.RequestRow) error {
	if row.Model != nil {
		c[*row.Model]++
	}
	return nil
}

func (c modelCounts) Close() error { return nil }

func TestRequestsNameTheModel(t *testing.T) {
	run := twoModels(t, func(s *v1alpha1.Scenario) { s.Horizon.Warmup = "" })
	c := experimenttest.MustCompileRun(t, run)
	got := modelCounts{}
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{
		Parallelism: 1,
		Requests: func(int, experiment.Point, int64) (execute.RequestSink, error) {
			return got, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := modelCounts{}
	for _, g := range simulations[0].Document.Models {
		want[g.Model] = int(g.Requests.Arrived)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 {
		t.Errorf("requests by model (−want +got):\n%s", diff)
	}
}
