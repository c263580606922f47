// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// runEPP simulates 300 requests that overload two pods, with a configuration of router-v0.11.
func runEPP(t *testing.T, text string, edit func(*v1alpha1.Scenario)) *simulator.Result {
	t.Helper()
	config := mustBuild(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig.Version = "router-v0.11"
		s.Router.EndpointPickerConfig.Inline = &text
		s.Pools[0].Replicas = 2
		s.Horizon = v1alpha1.Horizon{Requests: ptr.To[int64](300), Drain: "10m"}
		s.Workload.Clients = s.Workload.Clients[:1]
		s.Workload.Clients[0].Arrivals.Rate = "60"
		edit(s)
	})
	config.CheckInvariants = true
	o, err := simulation.Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func unedited(*v1alpha1.Scenario) {}

const limitedConfig = `apiVersion: llm-d.ai/v1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins:
- {name: few, type: concurrency-detector, parameters: {maxConcurrency: 4}}
- {name: both, type: max-saturation-detector, parameters: PARAMETERS}
- type: active-request-scorer
- type: utilization-detector
schedulingProfiles:
- name: default
  plugins: [{pluginRef: active-request-scorer}]
flowControl: {saturationDetector: {pluginRef: DETECTOR}, defaultRequestTTL: 0s}
`

// A detector of one detector holds the same requests as that one. Pods without roles decode: a detector for prefill
// alone holds none.
func TestMaxSaturationHoldsRequests(t *testing.T) {
	waits := func(detector, parameters string) int64 {
		text := strings.NewReplacer("DETECTOR", detector, "PARAMETERS", parameters).Replace(limitedConfig)
		all := sumOf(runEPP(t, text, unedited), "")
		return int64(all.GatewayQueueing.Mean())
	}
	alone := waits("few", "{detectors: [few]}")
	if alone == 0 {
		t.Fatal("no request waits")
	}
	if got := waits("both", "{detectors: [few]}"); got != alone {
		t.Errorf("requests wait for %d ns, and for %d ns with the detector alone", got, alone)
	}
	if got := waits("both", "{detectors: [few], stages: {few: [decode]}}"); got != alone {
		t.Errorf("requests wait for %d ns with a detector for decode", got)
	}
	if got := waits("both", "{detectors: [few], stages: {few: [prefill]}}"); got != 0 {
		t.Errorf("requests wait for %d ns with a detector for prefill", got)
	}
}

const turnConfig = `apiVersion: llm-d.ai/v1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins:
- {type: program-aware-fairness, parameters: {strategy: turn-priority, turnPriorityTimeWeight: WEIGHT}}
- type: agent-identity
- {type: concurrency-detector, parameters: {maxConcurrency: 2}}
- type: active-request-scorer
schedulingProfiles:
- name: default
  plugins: [{pluginRef: active-request-scorer}]
flowControl:
  saturationDetector: {pluginRef: concurrency-detector}
  defaultPriorityBand: {fairnessPolicyRef: program-aware-fairness, defaultRequestTTL: 0s}
`

// Where a second of waiting counts 1,000 turns, requests leave in the order of arrival, and the longest wait is
// shorter than where turns alone count: then new sessions wait for older ones.
func TestTurnPriorityOrdersSessions(t *testing.T) {
	longest := func(weight string) int64 {
		o := runEPP(t, strings.Replace(turnConfig, "WEIGHT", weight, 1), func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].Prompts, s.Workload.Clients[0].Prefix = nil, nil
			s.Workload.Clients[0].Sessions = &v1alpha1.Sessions{
				Concurrent: ptr.To[int32](20), Order: "Random", Context: "Accumulate",
				Turns: v1alpha1.Lengths{Distribution: "Constant", Mean: "10", Min: 1},
			}
		})
		all := sumOf(o, "")
		if all.Completed != 300 {
			t.Fatalf("%d of 300 complete", all.Completed)
		}
		return int64(all.GatewayQueueing.Quantile(1))
	}
	if turns, arrivals := longest("0"), longest("1000"); turns <= arrivals {
		t.Errorf("the longest wait is %d ns by turns and %d ns by arrival", turns, arrivals)
	}
}

const observedConfig = `apiVersion: llm-d.ai/v1
kind: EndpointPickerConfig
plugins:
- {name: watch, type: latency-observer-producer-hub}
- {name: ttft, type: latency-observation-scorer-hub, parameters: {ttftPercentilesProducerName: watch}}
schedulingProfiles:
- name: default
  plugins: [{pluginRef: ttft}]
`

// An observer among the sources spreads load better than chance, to which scores leave the choice without it.
func TestObserverSpreadsLoad(t *testing.T) {
	blind := sumOf(runEPP(t, observedConfig, unedited), "")
	sees := sumOf(runEPP(t, observedConfig+"dataLayer: {sources: [{pluginRef: watch}]}\n", unedited), "")
	if b, s := blind.Queueing.Mean(), sees.Queueing.Mean(); s >= b {
		t.Errorf("requests wait for %v ns on average with the observer, and for %v ns without", s, b)
	}
}
