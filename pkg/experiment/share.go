// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/result"
)

// NoShare is the value of a share at the baseline of a rollout: the backend has no traffic.
const NoShare = "0"

// SharePath leads to the weight of a backend of the scenario's route.
func SharePath(backend string) []Segment {
	return []Segment{{Name: "route"}, {Name: "backends"}, {Name: backend, Entry: true}, {Name: "weight"}}
}

// Rollout is the parameter whose values are the steps of a rollout; nil of other sweeps.
func (p *Plan) Rollout() *Parameter {
	if at := slices.IndexFunc(p.Parameters, func(q Parameter) bool { return q.Share }); at >= 0 {
		return &p.Parameters[at]
	}
	return nil
}

// dividedLists lead to the lists of backends that divide requests between the backend of the path and
// others: those of the route, and those of its rules.
func (p *Parameter) dividedLists(scenario Tree) ([][]Segment, error) {
	all := [][]Segment{p.Segments[:2]}
	rules, _ := Lookup(scenario, []Segment{{Name: "route"}, {Name: "rules"}}).([]any)
	for _, rule := range rules {
		all = append(all, []Segment{{Name: "route"}, {Name: "rules"}, {Name: entryName(rule), Entry: true}, {Name: "backends"}})
	}
	var divided [][]Segment
	var missing error
	known := false
	for _, list := range all {
		backends, _ := Lookup(scenario, list).([]any)
		at, err := entryIndex(backends, p.Segments[2])
		if err != nil {
			if missing == nil || len(backends) > 0 {
				missing = err
			}
			continue
		}
		known = true
		if weights := weightsOf(backends); sumBut(weights, at) > 0 {
			divided = append(divided, list)
		}
	}
	switch {
	case !known:
		return nil, missing
	case divided == nil:
		return nil, errors.New("gets all requests of the rules that have it: they have no other backend with a weight")
	}
	return divided, nil
}

// sumBut adds up all weights but one.
func sumBut(weights []int64, at int) int64 {
	sum := -weights[at]
	for _, weight := range weights {
		sum += weight
	}
	return sum
}

// setShare gives the backend of the path a percentage of the requests wherever the route divides them
// between it and others, which share the rest by their weights.
func (p *Parameter) setShare(scenario Tree, value string) error {
	percent, err := strconv.ParseInt(value, 10, 64)
	if err != nil || percent < 0 || percent > 100 {
		return errors.New("must be a percentage from 0 to 100")
	}
	lists, err := p.dividedLists(scenario)
	for _, list := range lists {
		err = errors.Join(err, p.setShareOf(scenario, list, percent))
	}
	return err
}

func (p *Parameter) setShareOf(scenario Tree, list []Segment, percent int64) error {
	backends, _ := Lookup(scenario, list).([]any)
	at, err := entryIndex(backends, p.Segments[2])
	if err != nil {
		return err
	}
	weights := shared(weightsOf(backends), at, percent)
	set := make([]any, len(backends))
	for i, backend := range backends {
		fields, _ := backend.(Tree)
		fields = maps.Clone(fields)
		fields["weight"] = json.Number(strconv.FormatInt(weights[i], 10))
		set[i] = fields
	}
	return Assign(scenario, list, set)
}

// weightsOf are the weights of backends. One without a weight has 1, as in an HTTPRoute.
func weightsOf(backends []any) []int64 {
	weights := make([]int64, len(backends))
	for i, backend := range backends {
		weights[i] = 1
		if number, ok := Lookup(backend.(Tree), []Segment{{Name: "weight"}}).(json.Number); ok {
			weights[i], _ = number.Int64()
		}
	}
	return weights
}

// shared are the least whole weights that give one backend a percentage, and divide the rest among the
// others by their weights, which are not all 0.
func shared(weights []int64, at int, percent int64) []int64 {
	others := sumBut(weights, at)
	set := make([]int64, len(weights))
	var divisor int64
	for i, weight := range weights {
		if set[i] = weight * (100 - percent); i == at {
			set[i] = others * percent
		}
		divisor = gcd(divisor, set[i])
	}
	for i := range set {
		set[i] /= divisor
	}
	return set
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// counterpart is what a gate of a rollout reads of the baseline. The backend's own pools serve nothing
// there, so a measure of one of them is compared with that of all requests, which the other backends serve.
func (p *Plan) counterpart(m result.Measure) result.Measure {
	if rollout := p.Rollout(); rollout != nil && slices.Contains(p.poolsOf(rollout.backend()), m.Pool()) {
		return m.OfAllPools()
	}
	return m
}

// backend is the router of the backend whose share the parameter sets.
func (p *Parameter) backend() string { return p.segments()[2].Name }

// poolsOf are the pools of a router by its name: those that it names, or else those of its model that no
// router names.
func (p *Plan) poolsOf(router string) []string {
	own, _ := Lookup(p.Scenario, []Segment{{Name: "routers"}, {Name: router, Entry: true}}).(Tree)
	if named := textsOf(own["pools"]); named != nil {
		return named
	}
	var taken, pools []string
	routers, _ := p.Scenario["routers"].([]any)
	for _, other := range routers {
		taken = append(taken, textsOf(other.(Tree)["pools"])...)
	}
	all, _ := p.Scenario["pools"].([]any)
	for _, pool := range all {
		if name := entryName(pool); pool.(Tree)["model"] == own["model"] && !slices.Contains(taken, name) {
			pools = append(pools, name)
		}
	}
	return pools
}

func textsOf(list any) []string {
	var texts []string
	entries, _ := list.([]any)
	for _, entry := range entries {
		if text, ok := entry.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
