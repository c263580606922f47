// SPDX-License-Identifier: Apache-2.0

package main

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A configuration is a router with what stands before it.
type configuration struct {
	name string
	edit edit
}

// weighing sets the weights of the prefix and of load.
func weighing(prefix, load string) edit {
	return func(s *v1alpha1.Scenario) {
		scorers := s.Router.Policies.Routing.Scorers
		scorers[0].Weight, scorers[1].Weight = v1alpha1.Decimal(prefix), v1alpha1.Decimal(load)
	}
}

// fixed has weights that do not change, behind the gate.
func fixed(prefix, load string) configuration {
	return configuration{prefix + ":" + load, all(weighing(prefix, load), func(s *v1alpha1.Scenario) { s.Router.Adaptive = nil })}
}

// roundRobin takes replicas in turn and admits every request, first come, first served.
var roundRobin = configuration{"round robin, no gate", func(s *v1alpha1.Scenario) {
	s.Router.Admission, s.Router.Priority, s.Router.Adaptive = nil, nil, nil
	s.Router.Policies.Routing = v1alpha1.RoutingPolicy{Policy: "round-robin"}
	s.Pools[0].Engine.Scheduler = v1alpha1.FCFSScheduler
}}

// admitting lets every request enter.
func admitting(c configuration) configuration {
	return configuration{c.name + ", no gate", all(c.edit, withoutGate)}
}

// withoutGate lets every request enter, first come, first served.
func withoutGate(s *v1alpha1.Scenario) {
	s.Router.Admission, s.Router.Priority = nil, nil
	s.Pools[0].Engine.Scheduler = v1alpha1.FCFSScheduler
}

// driven has weights that a law drives from a start, with a cap, and parameters as names
// and values in turn.
func driven(name, law, prefix, load, limit string, parameters ...string) configuration {
	return configuration{name, all(weighing(prefix, load), func(s *v1alpha1.Scenario) {
		p := map[string]v1alpha1.PolicyParameter{}
		if limit != "" {
			p["cap"] = v1alpha1.PolicyParameter(limit)
		}
		for i := 0; i < len(parameters); i += 2 {
			p[parameters[i]] = v1alpha1.PolicyParameter(parameters[i+1])
		}
		s.Router.Adaptive = &v1alpha1.GatewayPolicy{Policy: law, Parameters: p}
	})}
}

// explores has prefixes gain weight where no request is rejected, as the design says.
const explores = "exploreWithoutSignal"

// The step rule with the cap 4:3 starts at the cap: the start of the design, 3:2, is above.
var (
	step      = driven("step rule, cap 4:3", "bang-bang", "3", "2.25", "4:3", explores, "true")
	stepFree  = driven("step rule, no cap", "bang-bang", "3", "2", "", explores, "true")
	stepBound = driven("step rule, cap 1/m", "bang-bang", "2", "2", "workload", explores, "true")
	literal   = driven("step rule to the letter, from 3:2", "epoch-adaptive-seed", "3", "2", "")
	scaling   = driven("multiplicative, cap 4:3", "multiplicative", "3", "2.25", "4:3", explores, "true")
	pi        = driven("PI, cap 4:3", "pi", "3", "2.25", "4:3", explores, "true")
	bandit    = driven("EXP3, cap 4:3", "exp3", "3", "2.25", "4:3", "grid", "1,1.5,2,2.5,3")
)

// six are the configurations of the matrix, in the order of the design.
var six = []configuration{roundRobin, fixed("4", "3"), step, fixed("2", "3"), fixed("5", "3"), stepFree}

// lawsUnderTest are all laws with the cap 4:3, and the design to the letter.
var lawsUnderTest = []configuration{step, literal, scaling, pi, bandit}

// grid are fixed weights from nearly load alone to the prefix above all.
var grid = []configuration{
	fixed("1", "5"), fixed("2", "5"), fixed("2", "3"), fixed("1", "1"), fixed("4", "3"), fixed("3", "2"), fixed("5", "3"), fixed("2", "1"), fixed("5", "2"),
}
