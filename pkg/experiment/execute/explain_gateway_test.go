// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

type parameters = map[string]v1alpha1.PolicyParameter

// guarded is a run with an admission, and with a priority.
func guarded(t *testing.T, admission v1alpha1.GatewayPolicy, edit ...func(*v1alpha1.SimulationRun)) *compile.Compiled {
	run := experimenttest.Run(t)
	run.Spec.Scenario.Router.Admission = &admission
	for i := range run.Spec.Scenario.Workload.Clients {
		run.Spec.Scenario.Workload.Clients[i].Arrivals.Rate = "50"
	}
	run.Spec.Scenario.Router.Priority = &v1alpha1.GatewayPolicy{Policy: "constant", Parameters: parameters{"value": "-3"}}
	for _, e := range edit {
		e(run)
	}
	return experimenttest.MustCompileRun(t, run)
}

func TestExplainShowsWhatStandsBeforeTheRouter(t *testing.T) {
	live := func(run *v1alpha1.SimulationRun) { run.Spec.Scenario.Router.Signals = v1alpha1.OracleSignals }
	native := func(run *v1alpha1.SimulationRun) {
		run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
		run.Spec.Scenario.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "round-robin"}}
	}
	patient := func(run *v1alpha1.SimulationRun) {
		for i := range run.Spec.Scenario.Workload.Clients {
			run.Spec.Scenario.Workload.Clients[i].Timeout = &v1alpha1.Timeout{Total: "1s"}
		}
	}
	busy := parameters{"queueDepth": "0.000001", "kvUtilization": "0.01"}
	for name, tc := range map[string]struct {
		admission v1alpha1.GatewayPolicy
		edit      []func(*v1alpha1.SimulationRun)
		request   int
		want      []string
	}{
		"admitted": {v1alpha1.GatewayPolicy{Policy: "always"}, nil, 3, []string{
			", priority -3\n", "\npriority -3 by constant; the client states 0\nat ", " s always admits the request\n", "It went to ", "It completed",
		}},
		"before a native policy": {v1alpha1.GatewayPolicy{Policy: "always"}, []func(*v1alpha1.SimulationRun){native}, 3, []string{
			" s always admits the request\n", "profile round-robin", "It completed",
		}},
		"rejected": {v1alpha1.GatewayPolicy{Policy: "token-bucket", Parameters: parameters{"rate": "0.01", "burst": "1"}}, nil, execute.FirstRejected, []string{
			"request 1, ", "token-bucket rejects the request: over the rate limit\n", "It went nowhere: over the rate limit.\n",
			"It ended rejected as rateLimited: requests came faster than a limit of router.admission; token-bucket decided that.\n", " ms old",
		}},
		"delayed": {v1alpha1.GatewayPolicy{Policy: "token-bucket", Parameters: parameters{"rate": "2", "burst": "1", "over": "delay", "maxDelay": "1h"}}, nil, 5, []string{
			"token-bucket delays the request until ", "token-bucket admits the request\n", " after its arrival\n", "It completed",
		}},
		"given up by its client": {v1alpha1.GatewayPolicy{Policy: "token-bucket", Parameters: parameters{"rate": "0.01", "burst": "1", "over": "delay", "maxDelay": "1h"}},
			[]func(*v1alpha1.SimulationRun){patient}, 5, []string{
				"token-bucket delays the request until ", "It waited at the gateway, and went nowhere.\nIt ended timed out.\n",
			}},
		"asked often": {v1alpha1.GatewayPolicy{Policy: "tenant-budget", Parameters: parameters{"capacity": "1", "over": "delay", "retryEvery": "1ms", "maxDelay": "1h"}}, nil, 5, []string{
			" more delays\nat ", "tenant-budget admits the request\n", "  tenant ", " in flight with ", ": the gateway's own counts, without delay\n",
		}},
		"by saturation": {v1alpha1.GatewayPolicy{Policy: "saturation", Parameters: busy}, nil, execute.FirstRejected, []string{
			"saturation rejects the request: shed, as the pool is saturated\n  saturation ", ": metrics up to ", "ms old\n", "; saturation decided that.\n",
		}},
		"by saturation as of now": {v1alpha1.GatewayPolicy{Policy: "saturation", Parameters: busy}, []func(*v1alpha1.SimulationRun){live}, execute.FirstRejected, []string{
			": metrics as of now\n", "  now  ", "signals Oracle: the metrics are as of the decision\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, tc.admission, tc.edit...)
			story, err := execute.Explain(t.Context(), c.Plan, c.Traces, 1, tc.request, false)
			if err != nil {
				t.Fatal(err)
			}
			var table strings.Builder
			if err := story.Table(&table); err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if !strings.Contains(table.String(), want) {
					t.Errorf("there is no %q in\n%s", want, &table)
				}
			}
		})
	}
}

// Each request has one decision, whatever the admission says of it, and watching changes
// nothing.
func TestEachRequestHasADecision(t *testing.T) {
	for name, admission := range map[string]v1alpha1.GatewayPolicy{
		"rejected": {Policy: "reject-all"},
		"limited":  {Policy: "token-bucket", Parameters: parameters{"rate": "3", "burst": "1"}},
		"delayed":  {Policy: "delay", Parameters: parameters{"queueDepth": "0.000001", "kvUtilization": "0.01", "maxDelay": "5ms", "then": "reject"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := guarded(t, admission)
			seen, verdicts := map[int]int{}, map[string]int{}
			all := experimenttest.AllSimulations(t, c.Plan).Indices()[:1]
			watched, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), all, execute.Options{Parallelism: 1, Trace: execute.Decisions(func(_ int, d *execute.RoutingRecord) {
				seen[d.Request.ID]++
				last := d.LastVerdict()
				verdicts[last.Verdict]++
				if rejected := last.Verdict == scheduler.Rejected; rejected != (d.Endpoint == nil) || rejected != (d.Rejected != "") || d.Priority.Value != -3 {
					t.Errorf("request %d: %+v, endpoint %v, rejected %q, priority %+v", d.Request.ID, last, d.Endpoint, d.Rejected, d.Priority)
				}
			})})
			if err != nil {
				t.Fatal(err)
			}
			ids := slices.Sorted(maps.Keys(seen))
			if len(ids) != 40 || ids[39] != 39 || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
				t.Errorf("decisions by request: %v", seen)
			}
			if verdicts[scheduler.Rejected] == 0 {
				t.Errorf("verdicts: %v", verdicts)
			}
			plain := experimenttest.MustSimulate(t, c, experiment.Span{End: 1})
			if experimenttest.EncodeRows(t, watched) != experimenttest.EncodeRows(t, plain) {
				t.Error("watching changes results")
			}
		})
	}
}

func TestNothingIsRejected(t *testing.T) {
	c := guarded(t, v1alpha1.GatewayPolicy{Policy: "always"})
	if _, err := execute.Explain(t.Context(), c.Plan, c.Traces, 1, execute.FirstRejected, false); !errors.Is(err, execute.ErrNoSuchRequest) {
		t.Errorf("error %v", err)
	}
}
