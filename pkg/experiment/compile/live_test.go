// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

func liveRun() *v1alpha1.SimulationRun {
	run := builder.MakeRun("live", "ns").Obj()
	run.Spec.Scenario.Horizon.Duration = "10m"
	run.Spec.Execution.Live = &v1alpha1.LiveExecution{Image: "epp:v1", Args: []string{"--v", "4"}}
	return run
}

func TestLivePlan(t *testing.T) {
	run := liveRun()
	run.Spec.Scenario.Pools[0].Role = v1alpha1.BothRole
	run.Spec.Scenario.Pools[0].Labels = map[string]v1alpha1.LabelValue{"zone": "a"}
	c, errs, err := Run(t.Context(), run, nil)
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	simulated := c.Plan.KeyOf(c.Plan.Scenario, nil)
	if c.Plan.Live != nil {
		t.Error("the verbs that simulate would measure")
	}
	if err := Live(run, c.Plan); err != nil {
		t.Fatal(err)
	}
	want := &experiment.Live{
		Image: "epp:v1", Args: []string{"--refresh-metrics-interval=50ms", "--v", "4"}, EndpointPickerConfig: builder.DefaultPickerConfig,
		Pools: []experiment.LivePool{{Name: "llama", Replicas: 2, Labels: map[string]string{"llm-d.ai/engine-type": "vllm", "llm-d.ai/role": "both", "zone": "a"}}},
	}
	if diff := cmp.Diff(want, c.Plan.Live); diff != "" {
		t.Errorf("what is measured (-want +got):\n%s", diff)
	}
	measured := c.Plan.KeyOf(c.Plan.Scenario, nil)
	c.Plan.Live.Image = "epp:v2"
	if other := c.Plan.KeyOf(c.Plan.Scenario, nil); measured.Live == simulated.Live || measured.Live == other.Live {
		t.Error("rows of a simulation, of an image and of another one have the same key")
	}
}

func TestWhatALiveRunRefuses(t *testing.T) {
	scenario := func(change func(*v1alpha1.Scenario)) func(*v1alpha1.SimulationRun) {
		return func(run *v1alpha1.SimulationRun) { change(&run.Spec.Scenario) }
	}
	args := func(flags ...string) func(*v1alpha1.SimulationRun) {
		return func(run *v1alpha1.SimulationRun) { run.Spec.Execution.Live.Args = flags }
	}
	for want, change := range map[string]func(*v1alpha1.SimulationRun){
		"spec.execution.shards: Forbidden":                       func(run *v1alpha1.SimulationRun) { run.Spec.Execution.Shards = 2 },
		"spec.execution.managedBy: Forbidden":                    func(run *v1alpha1.SimulationRun) { run.Spec.Execution.ManagedBy = "kueue.x-k8s.io/multikueue" },
		"spec.replications: Forbidden":                           func(run *v1alpha1.SimulationRun) { run.Spec.Replications.Seeds = []int64{1, 2} },
		"spec.reuseFrom: Forbidden":                              func(run *v1alpha1.SimulationRun) { run.Spec.ReuseFrom = []string{"a"} },
		"spec.trace.level: Forbidden":                            func(run *v1alpha1.SimulationRun) { run.Spec.Trace.Level = v1alpha1.DecisionsTrace },
		"spec.trace.series: Forbidden":                           func(run *v1alpha1.SimulationRun) { run.Spec.Trace.Series = &v1alpha1.SeriesTrace{} },
		"spec.scenario.horizon.duration: Required":               scenario(func(s *v1alpha1.Scenario) { s.Horizon.Duration = "" }),
		"spec.scenario.horizon.duration: Invalid value: \"25h\"": scenario(func(s *v1alpha1.Scenario) { s.Horizon.Duration = "25h" }),
		"spec.scenario.router.replicas: Forbidden":               scenario(func(s *v1alpha1.Scenario) { s.Router.Replicas = 2 }),
		"spec.scenario.router.signals: Forbidden":                scenario(func(s *v1alpha1.Scenario) { s.Router.Signals = v1alpha1.OracleSignals }),
		"spec.scenario.pools[0].replicas: Invalid value: 101":    scenario(func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 101 }),
		"spec.scenario.pools[0].dataParallelism: Forbidden":      scenario(func(s *v1alpha1.Scenario) { s.Pools[0].DataParallelism = 2 }),
		"spec.scenario.disruptions: Forbidden": scenario(func(s *v1alpha1.Scenario) {
			s.Disruptions = []v1alpha1.Disruption{{Pool: "llama", At: "1s", Kind: "Fail"}}
		}),
		"spec.execution.live.args[1]: Forbidden: a rehearsal sets --grpc-port":   args("--v=4", "--grpc-port=1"),
		"spec.execution.live.args[0]: Forbidden: a rehearsal sets --config-text": args("-config-text", "a"),
	} {
		t.Run(want, func(t *testing.T) {
			run := liveRun()
			change(run)
			_, errs, err := Run(t.Context(), run, nil)
			if err != nil || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) {
				t.Errorf("got %v, %v", errs, err)
			}
		})
	}
}

// TestWhichLiveRunsMayHavePriorities has those that a spec states, and traces, whose rows may.
func TestWhichLiveRunsMayHavePriorities(t *testing.T) {
	for name, tc := range map[string]struct {
		workload v1alpha1.Workload
		want     bool
	}{
		"none":                {v1alpha1.Workload{Clients: []v1alpha1.Client{{}}, Tenants: []v1alpha1.Tenant{{}, {Priority: ptr.To[int32](0)}}}, false},
		"that of a client":    {v1alpha1.Workload{Clients: []v1alpha1.Client{{}, {Priority: 1}}}, true},
		"that of a tenant":    {v1alpha1.Workload{Clients: []v1alpha1.Client{{}}, Tenants: []v1alpha1.Tenant{{Priority: ptr.To[int32](-1)}}}, true},
		"those of a trace":    {v1alpha1.Workload{Trace: &v1alpha1.Trace{}}, true},
		"those of two traces": {v1alpha1.Workload{Traces: []v1alpha1.NamedTrace{{}, {}}}, true},
	} {
		if got := StatesPriorities(&tc.workload); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestALiveRunRefusesOtherSockets has an EPP that reads KV events elsewhere than the pods of replicas publish.
func TestALiveRunRefusesOtherSockets(t *testing.T) {
	const picker = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- {type: token-producer, parameters: {estimate: {}}}
- type: endpoint-notification-source
- type: precise-prefix-cache-producer
  parameters: {tokenProcessorConfig: {blockSizeTokens: 16}, kvEventsConfig: {EVENTS}}
- type: prefix-cache-scorer
  parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}
dataLayer: {sources: [{pluginRef: endpoint-notification-source, extractors: [{pluginRef: precise-prefix-cache-producer}]}]}
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer}]}]
`
	for events, want := range map[string][]string{
		"podDiscoveryConfig: {socketPort: 5557}":                         nil,
		"podDiscoveryConfig: {socketPort: 5558, replaySocketPort: 6000}": {"podDiscoveryConfig.socketPort", "podDiscoveryConfig.replaySocketPort"},
		`discoverPods: false, zmqEndpoint: "tcp://*:5557"`:               {"zmqEndpoint"},
		"engineType: sglang": {"engineType"},
	} {
		t.Run(events, func(t *testing.T) {
			run := liveRun()
			run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: "router-main", Inline: ptr.To(strings.Replace(picker, "EVENTS", events, 1))}
			_, errs, err := Run(t.Context(), run, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, err := range errs {
				got = append(got, strings.TrimPrefix(err.Field, "spec.scenario.router.endpointPickerConfig.plugins[2].parameters.kvEventsConfig."))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("refused are (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}
