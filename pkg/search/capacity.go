// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bracket tells between which loads the capacity of a candidate lies.
type Bracket struct {
	Point Point // the candidate; its load is empty
	// Holds is the highest load of the bisection at which the claim was shown to
	// hold, "" where it did not at the least load. Breaks is the next higher one
	// that was tried, where it was not; "" where it held at the greatest.
	Holds, Breaks Value
	// Seeds is the most that a load took.
	Seeds int
	// Undecided says that the claim was not shown to break at Breaks either: the
	// most seeds were too few, or the trial failed.
	Undecided bool
	// Open says that MaxTrials ended the search of a narrower bracket.
	Open bool
	// Against holds loads above Breaks where the claim holds, and loads below
	// Holds where it breaks: where there are any, more load is not always worse,
	// and the bracket is one of several.
	Against []Value
}

// capacity finds the highest load at which a claim holds, for each combination
// of the other parameters: it doubles the load from its minimum until the claim
// does not hold, and then divides the bracket until it is narrow (as the search
// of Vidur does, without confidence: Agrawal and others, 2024). All candidates
// take their steps side by side. A load where the claim is undecided is tried
// again with twice the seeds; where it still is with the most seeds, it counts
// as one where the claim was not shown to hold.
//
// This believes that a claim which holds at a load holds at all lower ones. At
// the end two loads for each candidate put that to the test.
type capacity struct {
	problem    *problem
	settings   CapacitySettings
	load       int // the index of its parameter
	candidates []*candidate
	left       int // points that may still be proposed
}

// candidate is a combination of the other parameters.
type candidate struct {
	*bisection
	point    Point
	attempts []attempt // of this generation
	checked  bool      // the bracket is put to the test, or was
	open     bool
	seeds    int // the most of an attempt
}

// attempt is a load of a candidate under a number of seeds.
type attempt struct {
	load  int64
	seeds int
}

func newCapacity(p *problem) (Algorithm, field.ErrorList) {
	c := &capacity{problem: p, settings: p.capacity(), load: p.load(), left: p.Settings.MaxTrials}
	if errs := p.checkCapacity(); len(errs) > 0 {
		return nil, errs
	}
	points, errs := p.candidates(c.load)
	if len(errs) > 0 {
		return nil, errs
	}
	for _, point := range points {
		c.candidates = append(c.candidates, &candidate{
			bisection: newBisection(p.cube.axes[c.load], c.settings.Precision),
			point:     point,
		})
	}
	c.plan()
	return c, nil
}

// capacity returns the settings with their defaults.
func (p *problem) capacity() CapacitySettings {
	c := p.Settings.Capacity
	c.Precision = cmp.Or(c.Precision, 0.02)
	c.MaxSeeds = cmp.Or(c.MaxSeeds, 4*p.Seeds)
	return c
}

// load returns the index of the load among the parameters, -1 if it is none.
func (p *problem) load() int {
	return p.Space.index(p.Settings.Capacity.Load)
}

// checkCapacity returns what is wrong with the settings and the load.
func (p *problem) checkCapacity() field.ErrorList {
	var errs field.ErrorList
	settings, path := p.capacity(), p.settings().Child("capacity")
	if settings.Precision < 0 {
		errs = append(errs, field.Invalid(path.Child("precision"), settings.Precision, "must not be negative"))
	}
	if settings.MaxSeeds < p.Seeds {
		errs = append(errs, field.Invalid(path.Child("maxSeeds"), settings.MaxSeeds, fmt.Sprintf("must not be less than the %d seeds of a full trial", p.Seeds)))
	}
	index := p.load()
	switch {
	case settings.Load == "":
		return append(errs, field.Required(path.Child("load"), "must name the parameter whose greatest bearable value is sought"))
	case index < 0:
		return append(errs, field.NotFound(path.Child("load"), settings.Load))
	}
	return append(errs, p.checkLoad(index, path.Child("load"))...)
}

// checkLoad returns what keeps a parameter from being a load: it must be a
// number above 0, and nothing else may depend on it.
func (p *problem) checkLoad(index int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	load := p.Space.Parameters[index]
	switch {
	case load.Kind == Choice:
		errs = append(errs, field.Invalid(path, load.Name, "must be a number"))
	case load.When != nil:
		errs = append(errs, field.Invalid(path, load.Name, "must exist everywhere, and has a condition"))
	case numberOf(p.cube.axes[index].at(0)) <= 0:
		errs = append(errs, field.Invalid(p.path.Child("parameters").Index(index).Child("range", "min"), load.Min, "must be greater than 0, since loads are compared by their ratio"))
	}
	const tied = "must not depend on the load, which takes many values with each candidate"
	for i, parent := range p.cube.parents {
		if parent.index == index {
			errs = append(errs, field.Forbidden(p.path.Child("parameters").Index(i).Child("when"), tied))
		}
	}
	for i, rule := range p.cube.rules {
		if slices.Contains(rule.uses, index) {
			errs = append(errs, field.Forbidden(p.path.Child("rules").Index(i).Child("expression"), tied))
		}
	}
	return errs
}

// candidates returns every combination of the other parameters, with an empty
// load, and then that of the baseline.
func (p *problem) candidates(load int) ([]Point, field.ErrorList) {
	others := *p
	others.Settings.Generation = 0
	others.Space.Parameters = slices.Clone(p.Space.Parameters)
	least := &others.Space.Parameters[load]
	least.Kind, least.Max, least.Step = Stepped, least.Min, "1"
	var errs field.ErrorList
	if others.cube, errs = others.Space.cube(p.path); len(errs) > 0 {
		return nil, errs
	}
	grid, errs := newGrid(&others)
	if len(errs) > 0 {
		return nil, errs
	}
	var points []Point
	for _, proposal := range grid.Ask() {
		points = append(points, proposal.Point.with(load, ""))
	}
	if p.Baseline != nil {
		baseline := p.Baseline.with(load, "")
		if !slices.ContainsFunc(points, func(q Point) bool { return slices.Equal(q, baseline) }) {
			points = append(points, baseline)
		}
	}
	return points, nil
}

// with returns the point with another value.
func (p Point) with(index int, v Value) Point {
	changed := slices.Clone(p)
	changed[index] = v
	return changed
}

// plan gives new attempts to candidates that have none, as long as there are
// points left.
func (c *capacity) plan() {
	for _, candidate := range c.candidates {
		if len(candidate.attempts) > 0 || candidate.checked {
			continue
		}
		var loads []int64
		if load, ok := candidate.step(); ok {
			candidate.open = c.left < 1
			loads = append(loads, load)
		} else {
			candidate.checked = true
			loads = candidate.checks()
		}
		for _, load := range loads[:min(c.left, len(loads))] {
			candidate.attempts = append(candidate.attempts, attempt{load, c.problem.Seeds})
			c.left--
		}
	}
}

// Ask returns the next step of every candidate.
func (c *capacity) Ask() []Proposal {
	var proposals []Proposal
	for _, candidate := range c.candidates {
		for _, a := range candidate.attempts {
			proposals = append(proposals, Proposal{
				Point:  candidate.point.with(c.load, candidate.axis.at(a.load)),
				Effort: Effort{Share: 1, Seeds: a.seeds},
			})
		}
	}
	return proposals
}

// Tell takes the claims of a step of every candidate.
func (c *capacity) Tell(trials []Trial) {
	for _, candidate := range c.candidates {
		n := len(candidate.attempts)
		candidate.learn(trials[:n], c.settings.MaxSeeds)
		trials = trials[n:]
	}
	c.plan()
}

// learn takes the claims of the attempts. Those that are to be made again, with
// more seeds, stay; undecided checks contradict nothing and are left at that.
func (c *candidate) learn(trials []Trial, maxSeeds int) {
	attempts := c.attempts
	c.attempts = nil
	for i, a := range attempts {
		claim := trials[i].Claim
		if trials[i].Failed() {
			claim = Undecided
		}
		c.seeds = max(c.seeds, a.seeds)
		switch more := min(2*a.seeds, maxSeeds); {
		case c.checked:
			c.claims[a.load] = claim
		case claim == Undecided && more > a.seeds && !trials[i].Failed():
			c.attempts = append(c.attempts, attempt{a.load, more})
		default:
			c.tell(a.load, claim)
		}
	}
}

// Brackets returns what is known of each candidate.
func (c *capacity) Brackets() []Bracket {
	var brackets []Bracket
	for _, candidate := range c.candidates {
		brackets = append(brackets, candidate.bracket())
	}
	return brackets
}

func (c *candidate) bracket() Bracket {
	b := Bracket{Point: c.point, Seeds: c.seeds, Open: c.open, Against: c.against()}
	if c.holds >= 0 {
		b.Holds = c.axis.at(c.holds)
	}
	if c.breaks < c.axis.size() {
		b.Breaks = c.axis.at(c.breaks)
		b.Undecided = c.claims[c.breaks] == Undecided
	}
	return b
}
