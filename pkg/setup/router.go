// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Cluster is what the router knows of the endpoints, and of the world
// that it lives in.
func Cluster(in *v1alpha1.Scenario, path *field.Path) (config.Cluster, field.ErrorList) {
	c := config.Cluster{
		Labels:         endpointLabels(in),
		Attributes:     endpointAttributes(in),
		TieBreak:       config.TieBreak(in.Router.TieBreak),
		ScrapeInterval: in.Router.MetricsRefreshInterval.Duration(),
		Sessions:       slices.ContainsFunc(in.Workload.Clients, func(c v1alpha1.Client) bool { return c.Sessions != nil }),
	}
	c.Headers = headerSets(&in.Workload)
	for i := range in.Pools {
		c.Names = append(c.Names, endpointNames(in, &in.Pools[i])...)
	}
	c.Endpoints = len(c.Names)
	if events := in.Router.KVEvents; events != nil {
		c.EventLag = events.Lag.Duration()
	}
	if estimate := in.Router.TokenEstimate; estimate != nil {
		c.BytesPerToken = estimate.BytesPerToken.Float()
	}
	var errs field.ErrorList
	c.Prediction, errs = buildPrediction(in.Router.LatencyPrediction, path.Child("router", "latencyPrediction"))
	return c, errs
}

// priorities are those that a workload's requests may have, each once.
func priorities(in *v1alpha1.Workload) []int {
	var all []int
	for _, client := range in.Clients {
		all = append(all, int(client.Priority))
	}
	for _, t := range Traces(in, nil) {
		all = append(all, int(t.Priority))
	}
	for i := range in.Tenants {
		if p := in.Tenants[i].Priority; p != nil && anyTrace(in, func(Trace) bool { return true }) {
			all = append(all, int(*p)) // of rows
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxPredictionError keeps predictions from being negative.
const maxPredictionError = 0.5

func buildPrediction(in *v1alpha1.LatencyPrediction, path *field.Path) (config.PredictionModel, field.ErrorList) {
	if in == nil {
		return config.PredictionModel{}, nil
	}
	m := config.PredictionModel{Error: in.Error.Float(), Lag: in.Lag.Duration()}
	if m.Error > maxPredictionError {
		return config.PredictionModel{}, field.ErrorList{field.Invalid(path.Child("error"), in.Error, "must be at most 0.5")}
	}
	return m, nil
}

// endpointAttributes are the figures of each endpoint that the user states; nil
// where none has any.
func endpointAttributes(in *v1alpha1.Scenario) []map[string]float64 {
	var all []map[string]float64
	some := false
	for i := range in.Pools {
		p := &in.Pools[i]
		var figures map[string]float64
		if len(p.Attributes) > 0 {
			some, figures = true, map[string]float64{}
		}
		for name, value := range p.Attributes {
			figures[name] = value.Float()
		}
		for range places(in, p) {
			all = append(all, figures)
		}
	}
	if !some {
		return nil
	}
	return all
}

// endpointNames name the endpoints of a pool of a scenario.
func endpointNames(in *v1alpha1.Scenario, pool *v1alpha1.Pool) []string {
	return simulator.EndpointNames(pool.Name, places(in, pool), ranksOf(pool))
}
