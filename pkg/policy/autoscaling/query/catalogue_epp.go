// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// EPP is what decides which metrics an EPP exports.
type EPP struct {
	Version version.Dialect
	// FlowControl says that the gate flowControl is on.
	FlowControl bool
	// Producers are the names of the plugins that count what is in flight, and Endpoints those of
	// the endpoints, in the order of [policy.RouterMetrics].
	Producers, Endpoints []string
	// Detectors are those of a saturation detector that has several, in the order of [policy.RouterMetrics].
	Detectors []Detector
	// Priorities are those that requests may have; nil where they are not known.
	Priorities []int
	// Prefills and Decodes say that some endpoint has the role.
	Prefills, Decodes bool
}

// Detector is one of several saturation detectors, with the stages that it is for.
type Detector struct {
	Name            string
	Prefill, Decode bool
}

// stage is one series of a saturation.
type stage struct {
	name string
	of   func(policy.Saturation) float64
	// exists reports whether the EPP has endpoints of the stage; nil where it always has.
	exists func(*EPP) bool
}

var (
	// ownPrefix are the versions that export metrics as llm_d_epp_…, and oldPrefixes those that
	// export them under the names of the Gateway API Inference Extension (llm-d-router
	// 9ccacb734 in v0.9.0, and pull request 2826 in v0.11.0).
	ownPrefix, oldPrefixes = version.ParseRange("router-v0.9.."), version.ParseRange("..router-main")
	// since10 are the versions with standard deviations and with what is in flight.
	since10 = version.ParseRange("router-v0.10..")
)

// eppNames are the names of a metric of the EPP: that of llm-d, and older ones.
func eppNames(own string, older ...string) []Name {
	all := []Name{{own, ownPrefix}}
	for _, text := range older {
		all = append(all, Name{text, oldPrefixes})
	}
	return all
}

// everPresent keeps the older name in all versions: a few are left in router-v0.11.
func everPresent(own, older string) []Name { return []Name{{own, ownPrefix}, {Text: older}} }

var (
	byFlow   = []string{"fairness_id", "priority"}
	byTenant = []string{"fairness_id"}
)

// differenceOfBands is how metrics of flow control differ by the labels of flows.
const differenceOfBands = "There is a series for each priority of the workload's clients, from the start of the run on. If a trace has requests, or a policy at the gateway sets priorities, there is one series for all of them. There is one series for all flows and models of the router."

var eppMetrics = slices.Concat(eppGauges, eppAnswers)

var eppGauges = []Metric{
	upTo(1, average("The mean of the KV usage of the pool's engines.", mean(autoscaling.KVUsage),
		eppNames("llm_d_epp_average_kv_cache_utilization", "inference_pool_average_kv_cache_utilization"))),
	average("The mean of the requests in the queues of the pool's engines.", mean(autoscaling.Waiting),
		eppNames("llm_d_epp_average_queue_size", "inference_pool_average_queue_size")),
	average("The mean of the requests in the batches of the pool's engines.", mean(running),
		eppNames("llm_d_epp_average_running_requests", "inference_pool_average_running_requests")),
	stdDev("The standard deviation of the KV usage of the pool's engines.", autoscaling.KVUsage, "llm_d_epp_std_dev_kv_cache_utilization"),
	stdDev("The standard deviation of the requests in the queues of the pool's engines.", autoscaling.Waiting, "llm_d_epp_std_dev_queue_size"),
	stdDev("The standard deviation of the requests in the batches of the pool's engines.", running, "llm_d_epp_std_dev_running_requests"),
	queueOfEndpoint(serverEndpoint, []Name{{"llm_d_epp_per_endpoint_queue_size", ownPrefix}}),
	queueOfEndpoint(serverPod, []Name{{"inference_pool_per_pod_queue_size", oldPrefixes}}),
	ofPool("The pool's engines that serve.", "Those that drain count too. ", serving,
		eppNames("llm_d_epp_ready_endpoints", "inference_pool_ready_pods")),
	{
		Names: eppNames("llm_d_epp_request_total", "inference_objective_request_total", "inference_model_request_total"),
		Type:  Counter, labels: []label{modelName, targetModelName}, merged: []string{"priority"},
		Help:       "Requests that came to the EPP.",
		Difference: "A request counts when it comes, also if it is rejected later; the EPP counts it when it has an engine. There is one series for all priorities and models of the router.",
		gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Gateway.Arrived), true },
	},
	{
		Names: eppNames("llm_d_epp_request_running", "inference_objective_running_requests"),
		Type:  Gauge, labels: []label{modelName, targetModelName}, merged: byFlow,
		Help:       "Requests that the EPP has sent to engines and that have not ended.",
		Difference: "There is one series for all flows, priorities and models of the router.",
		gateway: func(s *autoscaling.Sample) (float64, bool) {
			return float64(s.Gateway.InFlight()) - float64(s.Gateway.Queued+s.Gateway.Awaiting), true
		},
	},
	{
		Names: everPresent("llm_d_epp_flow_control_queue_size", "inference_extension_flow_control_queue_size"),
		Type:  Gauge, labels: []label{inferencePool, modelName, targetModelName, priority}, merged: byTenant, absent: withoutFlowControl,
		Help:       "Requests that the EPP's flow control keeps back.",
		Difference: differenceOfBands + " A router of policies counts the requests that it holds.",
		gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Gateway.Queued), true },
		band:       func(b policy.QueuedBand) float64 { return float64(b.Requests) },
	},
	{
		Names: everPresent("llm_d_epp_flow_control_queue_bytes", "inference_extension_flow_control_queue_bytes"),
		Type:  Gauge, labels: []label{inferencePool, modelName, targetModelName, priority}, merged: byTenant, absent: withoutFlowControl,
		Help:       "The bytes of the prompts that the EPP's flow control keeps back.",
		Difference: "A token of a prompt has the bytes of router.tokenEstimate. " + differenceOfBands,
		gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Router.QueuedBytes), true },
		band:       func(b policy.QueuedBand) float64 { return float64(b.Bytes) },
	},
	{
		Names: eppNames("llm_d_epp_flow_control_pool_saturation", "inference_extension_flow_control_pool_saturation"),
		Type:  Gauge, labels: []label{inferencePool, stageName}, absent: withoutFlowControl,
		Help:       "The load of the pool as a share of the limits of the saturation detector, which may exceed 1.",
		Difference: "From router-main on there is a series for each `stage`: prefill and decode where the router has endpoints of the role, and effective, the higher one. Before, there is one series without the label. The EPP writes the metric when it dispatches, the simulation when it is scraped.",
		stages:     pooledStages,
	},
	detectorSaturation,
	capacity("llm_d_epp_flow_control_capacity_utilization_requests", "requests", policy.QueuedBand.RequestShare),
	capacity("llm_d_epp_flow_control_capacity_utilization_bytes", "bytes", policy.QueuedBand.ByteShare),
	inFlight("llm_d_epp_inflight_requests", "Requests that the EPP has sent to an endpoint and that have not ended.",
		func(l policy.InFlight) int64 { return l.Requests }),
	inFlight("llm_d_epp_inflight_tokens", "Prompt tokens of the requests that the EPP has sent to an endpoint, as the producer counts them.",
		func(l policy.InFlight) int64 { return l.Tokens }),
}

// hasStages reports whether saturations have the label stage.
func (e *EPP) hasStages() bool { return e.Version.Framework >= version.RouterMain }

func withoutFlowControl(e *EPP) string {
	if e.FlowControl {
		return ""
	}
	return "the feature gate flowControl is off"
}

// inFlight returns a metric of the load that producers of the EPP count.
func inFlight(name, help string, read func(policy.InFlight) int64) Metric {
	return Metric{
		Names: []Name{{name, since10}}, Type: Gauge, Help: help,
		labels: []label{endpointName, producerName}, merged: byFlow, load: read,
		absent: func(e *EPP) string {
			if len(e.Producers) > 0 {
				return ""
			}
			return "the EPP configuration has no inflight-load-producer"
		},
		Difference: "There is a series for each endpoint of the router and each producer, of all flows and priorities, from the start of the run on. router-v0.10 keeps the last value of a replica that is gone, which adds to that of the next one at its place.",
	}
}

// ofPool returns a metric that the EPP works out from its own scrapes of the engines.
func ofPool(help, difference string, read func(*autoscaling.Sample) (float64, bool), names []Name) Metric {
	return Metric{
		Names: names, Type: Gauge, Help: help, labels: []label{name}, gateway: read,
		Difference: difference + "The pool's engines are those of the unit that the autoscaler scales, and the EPP's own scrapes are as old as the monitor's.",
	}
}

// average returns an average over the engines.
func average(help string, read func(*autoscaling.Sample) (float64, bool), names []Name) Metric {
	m := ofPool(help, "", read, names)
	m.average = true
	return m
}

// stdDev returns the standard deviation of a sample, as the EPP rounds it (pkg/epp/datalayer/logger of llm-d-router
// ebab6879).
func stdDev(help string, of func(*autoscaling.Engine) float64, name string) Metric {
	m := average(help, func(s *autoscaling.Sample) (float64, bool) {
		average, _ := mean(of)(s)
		squares, n := 0.0, 0.0
		for i := range s.Engines {
			if e := &s.Engines[i]; e.Up {
				squares += float64((of(e) - average) * (of(e) - average))
				n++
			}
		}
		return math.Round(math.Sqrt(squares/max(1, n-1))*100) / 100, true
	}, []Name{{name, since10}})
	m.Difference = "It is rounded to hundredths, as the EPP does. " + m.Difference
	return m
}

// queueOfEndpoint returns the queue of each engine, as the EPP names engines by a label.
func queueOfEndpoint(endpoint label, names []Name) Metric {
	return Metric{
		Names: names, Type: Gauge, Help: "Requests in the engine's queue, as the EPP scraped them.", labels: []label{name, endpoint},
		Difference: "There is a series for each engine of the unit that the autoscaler scales, and the EPP's own scrapes are as old as the monitor's.",
		engine: func(now, _ *autoscaling.Engine, _ time.Duration) (float64, bool) {
			return autoscaling.Waiting(now), true
		},
	}
}

func running(e *autoscaling.Engine) float64 { return float64(e.Running) }

func mean(of func(*autoscaling.Engine) float64) func(*autoscaling.Sample) (float64, bool) {
	return func(s *autoscaling.Sample) (float64, bool) {
		sum, n := 0.0, 0.0
		for i := range s.Engines {
			if s.Engines[i].Up {
				sum += of(&s.Engines[i])
				n++
			}
		}
		if n == 0 {
			return 0, true
		}
		return sum / n, true
	}
}

func serving(s *autoscaling.Sample) (float64, bool) {
	n := 0
	for i := range s.Engines {
		if s.Engines[i].Up {
			n++
		}
	}
	return float64(n), true
}

// exported reports whether the EPP exports a metric under a name, or why a query cannot ask for it.
// A version that does not know the name is a fault; without is why the series are not there.
func (t *Targets) exported(m *Metric, as string) (fault, without string) {
	if t.EPP == nil {
		if m.load != nil || m.stages != nil {
			return "there is no metric " + as + ": the router has policies of Windtunnel, no EPP configuration", ""
		}
		return "", ""
	}
	if fault = m.notExported(as, t.EPP.Version); fault != "" {
		return fault, ""
	}
	return "", t.EPP.Lacks(as)
}

// NotExported says which version exports a metric, and what to use, where one does not; empty for what no EPP exports.
func NotExported(name string, of version.Dialect) string {
	if m := metricOf(name); m != nil {
		return m.notExported(name, of)
	}
	return ""
}

func (m *Metric) notExported(as string, of version.Dialect) string {
	if m.name(as).In.Has(of.Framework) {
		return ""
	}
	fault := of.Name + " does not export " + as + ": " + m.name(as).In.UnavailableReason(of.Framework)
	if now := m.nameIn(of.Framework); now != "" {
		fault += "; use " + now
	}
	return fault
}

// Lacks says why the EPP does not export a metric that its version has; empty where it does.
func (e *EPP) Lacks(name string) string {
	if m := metricOf(name); m != nil && m.absent != nil {
		return m.absent(e)
	}
	return ""
}

// nameIn is the newest name of the metric in a version; empty where it has none.
func (m *Metric) nameIn(of version.Release) string {
	for i := range m.Names {
		if m.Names[i].In.Has(of) {
			return m.Names[i].Text
		}
	}
	return ""
}

// Lookup returns the newest name of the metric that has a name, in any version; empty where no metric has it.
func Lookup(name string) string {
	if m := metricOf(name); m != nil {
		return m.Names[0].Text
	}
	return ""
}

// unreleasedPrefix is one that no release of the EPP has for the metrics of this catalogue.
const unreleasedPrefix = "llm_d_router_epp_"

// released returns the name that releases have in place of one with the prefix; empty where it has
// another prefix or no such metric is known.
func released(name string) string {
	rest, has := strings.CutPrefix(name, unreleasedPrefix)
	switch own := "llm_d_epp_" + rest; {
	case !has:
		return ""
	case rest == "running_requests":
		return "llm_d_epp_request_running"
	case metricOf(own) != nil:
		return own
	default:
		return ""
	}
}
