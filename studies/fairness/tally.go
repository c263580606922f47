// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// tenant is what one tenant asked for and got.
type tenant struct {
	cells simulator.Cell // their sum, as far as it is used
}

func (t *tenant) good() float64      { return float64(t.cells.Good) / float64(t.cells.Arrived) }
func (t *tenant) completed() float64 { return float64(t.cells.Completed) / float64(t.cells.Arrived) }
func (t *tenant) tokens() float64    { return float64(t.cells.PromptTokens + t.cells.OutputTokens) }

// tenants are those of an outcome, and the TTFT of all but the abuser.
type tenants struct {
	tenants map[string]*tenant
	ttft    stats.Histogram
}

func tally(o *simulator.Result) *tenants {
	all := &tenants{tenants: map[string]*tenant{}}
	for i := range o.Cells {
		c := &o.Cells[i]
		name := o.Labels.Tenants[c.Tenant]
		if all.tenants[name] == nil {
			all.tenants[name] = &tenant{}
		}
		sum := &all.tenants[name].cells
		sum.Arrived += c.Arrived
		sum.Completed += c.Completed
		sum.Good += c.Good
		sum.PromptTokens += c.PromptTokens
		sum.OutputTokens += c.OutputTokens
		if name != abuser {
			all.ttft.Merge(&c.TTFT)
		}
	}
	return all
}

// good is the share of the others' requests within the target.
func (all *tenants) good() float64 {
	good, arrived := int64(0), int64(0)
	for name, t := range all.tenants {
		if name != abuser {
			good, arrived = good+t.cells.Good, arrived+t.cells.Arrived
		}
	}
	return float64(good) / float64(arrived)
}

// jain is Jain's index of a figure over the tenants; 1 where all have none of it.
func (all *tenants) jain(of func(*tenant) float64) float64 {
	sum, squares := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(all.tenants)) {
		x := of(all.tenants[name])
		sum, squares = sum+x, squares+float64(x*x)
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(all.tenants)) * squares)
}
