// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/search"
)

// theRun is the only point of a plan that varies nothing: of a run, or of a sweep of
// workloads alone.
var theRun = search.Space{Parameters: []search.Parameter{{Name: "run", Kind: search.Choice, Choices: []string{"run"}}}}

// Algorithm returns what chooses the plan's simulations, or what is wrong with
// its space and its search. spec is the path of the object's spec.
func (p *Plan) Algorithm(spec *field.Path) (search.Algorithm, field.ErrorList) {
	problem := search.Problem{
		Space:      theRun,
		Objectives: max(1, len(p.Objectives)),
		Seeds:      len(p.Seeds),
		Settings:   search.Settings{Algorithm: search.Grid, MaxTrials: 1},

		Interrupted: p.IsInterrupted,
	}
	if p.IsSweep() {
		problem.Baseline = p.baseline()
		problem.Settings = p.settings()
	}
	if len(p.Parameters) > 0 {
		problem.Space = p.Space()
	}
	if r := p.Precision; r != nil {
		problem.Settings.Precision = &search.PrecisionSettings{
			Relative: percent(string(r.Relative)), MaxSeeds: r.MaxCount, Objective: p.precisionObjective(),
		}
	}
	return search.New(problem, spec)
}

// Space is what the parameters and rules span.
func (p *Plan) Space() search.Space {
	var space search.Space
	for i := range p.Parameters {
		axis := p.Parameters[i].axis()
		if p.Parameters[i].Evolve != nil {
			axis.Kind, axis.Genome = search.Evolved, p.genome(&p.Parameters[i])
		}
		space.Parameters = append(space.Parameters, axis)
	}
	for _, rule := range p.Rules {
		space.Rules = append(space.Rules, search.Rule{Expression: rule.Expression, Message: rule.Message})
	}
	return space
}

// baseline is the point compared with; nil without a baseline.
func (p *Plan) baseline() search.Values {
	if len(p.Baseline) == 0 {
		return nil
	}
	values := make(search.Values, len(p.Parameters))
	for i := range p.Parameters {
		at := slices.IndexFunc(p.Baseline, func(a v1alpha1.Assignment) bool { return a.Name == p.Parameters[i].Name })
		if at >= 0 {
			values[i] = p.Baseline[at].Value
		}
		if p.Parameters[i].Evolve != nil {
			values[i] = p.Parameters[i].First
		}
	}
	return values
}

// IsBaseline reports whether a point of the search space is the baseline.
func (p *Plan) IsBaseline(values search.Values) bool {
	return len(p.Baseline) > 0 && slices.Equal(values, p.baseline())
}

// settings are those of the search.
func (p *Plan) settings() search.Settings {
	in := p.Search
	s := search.Settings{
		Algorithm: search.Name(in.Algorithm),
		Seed:      in.Seed,
		MaxTrials: int(in.MaxTrials),
	}
	if in.GenerationSize != nil {
		s.Generation = int(*in.GenerationSize)
	}
	if i := in.Islands; i != nil {
		s.Islands = search.IslandSettings{Count: int(i.Count), MigrateEvery: int(i.MigrateEvery)}
	}
	if p.evolving() >= 0 && s.Generation == 0 && s.MaxTrials/24 > MaxEvolvedGeneration {
		s.Generation = MaxEvolvedGeneration
	}
	if h := in.Halving; h != nil {
		s.Halving = search.HalvingSettings{Fidelity: search.FidelityKind(h.Fidelity), Minimum: h.Minimum.Float(), Reduction: int(h.Reduction)}
	}
	if c := in.Capacity; c != nil {
		s.Capacity = search.CapacitySettings{Load: c.Load, Precision: percent(string(c.Precision)), MaxSeeds: 4 * len(p.Seeds)}
		if c.MaxSeeds != nil {
			s.Capacity.MaxSeeds = int(*c.MaxSeeds)
		}
		if d := c.Demand; d != nil {
			s.Capacity.Demand = &search.DemandSettings{
				Load: string(d.Load), Headroom: percent(string(d.Headroom)), Replicas: d.Replicas, Survive: int(d.Survive),
			}
		}
	}
	for _, f := range in.Features {
		s.Features = append(s.Features, search.Feature{Min: f.Min.Float(), Max: f.Max.Float(), Bins: int(f.Bins)})
	}
	if r := in.Racing; r != nil {
		s.Racing = &search.RacingSettings{Confidence: r.Confidence.Float(), First: int(r.First), Step: int(r.Step)}
	}
	if in.Confirm != nil {
		s.Confirm = int(*in.Confirm)
	}
	return s
}

// CapacitySettings are those of a search for capacities.
func (p *Plan) CapacitySettings() search.CapacitySettings { return p.settings().Capacity }

// precisionObjective is the place of the metric of a wanted precision among
// what a trial's samples hold: an objective's, or the one behind them.
func (p *Plan) precisionObjective() int {
	at := slices.IndexFunc(p.Objectives, func(o v1alpha1.Objective) bool { return o.Metric == p.Precision.Metric })
	if at < 0 {
		return len(p.Objectives)
	}
	return at
}

// ClaimConfidence is that of one claim of a Capacity search, so that all looks at
// a load together have the confidence that is asked for; others look at none.
func (p *Plan) ClaimConfidence() float64 {
	if p.Search == nil || p.Search.Capacity == nil {
		return 0.95
	}
	return 1 - (1-p.Search.Capacity.Confidence.Float())/float64(len(p.seedCounts()))
}

// MaxFailed is how many points may fail: any number of those with policies that no person
// wrote.
func (p *Plan) MaxFailed() int {
	if p.Search == nil {
		return 0
	}
	if p.evolving() >= 0 {
		return math.MaxInt
	}
	return int(p.Search.MaxFailedTrials)
}

// Seed returns the seed of an index in the sequence that all points meet: the
// plan's own, and after them the numbers that follow the greatest.
func (p *Plan) Seed(index int) int64 {
	if index < len(p.Seeds) {
		return p.Seeds[index]
	}
	return (slices.Max(p.Seeds) + 1 + int64(index-len(p.Seeds))) & math.MaxInt64
}

// percent reads a number with a percent sign; 0 where it is none, which the
// schema rules out.
func percent(text string) float64 {
	number, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return 0
	}
	return number / 100
}
