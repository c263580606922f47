// SPDX-License-Identifier: Apache-2.0

package study

import (
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// What a process that simulates takes of memory, fitted to the samples, to runs of
// up to 1000 replicas and to sweeps of 10,000 to 100,000 simulations: something for the program
// and the schema of the kind, something for each simulation that runs at once and for
// each of its replicas, and for each row that it keeps.
const (
	runProcessBytes   = 78 << 20
	sweepProcessBytes = 125 << 20

	simulationBytes = 8 << 20
	replicaBytes    = 128 << 10
	rowBytes        = 2 << 10
)

// PeakBytes estimates what a process takes of memory at most that simulates the
// plan, with a number of simulations at once.
func PeakBytes(p *experiment.Plan, s *Study, parallelism int) int64 {
	_, simulations := upperBounds(p, s)
	return peakBytes(p, simulations, parallelism)
}

// FirstPeakBytes is PeakBytes of the simulations that the study asks for at first:
// of a search that learns, the least that it takes.
func FirstPeakBytes(p *experiment.Plan, s *Study, parallelism int) int64 {
	return peakBytes(p, s.Simulations(), parallelism)
}

func peakBytes(p *experiment.Plan, simulations, parallelism int) int64 {
	process := int64(runProcessBytes)
	if p.IsSweep() {
		process = sweepProcessBytes
	}
	atOnce := int64(min(parallelism, max(simulations, 1)))
	one, foreign := ofSimulation(p)
	if foreign { // each has a process of its own
		one += runProcessBytes
	}
	return process + atOnce*one + int64(simulations)*rowBytes
}

// ofSimulation estimates what one simulation takes, and reports whether its base has code
// that is not trusted.
func ofSimulation(p *experiment.Plan) (bytes int64, foreign bool) {
	scenario, err := setup.DecodeScenario(p.Scenario)
	if err != nil {
		return simulationBytes, false
	}
	return simulationBytes + int64(setup.AllPlaces(scenario))*replicaBytes, setup.Foreign(scenario)
}

// OwnProcessBytes estimates what a process takes that runs one simulation of the plan, without
// what code in its bundles takes.
func OwnProcessBytes(p *experiment.Plan) int64 {
	one, _ := ofSimulation(p)
	return runProcessBytes + one
}
