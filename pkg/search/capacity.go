// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bracket tells between which loads the capacity of a candidate lies.
type Bracket struct {
	Point Values // the candidate; its load is empty
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
	// Demand is the load that a pool has to bear, with its headroom; "" where none is
	// stated. AtDemand is the claim there, and Survives says that it also holds without
	// the replicas that may fail.
	Demand   Value
	AtDemand Claim
	Survives bool
	// Against holds loads above Breaks where the claim holds, and loads below
	// Holds where it breaks: where there are any, more load is not always worse,
	// and the bracket is one of several.
	Against []Value
	// Tried are all loads with a claim, ascending.
	Tried []TriedLoad
}

// TriedLoad is a load and what its seeds said in the end.
type TriedLoad struct {
	Load  Value
	Claim Claim
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
	fleets     []*fleet // of the candidates, where a demand is stated
	left       int      // points that may still be proposed
}

// candidate is a combination of the other parameters.
type candidate struct {
	*bisection
	point    Values
	attempts []attempt // of this generation
	waits    bool      // it has no step to take now
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
	first := int64(0)
	if c.settings.Demand != nil {
		if first, errs = p.demanded(c.load); len(errs) > 0 {
			return nil, errs
		}
	}
	for _, point := range points {
		c.candidates = append(c.candidates, &candidate{
			bisection: newBisection(p.cube.axes[c.load], first, c.settings.Precision),
			point:     point,
		})
	}
	if c.settings.Demand != nil {
		c.fleets = c.newFleets()
	}
	c.plan()
	return c, nil
}

// with returns the point with another value.
func (p Values) with(index int, v Value) Values {
	changed := slices.Clone(p)
	changed[index] = v
	return changed
}

// plan gives new attempts to candidates that have none, as long as there are
// points left.
func (c *capacity) plan() {
	for _, f := range c.fleets {
		f.choose()
	}
	for _, candidate := range c.candidates {
		if len(candidate.attempts) > 0 || candidate.checked || candidate.waits {
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

// Brackets returns what is known of each candidate, of those for a demand of each that
// was tried.
func (c *capacity) Brackets() []Bracket {
	var brackets []Bracket
	for _, f := range c.fleets {
		brackets = append(brackets, f.brackets()...)
	}
	if c.fleets != nil {
		return brackets
	}
	for _, candidate := range c.candidates {
		brackets = append(brackets, candidate.bracket())
	}
	return brackets
}

func (c *candidate) bracket() Bracket {
	b := Bracket{Point: c.point, Seeds: c.seeds, Open: c.open, Against: c.against(), Tried: c.tried()}
	if c.holds >= 0 {
		b.Holds = c.axis.at(c.holds)
	}
	if c.breaks < c.axis.size() {
		b.Breaks = c.axis.at(c.breaks)
		b.Undecided = c.claims[c.breaks] == Undecided
	}
	return b
}
