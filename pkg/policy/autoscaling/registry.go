// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "windtunnel.dev/windtunnel/pkg/policy/parameters"

// A policyType is a way to scale. read returns how the scaler of one run is made.
type policyType struct {
	name, help string
	read       func(*loader) func() Scaler
	// ignoresLoad says that the policy reads no load: it is not overruled where requests wait
	// for a replica.
	ignoresLoad bool
}

// policies are all there are.
var policies = []policyType{
	{"fixed", "keeps a number of replicas", readFixed, true},
	{"schedule", "sets the replicas by the time of the run, which may repeat each day", readSchedule, true},
	{"heteroscale", "sizes decode by the tokens that are asked for and prefill by a ratio to decode, and adds a share at once where tokens come too late", readHeteroscale, false},
	{"heteroscale-seed", "is heteroscale as first described: a replica's decode target is that of prefill and decode together, what is served stands for what is asked for, and a scale-out does not hold a scale-in back", readHeteroscaleSeed, false},
	{"utilization", "sizes each pool alone by the share of time in which its accelerators are busy, as a HorizontalPodAutoscaler does", readUtilization, false},
	{"queue-length", "sizes each pool alone by the requests that wait", readQueueLength, false},
	{"latency", "adds replicas where the time to first token, or between tokens, is above a target, and takes one away where it is far below", readLatency, false},
	{"tokens-per-second", "sizes each pool alone by its tokens per second: of prompts for prefill, of answers for decode", readTokensPerSecond, false},
	{"saturation", "adds a replica where the KV cache or the queue has little room left, and takes one away where the others have enough, as llm-d's workload-variant-autoscaler does", readSaturation, false},
	{"predictive", "sizes the pools for the arrival rate that it forecasts for the time at which a replica that it asks for now serves", readPredictive, false},
	{"predictive-oracle", "is predictive with the true arrival rate of the future, as a bound of what a forecast can give", readPredictiveOracle, false},
	{"dynamo-planner", "sizes the pools for the traffic that it forecasts by how fast an engine serves it within the targets, or adds and takes away replicas by their load, as the planner of NVIDIA Dynamo does", readDynamoPlanner, false},
}

// A triggerType is a reason to ask a scaler at once.
type triggerType struct {
	name, help string
	read       func(*loader) func() Trigger
}

// triggers are all there are.
var triggers = []triggerType{
	{"queue", "fires where many requests wait for each replica, or some wait because no replica serves", readQueueTrigger},
	{"attainment", "fires where too few requests end within their targets", readAttainmentTrigger},
	{"utilization", "fires where the accelerators of a pool are busy more than one share of the time, or less than another", readUtilizationTrigger},
	{"rate", "fires where the arrival rate has changed", readRateTrigger},
}

// Policies returns the names of all policies.
func Policies() []string {
	var names []string
	for i := range policies {
		names = append(names, policies[i].name)
	}
	return names
}

// Triggers returns the names of all triggers.
func Triggers() []string {
	var names []string
	for i := range triggers {
		names = append(names, triggers[i].name)
	}
	return names
}

// Description says what a policy or a trigger does and which parameters it has.
type Description struct {
	Name, Help string
	Parameters []parameters.Parameter
}

// Describe lists all policies for documentation.
func Describe() []Description {
	var all []Description
	for i := range policies {
		l := newLoader(Spec{}, World{}, nil, "policy")
		policies[i].read(l)
		all = append(all, Description{policies[i].name, policies[i].help, l.Known()})
	}
	return all
}

// DescribeTriggers lists all triggers for documentation.
func DescribeTriggers() []Description {
	var all []Description
	for i := range triggers {
		l := newLoader(Spec{}, World{}, nil, "policy")
		triggers[i].read(l)
		all = append(all, Description{triggers[i].name, triggers[i].help, l.Known()})
	}
	return all
}
