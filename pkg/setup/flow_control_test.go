// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

const flowControlConfig = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [GATE]
plugins:
- type: concurrency-detector
  parameters: {maxConcurrency: 4}
- type: inflight-load-producer
- type: queue-scorer
- type: round-robin-fairness-policy
schedulingProfiles:
- name: default
  plugins: [{pluginRef: queue-scorer}]
flowControl:
  saturationDetector: {pluginRef: concurrency-detector}
  defaultPriorityBand: {fairnessPolicyRef: round-robin-fairness-policy, maxRequests: 20}
  defaultRequestTTL: 4s
`

// outcomeOf simulates a short overload of two pods by two tenants, one of which
// matters more, with the gate as given.
func outcomeOf(t *testing.T, gate string) *simulator.Result {
	t.Helper()
	return overload(t, strings.Replace(flowControlConfig, "GATE", gate, 1), 0)
}

// overload is that overload with any configuration, and a priority for the tenant
// that matters less.
func overload(t *testing.T, text string, priority int32) *simulator.Result {
	t.Helper()
	config := mustBuild(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig.Inline = &text
		s.Pools[0].Replicas = 2
		s.Horizon = v1alpha1.Horizon{Requests: ptr.To[int64](300), Drain: "1m"}
		high, low := s.Workload.Clients[0], s.Workload.Clients[0]
		high.Name, high.Tenant, high.Priority = "high", "high", 1
		low.Name, low.Tenant, low.Priority = "low", "low", priority
		high.Arrivals.Rate, low.Arrivals.Rate = "10", "60"
		s.Workload.Clients = []v1alpha1.Client{high, low}
	})
	config.CheckInvariants = true
	o, err := simulation.Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// sumOf adds up the cells of a tenant; "" is all.
func sumOf(o *simulator.Result, tenant string) (sum simulator.Cell) {
	for i := range o.Cells {
		c := &o.Cells[i]
		if tenant != "" && o.Labels.Tenants[c.Tenant] != tenant {
			continue
		}
		sum.Arrived += c.Arrived
		sum.Completed += c.Completed
		for r, n := range c.RejectedBy {
			sum.RejectedBy[r] += n
		}
		sum.GatewayQueueing.Merge(&c.GatewayQueueing)
		sum.Queueing.Merge(&c.Queueing)
	}
	return sum
}

// With flow control requests wait at the gateway and not at the engines: those
// who matter hardly, the others until their queue is full or their time is up.
func TestFlowControlKeepsQueuesAtTheGateway(t *testing.T) {
	on, off := outcomeOf(t, "flowControl"), outcomeOf(t, "flowControl=false")
	if all := sumOf(off, ""); all.Completed != 300 || all.GatewayQueueing.Count() > 0 {
		t.Errorf("without flow control %d of 300 complete and %d are kept at the gateway", all.Completed, all.GatewayQueueing.Count())
	}
	high, low := sumOf(on, "high"), sumOf(on, "low")
	t.Logf("high waits %v, low waits %v; of low %d are turned away and %d expire",
		time.Duration(high.GatewayQueueing.Mean()), time.Duration(low.GatewayQueueing.Mean()), low.RejectedBy[simulator.QueueFull], low.RejectedBy[simulator.Expired])
	switch {
	case high.Completed != high.Arrived || low.RejectedBy[simulator.QueueFull] == 0:
		t.Errorf("%d of %d that matter complete, and %d others find a full queue", high.Completed, high.Arrived, low.RejectedBy[simulator.QueueFull])
	case high.GatewayQueueing.Mean()*4 > low.GatewayQueueing.Mean():
		t.Error("who matters more waits as others do")
	case high.GatewayQueueing.Count() != high.Completed:
		t.Errorf("%d completed and %d have a time at the gateway", high.Completed, high.GatewayQueueing.Count())
	}
}

// With eviction who matters waits less still, at the cost of answers that had
// begun; requests of priority 0 are not for it.
func TestFlowControlEvictsNegativePriorities(t *testing.T) {
	text := strings.Replace(flowControlConfig, "GATE", "flowControl", 1)
	evicting := text + "  enableEviction: true\n"
	if o := overload(t, evicting, 0); sumOf(o, "").RejectedBy[simulator.Evicted] > 0 {
		t.Error("requests of priority 0 are evicted")
	}
	before, after := overload(t, text, -1), overload(t, evicting, -1)
	high, low, was := sumOf(after, "high"), sumOf(after, "low"), sumOf(before, "high")
	t.Logf("%d evicted; high waits %v, and %v without", low.RejectedBy[simulator.Evicted],
		time.Duration(high.GatewayQueueing.Mean()), time.Duration(was.GatewayQueueing.Mean()))
	if low.RejectedBy[simulator.Evicted] == 0 || high.RejectedBy[simulator.Evicted] > 0 {
		t.Errorf("%d that matter and %d others are evicted", high.RejectedBy[simulator.Evicted], low.RejectedBy[simulator.Evicted])
	}
	if high.GatewayQueueing.Mean() >= was.GatewayQueueing.Mean() || sumOf(before, "").RejectedBy[simulator.Evicted] > 0 {
		t.Error("eviction makes no difference to those who matter")
	}
}
