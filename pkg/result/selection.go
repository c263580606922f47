// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// selection is what an outcome says of the requests that a selector chooses.
// The groups of documents are gathered from it.
type selection struct {
	Selector
	outcome *simulator.Result
	meta    *Meta
	// sum is the sum of the cells that are chosen. Good, MetTTFT, MetTPOT and
	// MetE2E count only requests of classes that have such a target.
	sum simulator.Cell
	// cells is the number of cells in sum.
	cells int
	// withTargets counts the arrivals of classes that have some target, the
	// others those of classes that have that one.
	withTargets, withTTFT, withTPOT, withE2E int64
	// firstWithTargets are those of withTargets that are first attempts.
	firstWithTargets int64
	// tenants is indexed like the labels.
	tenants []tenantTally
}

// newSelection adds up the cells that a selector chooses.
func newSelection(o *simulator.Result, meta *Meta, s Selector) *selection {
	in := &selection{Selector: s, outcome: o, meta: meta, tenants: make([]tenantTally, len(o.Labels.Tenants))}
	for i := range o.Cells {
		c := &o.Cells[i]
		pool := ""
		if c.Pool != simulator.NoPool {
			pool = o.Pools[c.Pool]
		}
		model := ""
		if c.Model > 0 {
			model = o.Labels.Models[c.Model-1]
		}
		if s.chooses(o.Labels.Classes[c.Class], o.Labels.Tenants[c.Tenant], pool, model) {
			in.add(c)
		}
	}
	return in
}

// newGroup gathers every subject's part.
func newGroup(o *simulator.Result, meta *Meta, s Selector) Group {
	in := newSelection(o, meta, s)
	g := Group{Selector: s}
	for _, part := range subjects {
		part.gather(in, &g)
	}
	return g
}

func (in *selection) add(c *simulator.Cell) {
	in.tenants[c.Tenant].add(c)
	counted := *c
	target := simulator.FindTarget(in.meta.Targets, in.meta.TenantTargets, c.Tenant, c.Class)
	// Where a class has no target, the simulator counts every completed request
	// as within it.
	count := func(has bool, arrived, met *int64) {
		if has {
			*arrived += c.Arrived
		} else {
			*met = 0
		}
	}
	count(target != (simulator.Target{}), &in.withTargets, &counted.Good)
	if target != (simulator.Target{}) {
		in.firstWithTargets += c.Arrived - c.Retries
	} else {
		counted.FirstGood = 0
	}
	count(target.TTFT != 0, &in.withTTFT, &counted.MetTTFT)
	count(target.TPOT != 0, &in.withTPOT, &counted.MetTPOT)
	count(target.E2E != 0, &in.withE2E, &counted.MetE2E)
	if in.cells++; in.cells == 1 {
		in.sum = counted // a single cell, as most small runs have, is not copied: sum shares its buckets
		return
	}
	if in.cells == 2 {
		first := in.sum
		in.sum = simulator.Cell{}
		mergeCell(&in.sum, &first)
	}
	mergeCell(&in.sum, &counted)
}

// mergeCell adds every counter and histogram of a cell to a sum, so that a new
// one needs no line here. Fields of type int are labels.
func mergeCell(sum, cell *simulator.Cell) {
	to, from := reflect.ValueOf(sum).Elem(), reflect.ValueOf(cell).Elem()
	for i := range to.NumField() {
		switch to.Field(i).Kind() {
		case reflect.Int:
		case reflect.Int64:
			to.Field(i).SetInt(to.Field(i).Int() + from.Field(i).Int())
		case reflect.Array:
			for j := range to.Field(i).Len() {
				counter := to.Field(i).Index(j)
				counter.SetInt(counter.Int() + from.Field(i).Index(j).Int())
			}
		default:
			h, ok := to.Field(i).Addr().Interface().(*stats.Histogram)
			if !ok {
				panic(fmt.Sprintf("result: simulator.Cell.%s is neither a counter nor a histogram", to.Type().Field(i).Name))
			}
			h.Merge(from.Field(i).Addr().Interface().(*stats.Histogram))
		}
	}
}

// allArrived counts the requests of all selections.
func (in *selection) allArrived() int64 {
	n := int64(0)
	for i := range in.outcome.Cells {
		n += in.outcome.Cells[i].Arrived
	}
	return n
}

// span is the time for which replicas were observed.
func (in *selection) span() time.Duration {
	return time.Duration(in.outcome.End) - in.meta.WarmUp
}

// present is how many of some replicas were there, on average over the span. It is
// their number exactly where all were there for all of it.
func (in *selection) present(uses iter.Seq[*simulator.ReplicaUse]) float64 {
	span, count := in.span(), 0
	var away time.Duration
	for use := range in.firstRanks(uses) {
		count++
		away += span - use.Present()
	}
	if away == 0 {
		return float64(count)
	}
	return float64(count) - float64(away)/float64(span)
}

// firstRanks leaves one rank of each replica, whose ranks are there together.
func (in *selection) firstRanks(uses iter.Seq[*simulator.ReplicaUse]) iter.Seq[*simulator.ReplicaUse] {
	return func(yield func(*simulator.ReplicaUse) bool) {
		places := make([]int, len(in.outcome.Pools))
		for use := range uses {
			places[use.Pool]++
			if (places[use.Pool]-1)%in.meta.ranksOf(use.Pool) == 0 && !yield(use) {
				return
			}
		}
	}
}

// serves reports whether the replicas of a pool are the selection's: those of its pool and
// its model; of all where it has none.
func (in *selection) serves(pool int) bool {
	return (in.Pool == "" || in.Pool == in.outcome.Pools[pool]) && (in.Model == "" || in.Model == in.meta.ModelOf(pool))
}

// uses are those of the selection's replicas.
func (in *selection) uses() iter.Seq[*simulator.ReplicaUse] { return usesOf(in.outcome, in.serves) }

// usesOf are those of the replicas of some pools.
func usesOf(o *simulator.Result, chosen func(pool int) bool) iter.Seq[*simulator.ReplicaUse] {
	return func(yield func(*simulator.ReplicaUse) bool) {
		for i := range o.Replicas {
			if use := &o.Replicas[i]; chosen(use.Pool) && !yield(use) {
				return
			}
		}
	}
}
