// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fleet is the pool sizes of one combination of all parameters except load and
// replicas. It looks for the smallest pool that bears the demand: it doubles the
// replicas until the claim holds at the demand, and then divides what is between. So
// the next smaller pool was tried, too, and does not. After it comes the smallest pool
// that bears the demand without the replicas that may fail. The pool that was asked for
// then takes the steps of any candidate, which tell how much load it bears; where none
// bears the demand, the largest does.
type fleet struct {
	sizes    []*candidate // ascending by their replicas
	replicas []int64
	// fits is the smallest pool that was shown to bear the demand, the number of sizes
	// where none was; tooSmall is the greatest below it that was not, -1 where none.
	fits, tooSmall int
	// spare is the smallest pool that survives, -1 where none is known to.
	spare   int
	survive int64
	asked   int // takes its step at the demand; -1 where none does
}

// mayFail is for how many failures the search looks where none are asked for: who
// learns how many replicas are enough wants to know how many survive one.
const mayFail = 1

// newFleets groups the candidates.
func (c *capacity) newFleets() []*fleet {
	at := c.problem.Space.index(c.settings.Demand.Replicas)
	var fleets []*fleet
	var keys []Values
	for _, candidate := range c.candidates {
		candidate.waits = true
		key := candidate.point.with(at, "")
		i := slices.IndexFunc(keys, func(p Values) bool { return slices.Equal(p, key) })
		if i < 0 {
			i, keys = len(keys), append(keys, key)
			fleets = append(fleets, &fleet{tooSmall: -1, spare: -1, asked: -1, survive: int64(c.settings.Demand.Survive)})
		}
		fleets[i].sizes = append(fleets[i].sizes, candidate)
	}
	for _, f := range fleets {
		of := func(candidate *candidate) int64 { return int64(numberOf(candidate.point[at])) }
		slices.SortStableFunc(f.sizes, func(a, b *candidate) int { return cmp.Compare(of(a), of(b)) })
		for _, candidate := range f.sizes {
			f.replicas = append(f.replicas, of(candidate))
		}
		f.fits = len(f.sizes)
	}
	return fleets
}

// choose takes the claim of the pool that was asked, and lets the next one take a step.
func (f *fleet) choose() {
	if f.asked >= 0 {
		size := f.sizes[f.asked]
		if len(size.attempts) > 0 || !size.isTried() {
			return // it gets more seeds, or maxTrials ended the search
		}
		size.waits = true
		f.asked = -1
	}
	if next, ok := f.step(); ok {
		f.asked = next
		f.sizes[next].waits = false
		return
	}
	f.sizes[f.wanted()].waits = false
}

// step returns the pool to ask next; false where all is known.
func (f *fleet) step() (next int, ok bool) {
	for f.fits-f.tooSmall > 1 {
		next := f.between()
		switch {
		case !f.sizes[next].isTried():
			return next, true
		case f.sizes[next].bears():
			f.fits = next
		default:
			f.tooSmall = next
		}
	}
	if f.fits == len(f.sizes) {
		return 0, false
	}
	return f.survivor()
}

// between is a pool to try between the two bounds.
func (f *fleet) between() int {
	if f.fits < len(f.sizes) {
		return f.tooSmall + (f.fits-f.tooSmall)/2
	}
	if f.tooSmall < 0 {
		return 0
	}
	twice, _ := slices.BinarySearch(f.replicas, growth*f.replicas[f.tooSmall])
	return min(max(twice, f.tooSmall+1), len(f.sizes)-1)
}

// survivor looks for the smallest pool that bears the demand with all of its replicas,
// and without those that may fail. More replicas need not bear more: each has less of the
// prefixes. So both are tried.
func (f *fleet) survivor() (next int, ok bool) {
	if f.spare >= 0 {
		return 0, false
	}
	lost := f.lost()
	first, _ := slices.BinarySearch(f.replicas, f.replicas[f.fits]+lost)
	for i := first; i < len(f.sizes); i++ {
		left, found := slices.BinarySearch(f.replicas, f.replicas[i]-lost)
		if !found {
			left-- // the next smaller pool that may be had
		}
		for _, size := range []int{left, i} {
			if !f.sizes[size].isTried() {
				return size, true
			}
		}
		if f.sizes[left].bears() && f.sizes[i].bears() {
			f.spare = i
			return 0, false
		}
	}
	return 0, false
}

// lost is how many replicas may fail.
func (f *fleet) lost() int64 { return max(f.survive, mayFail) }

// wanted is the pool that was asked for; the largest where none is enough.
func (f *fleet) wanted() int {
	switch {
	case f.survive > 0 && f.spare >= 0:
		return f.spare
	case f.survive == 0 && f.fits < len(f.sizes):
		return f.fits
	default:
		return len(f.sizes) - 1
	}
}

// brackets are those of the pools that were tried.
func (f *fleet) brackets() []Bracket {
	var brackets []Bracket
	for i, size := range f.sizes {
		if !size.isTried() {
			continue
		}
		b := size.bracket()
		b.Demand, b.AtDemand = size.axis.at(size.first), size.claims[size.first]
		b.Survives = size.bears() && f.spare >= 0 && i >= f.spare
		brackets = append(brackets, b)
	}
	return brackets
}

// isTried says whether the first load has a claim, and bears whether it holds.
func (c *candidate) isTried() bool { _, tried := c.claims[c.first]; return tried }
func (c *candidate) bears() bool   { return c.claims[c.first] == Holds }

// demanded is the index of the load that a pool has to bear, with its headroom, or what
// is wrong with the demand.
func (p *problem) demanded(load int) (int64, field.ErrorList) {
	demand, path := p.Settings.Capacity.Demand, p.settings().Child("capacity", "demand")
	var errs field.ErrorList
	axis, number := p.cube.axes[load], numberOf(demand.Load)*(1+demand.Headroom)
	least, most := axis.at(0), axis.at(axis.size()-1)
	switch {
	case numberOf(demand.Load) <= 0:
		errs = append(errs, field.Invalid(path.Child("load"), demand.Load, "must be a number greater than 0"))
	case number < numberOf(least) || number > numberOf(most):
		errs = append(errs, field.Invalid(path.Child("load"), demand.Load,
			fmt.Sprintf("with its headroom it is %g, and must lie in the range of %s, from %s to %s", number, p.Space.Parameters[load].Name, least, most)))
	}
	if demand.Headroom < 0 {
		errs = append(errs, field.Invalid(path.Child("headroom"), demand.Headroom, "must not be negative"))
	}
	if demand.Survive < 0 {
		errs = append(errs, field.Invalid(path.Child("survive"), demand.Survive, "must not be negative"))
	}
	errs = append(errs, p.checkReplicas(load, path.Child("replicas"))...)
	if len(errs) > 0 {
		return 0, errs
	}
	return newBisection(axis, 0, 0).reaching(number), nil
}

// checkReplicas returns what keeps a parameter from being the number of replicas.
func (p *problem) checkReplicas(load int, path *field.Path) field.ErrorList {
	name := p.Settings.Capacity.Demand.Replicas
	at := p.Space.index(name)
	switch {
	case name == "":
		return field.ErrorList{field.Required(path, "must name the parameter that is the number of replicas")}
	case at < 0:
		return field.ErrorList{field.NotFound(path, name)}
	case at == load:
		return field.ErrorList{field.Invalid(path, name, "must be another parameter than the load")}
	case p.Space.Parameters[at].When != nil:
		return field.ErrorList{field.Invalid(path, name, "must exist everywhere, and has a condition")}
	}
	for _, text := range p.Space.Parameters[at].Choices {
		if d, err := parseDecimal(text); err != nil || !d.isWhole() || d.digits.Sign() < 1 {
			return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("must have whole numbers from 1 as its values, and has %s", text))}
		}
	}
	return nil
}

// reaching returns the least load that is not below a number.
func (b *bisection) reaching(number float64) int64 {
	low, high := int64(0), b.axis.size()-1
	for low < high {
		if middle := low + (high-low)/2; b.number(middle) < number*(1-1e-12) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
