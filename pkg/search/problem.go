// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Problem is what a search is to do.
type Problem struct {
	Space Space
	// Objectives is their number, 1 or more. Only NSGA2 looks beyond the first.
	Objectives int
	// Seeds are those of a full trial.
	Seeds int
	// Baseline is a point to compare with, nil if there is none: a value for
	// each parameter, which need not be on its axis. It is tried in full in the
	// first generation.
	Baseline Values
	Settings Settings
	// Interrupted, if set, is asked now and then while an algorithm is made. Once it
	// returns true, New is soon done, and what it returns means nothing.
	Interrupted func() bool
}

// Name is that of an algorithm.
type Name string

// The algorithms.
const (
	Grid              Name = "Grid"
	Random            Name = "Random"
	Sobol             Name = "Sobol"
	LatinHypercube    Name = "LatinHypercube"
	TPE               Name = "TPE"
	GP                Name = "GP"
	CMAES             Name = "CMAES"
	SuccessiveHalving Name = "SuccessiveHalving"
	Hyperband         Name = "Hyperband"
	NSGA2             Name = "NSGA2"
	MAPElites         Name = "MAPElites"
	Capacity          Name = "Capacity"
)

// Settings choose an algorithm and say how it goes about it. What an algorithm
// does not use it does not look at.
type Settings struct {
	Algorithm Name
	Seed      int64
	// MaxTrials bounds how many distinct points are proposed, the baseline
	// aside; more seeds for a known point do not count.
	MaxTrials int
	// Generation is how many points to propose at a time; 0 leaves it to the
	// algorithm.
	Generation int
	Halving    HalvingSettings
	Capacity   CapacitySettings
	// Features are MAPElites' axes, one for each of a trial's features.
	Features []Feature
	// Islands are those of MAPElites.
	Islands IslandSettings
	// Racing stops giving seeds to candidates that are worse than the best; nil
	// does not.
	Racing *RacingSettings
	// Precision adds seeds at the end of a search; nil does not.
	Precision *PrecisionSettings
	// Confirm tries the best point and the baseline once more at the very end,
	// under this number of fresh seeds.
	Confirm int
}

// FidelityKind is what a cheap trial has less of.
type FidelityKind string

// The kinds of fidelity.
const (
	Requests FidelityKind = "Requests"
	Seeds    FidelityKind = "Seeds"
)

// HalvingSettings are those of SuccessiveHalving and Hyperband.
type HalvingSettings struct {
	Fidelity FidelityKind
	// Minimum is the share of a full trial that the first rung has; 0 means
	// 1/η².
	Minimum float64
	// Reduction is η: each rung keeps one of η points, and has about η
	// times the effort of the one before; 0 means 3.
	Reduction int
}

// CapacitySettings are those of Capacity.
type CapacitySettings struct {
	// Load names the parameter whose greatest bearable value is sought.
	Load string
	// Precision is the relative width at which a bracket is narrow enough; 0
	// means 0.02.
	Precision float64
	// MaxSeeds bounds the seeds that an undecided load gets.
	MaxSeeds int
	// Demand seeks the smallest pool that bears a load; nil seeks the greatest load of
	// each pool.
	Demand *DemandSettings
}

// DemandSettings state a load that a pool has to bear.
type DemandSettings struct {
	// Load is a decimal number, and Headroom how much more of it the pool bears, as a
	// share.
	Load     string
	Headroom float64
	// Replicas names the parameter that is the number of replicas of the pool.
	Replicas string
	// Survive is how many of them may fail.
	Survive int
}

// Feature is one axis of MAPElites' archive: [Min, Max] in equal bins.
type Feature struct {
	Min, Max float64
	Bins     int
}

// IslandSettings are those of MAPElites: archives that breed apart.
type IslandSettings struct {
	// Count is their number; 0 means 1.
	Count int
	// MigrateEvery is after how many generations the best elites of each go to the next one;
	// 0 means 5.
	MigrateEvery int
}

// RacingSettings are those of racing.
type RacingSettings struct {
	// Confidence is the probability with which the best candidate keeps all of
	// its seeds, whatever the number of comparisons and looks.
	Confidence float64
	// First seeds are everybody's, and Step more are given at a time.
	First, Step int
}

// PrecisionSettings say how sure an objective's mean must be.
type PrecisionSettings struct {
	// Objective is its place in a trial's samples; it may be one beyond the
	// problem's objectives.
	Objective int
	// Relative is half the width of the mean's 95 % interval, by the mean.
	Relative float64
	// MaxSeeds bounds the seeds of a point, those of the search included.
	MaxSeeds int
}

// problem is a checked problem.
type problem struct {
	Problem
	cube *cube
	path *field.Path
}

// constructor makes an algorithm, or says what is wrong with its settings.
type constructor func(*problem) (Algorithm, field.ErrorList)

// constructors are those of the algorithms.
var constructors = map[Name]constructor{
	Grid:           newGrid,
	Random:         newRandom,
	Sobol:          newSobol,
	LatinHypercube: newLatinHypercube,
	TPE:            newTPE,
	GP:             newGP,
	CMAES:          newCMAES,

	SuccessiveHalving: newSuccessiveHalving,
	Hyperband:         newHyperband,
	NSGA2:             newNSGA2,
	MAPElites:         newMAPElites,
	Capacity:          newCapacity,
}

// New returns the algorithm that solves a problem, or every error in it. path is
// the path of the object that has the problem. Below it, errors name
// parameters[i].name, .range.min, .max and .step, .values, .when.parameter and
// .when.values, rules[i].expression, search.algorithm and other settings.
func New(p Problem, path *field.Path) (Algorithm, field.ErrorList) {
	checked, errs := p.check(path)
	if len(errs) > 0 {
		return nil, errs
	}
	algorithm, errs := constructors[p.Settings.Algorithm](checked)
	if len(errs) > 0 {
		return nil, errs
	}
	return checked.wrapped(algorithm)
}

// wrapped adds to an algorithm what else the settings ask for.
func (p *problem) wrapped(a Algorithm) (Algorithm, field.ErrorList) {
	var errs field.ErrorList
	wrap := func(asked bool, around func(Algorithm) (Algorithm, field.ErrorList)) {
		if asked {
			var es field.ErrorList
			a, es = around(a)
			errs = append(errs, es...)
		}
	}
	wrap(p.Baseline != nil, p.withBaseline)
	wrap(p.Settings.Racing != nil, p.racing)
	wrap(p.Settings.Precision != nil, p.precision)
	wrap(p.Settings.Confirm != 0, p.confirm)
	if len(errs) > 0 {
		return nil, errs
	}
	return a, nil
}

func (p Problem) check(path *field.Path) (*problem, field.ErrorList) {
	if p.Objectives < 1 || p.Seeds < 1 {
		panic(fmt.Sprintf("search: a problem of %d objectives and %d seeds", p.Objectives, p.Seeds))
	}
	cube, errs := p.Space.cube(path)
	if cube != nil {
		cube.interrupted = p.Interrupted
	}
	settings := path.Child("search")
	if constructors[p.Settings.Algorithm] == nil {
		errs = append(errs, field.NotSupported(settings.Child("algorithm"), p.Settings.Algorithm, slices.Sorted(maps.Keys(constructors))))
	}
	if p.Settings.MaxTrials < 1 {
		errs = append(errs, field.Invalid(settings.Child("maxTrials"), p.Settings.MaxTrials, "must be at least 1"))
	}
	if p.Settings.Generation < 0 {
		errs = append(errs, field.Invalid(settings.Child("generationSize"), p.Settings.Generation, "must not be negative"))
	}
	if p.Baseline != nil && len(p.Baseline) != len(p.Space.Parameters) {
		errs = append(errs, field.Invalid(path.Child("baseline"), p.Baseline, "must give each parameter a value"))
	}
	if p.Settings.Algorithm != MAPElites && slices.ContainsFunc(p.Space.Parameters, func(q Parameter) bool { return q.Kind == Evolved }) {
		errs = append(errs, field.Invalid(settings.Child("algorithm"), p.Settings.Algorithm, "must be MAPElites, since a parameter evolves"))
	}
	checked := &problem{p, cube, path}
	if len(errs) == 0 && len(cube.rules) > 0 && newUntried(cube).draw(checked.stream(0)) == nil {
		errs = append(errs, field.Invalid(path.Child("rules"), len(cube.rules), "no point was found that fulfils all of them: they contradict each other, or the parameters' values"))
	}
	return checked, errs
}

// settings is the path of the settings.
func (p *problem) settings() *field.Path { return p.path.Child("search") }

// full is the effort of a full trial.
func (p *problem) full() Effort { return Effort{Share: 1, Seeds: p.Seeds} }

// inFull proposes points in full.
func (p *problem) inFull(points []Values) []Proposal {
	proposals := make([]Proposal, len(points))
	for i, point := range points {
		proposals[i] = Proposal{point, p.full()}
	}
	return proposals
}

// generation returns how many points to propose at a time, where an algorithm
// would by itself propose a number of points.
func (p *problem) generation(own int) int {
	if p.Settings.Generation > 0 {
		return p.Settings.Generation
	}
	return own
}

// stream returns the random numbers of a generation.
func (p *problem) stream(generation int) *stats.Stream {
	return stats.NewStream(p.Settings.Seed, fmt.Sprintf("search/%s/%d", p.Settings.Algorithm, generation))
}
