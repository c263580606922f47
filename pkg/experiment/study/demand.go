// SPDX-License-Identifier: Apache-2.0

package study

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// demand is what was asked of the pool of a bracket, whether it does that and what it takes;
// nil where nothing was asked.
func (s *Study) demand(b *search.Bracket, point experiment.Point) (*result.Demand, error) {
	asked := s.Plan.CapacitySettings().Demand
	if asked == nil {
		return nil, nil
	}
	at := slices.IndexFunc(s.Plan.Parameters, func(p experiment.Parameter) bool { return p.Name == asked.Replicas })
	replicas, err := strconv.Atoi(b.Point[at])
	if err != nil {
		return nil, fmt.Errorf("number of replicas: %w", err)
	}
	price, err := s.price(point)
	return &result.Demand{
		Load: asked.Load, Headroom: asked.Headroom, WithHeadroom: b.Demand, Parameter: asked.Replicas, Replicas: replicas,
		Survive: asked.Survive, Verdict: loadVerdicts[b.AtDemand], Survives: b.Survives, Price: price,
	}, err
}

// price is what all pools take at a point.
func (s *Study) price(point experiment.Point) (result.Price, error) {
	tree, err := s.Plan.ScenarioAt(point, 1)
	if err != nil {
		return result.Price{}, err
	}
	raw, err := json.Marshal(tree["pools"])
	if err != nil {
		return result.Price{}, err
	}
	var pools []struct {
		Replicas, TensorParallelism, DataParallelism int
		CostPerReplicaHour                           v1alpha1.NonNegativeDecimal
	}
	if err := json.Unmarshal(raw, &pools); err != nil {
		return result.Price{}, fmt.Errorf("pools: %w", err)
	}
	price, cost, priced := result.Price{}, 0.0, true
	for _, p := range pools {
		price.Accelerators += p.Replicas * max(1, p.TensorParallelism) * max(1, p.DataParallelism)
		cost += float64(float64(p.Replicas) * p.CostPerReplicaHour.Float())
		priced = priced && p.CostPerReplicaHour != ""
	}
	if priced {
		price.CostPerHour = &cost
	}
	return price, nil
}
