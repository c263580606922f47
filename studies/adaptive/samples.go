// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strconv"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/studies/manifests"
)

// samples are the runs that the study varies: one hot prefix, the same under a ramp of the
// rate, a hot prefix that changes, and many prefixes.
type samples struct{ hot, ramp, rollouts, tools *v1alpha1.SimulationRun }

func readSamples(folder string) (samples, error) {
	var s samples
	for name, to := range map[string]**v1alpha1.SimulationRun{
		"adaptive": &s.hot, "adaptive-ramp": &s.ramp, "adaptive-rollouts": &s.rollouts, "adaptive-tools": &s.tools,
	} {
		run, err := manifests.Run(filepath.Join(folder, "simulationrun-"+name+".yaml"))
		if err != nil {
			return samples{}, err
		}
		*to = run
	}
	return s, nil
}

// An edit changes a scenario.
type edit func(*v1alpha1.Scenario)

// all are edits one after the other.
func all(edits ...edit) edit {
	return func(s *v1alpha1.Scenario) {
		for _, e := range edits {
			e(s)
		}
	}
}

// atRate scales the rates of all clients, so that they send a number of requests per second
// together.
func atRate(perSecond float64) edit {
	return func(s *v1alpha1.Scenario) {
		sum := 0.0
		for i := range s.Workload.Clients {
			sum += s.Workload.Clients[i].Arrivals.Rate.Float()
		}
		for i := range s.Workload.Clients {
			rate := &s.Workload.Clients[i].Arrivals.Rate
			*rate = v1alpha1.PositiveDecimal(decimal(rate.Float() / sum * perSecond))
		}
	}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// after ends the arrivals after a number of requests.
func after(requests int64) edit {
	return func(s *v1alpha1.Scenario) { s.Horizon.Requests, s.Horizon.Duration = &requests, "" }
}

// lasting ends the arrivals after a time.
func lasting(duration string) edit {
	return func(s *v1alpha1.Scenario) {
		s.Horizon.Requests, s.Horizon.Duration = nil, v1alpha1.PositiveDuration(duration)
	}
}

// under takes the step times of a latency model.
func under(model v1alpha1.LatencyModel) edit {
	return func(s *v1alpha1.Scenario) {
		if model != v1alpha1.LinearModel {
			s.Pools[0].Latency = v1alpha1.Latency{Model: model}
			s.Pools[0].RequestCost = nil
		}
	}
}
