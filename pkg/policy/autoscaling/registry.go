// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "windtunnel.dev/windtunnel/pkg/policy/parameters"

// policies are all ways to scale. Each is made for one run.
var policies = parameters.Registry[*loader, func() Scaler]{
	{Name: "fixed", Help: "keeps a number of replicas", Read: readFixed},
	{Name: "schedule", Help: "sets the replicas by the time of the run, which may repeat each day", Read: readSchedule},
	{Name: "heteroscale", Help: "sizes decode by the tokens that are asked for and prefill by a ratio to decode, and adds a share at once where tokens come too late", Read: readHeteroscale},
	{Name: "heteroscale-seed", Help: "is heteroscale as first described: a replica's decode target is that of prefill and decode together, demand is taken to be the throughput, and a scale-out does not hold a scale-in back", Read: readHeteroscaleSeed},
	{Name: "utilization", Help: "sizes each pool alone by the share of time in which its accelerators are busy, as a HorizontalPodAutoscaler does", Read: readUtilization},
	{Name: "queue-length", Help: "sizes each pool alone by the requests that wait", Read: readQueueLength},
	{Name: "latency", Help: "adds replicas where the time to first token, or between tokens, is above a target, and takes one away where it is far below", Read: readLatency},
	{Name: "tokens-per-second", Help: "sizes each pool alone by its tokens per second: of prompts for prefill, of answers for decode", Read: readTokensPerSecond},
	{Name: "prefill-decode", Help: "sizes prefill by the requests that it has and decode by its KV usage, and keeps the ratio of the two within bounds; one pool has the greater need", Read: readPrefillDecode},
	{Name: "saturation", Help: "adds a replica where the KV cache or the queue has little room left, and takes one away where the others have enough, as llm-d's workload-variant-autoscaler does", Read: readSaturation},
	{Name: "predictive", Help: "sizes the pools for the arrival rate that it forecasts for the time at which a replica that it asks for now serves", Read: readPredictive},
	{Name: "predictive-oracle", Help: "is predictive with the true arrival rate of the future, as a bound of what a forecast can give", Read: readPredictiveOracle},
	{Name: "dynamo-planner", Help: "is the planner of NVIDIA Dynamo: it adds and takes away replicas by their load, or sizes the pools for the traffic that it forecasts by how fast an engine serves it within the targets", Read: readDynamoPlanner},
}

// triggers are all reasons to ask a scaler at once.
var triggers = parameters.Registry[*loader, func() Trigger]{
	{Name: "queue", Help: "fires where many requests wait for each replica, or some wait because no replica serves", Read: readQueueTrigger},
	{Name: "attainment", Help: "fires where too few requests end within their targets", Read: readAttainmentTrigger},
	{Name: "utilization", Help: "fires where the accelerators of a pool are busy more than one share of the time, or less than another", Read: readUtilizationTrigger},
	{Name: "rate", Help: "fires where the arrival rate has changed", Read: readRateTrigger},
}

// Describe lists all policies for documentation.
func Describe() []parameters.Description { return policies.Describe(emptyLoader) }

// DescribeTriggers lists all triggers for documentation.
func DescribeTriggers() []parameters.Description { return triggers.Describe(emptyLoader) }

func emptyLoader() *loader { return newLoader(Spec{}, World{}, nil, "policy") }
