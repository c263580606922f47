// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"fmt"
	"slices"
)

// tpotObjectives counts requests by the time between tokens that they were
// promised. Few different ones occur.
type tpotObjectives struct {
	count int
	kinds []tpotObjective // the strictest first
}

type tpotObjective struct {
	ms    float64
	count int
}

func (o *tpotObjectives) Add(ms float64) {
	i, found := o.Find(ms)
	if !found {
		o.kinds = slices.Insert(o.kinds, i, tpotObjective{ms: ms})
	}
	o.kinds[i].count++
	o.count++
}

func (o *tpotObjectives) Remove(ms float64) {
	i, found := o.Find(ms)
	if !found {
		panic(fmt.Sprintf("epp: no request with %v ms a token runs", ms))
	}
	o.count--
	if o.kinds[i].count--; o.kinds[i].count == 0 {
		o.kinds = slices.Delete(o.kinds, i, i+1)
	}
}

// least is 0 where nothing runs, and where something does that was promised
// nothing.
func (o *tpotObjectives) least() float64 {
	if len(o.kinds) == 0 {
		return 0
	}
	return o.kinds[0].ms
}

func (o *tpotObjectives) Find(ms float64) (int, bool) {
	return slices.BinarySearchFunc(o.kinds, ms, func(k tpotObjective, ms float64) int { return cmp.Compare(k.ms, ms) })
}
