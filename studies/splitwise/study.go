// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/study"
)

// scale is how much is simulated.
type scale struct {
	machines int
	// requests is how many of the code trace are sent in each simulation, and as
	// many of conversations; seeds how many simulations there are at each rate.
	requests, seeds int
	budgets         []int // tokens a step of mixed machines
	bandwidths      []int64
}

func fullScale() scale {
	return scale{
		machines: 10, requests: 8819, seeds: 3,
		budgets:    []int{512, 1024, 2048, 4096, wholePrompt},
		bandwidths: []int64{25e9, 50e9, 200e9, 400e9},
	}
}

// fastNetwork is that of a machine with eight adapters of 400 Gbit/s, over which
// KV goes layer by layer while prompts are computed.
var fastNetwork = network{bytesPerSecond: 400e9, granularity: simulator.GranularityStream}

// commonNetwork is one adapter of 400 Gbit/s, over which KV goes when the prompt
// is complete.
var commonNetwork = network{bytesPerSecond: 50e9, granularity: simulator.GranularityBlock}

// The workloads, in the order of all tables.
const (
	code = iota
	conversation
	workloads
)

var workloadNames = [workloads]string{"code", "conversation"}

// variant is one way to set the study up.
type variant struct {
	name    string
	machine machine
	network network
	// See trial.
	alone                        uncontended
	byPercentile, prefillAnswers bool
	// whole lets machines that compute prompts take whole ones, and no chunks.
	whole    bool
	requests [workloads][]lengths
}

// trial is one of its workloads on a cluster.
func (v *variant) trial(c cluster, workload, seeds int) trial {
	return trial{
		cluster: c, requests: v.requests[workload],
		alone: v.alone, byPercentile: v.byPercentile, prefillAnswers: v.prefillAnswers, seeds: seeds,
	}
}

// outcome is the highest rate of a cluster, and what the next one fails.
type outcome struct {
	cluster    cluster
	met, above verdict
}

// findings are a variant's: for each workload mixed clusters by budget, split
// ones by how many machines compute prompts, from 1, the best of the splits over
// other networks, and the smallest split cluster that serves the rate of the best
// mixed one.
type findings struct {
	variant  variant
	mixed    [workloads][]outcome
	split    [workloads][]outcome
	networks [workloads][]outcome
	smallest [workloads]cluster
}

// clusters fills in what is to be tried, but for the networks.
func (f *findings) clusters(s scale) {
	budget := defaultBudget
	budgets := s.budgets
	if f.variant.whole {
		budget, budgets = wholePrompt, []int{wholePrompt}
	}
	for w := range workloads {
		for _, b := range budgets {
			f.mixed[w] = append(f.mixed[w], outcome{cluster: cluster{machine: f.variant.machine, machines: s.machines, budget: b}})
		}
		for prefill := 1; prefill < s.machines; prefill++ {
			f.split[w] = append(f.split[w], outcome{cluster: cluster{
				machine: f.variant.machine, machines: s.machines, budget: budget, prefill: prefill, network: f.variant.network,
			}})
		}
	}
}

// otherNetworks fills in the best split over each network.
func (f *findings) otherNetworks(s scale) {
	for w := range workloads {
		c := best(f.split[w]).cluster
		for _, bandwidth := range s.bandwidths {
			for _, g := range granularities {
				c.network = network{bandwidth, g.granularity}
				f.networks[w] = append(f.networks[w], outcome{cluster: c})
			}
		}
	}
}

// granularities are what is sent at a time, by their names.
var granularities = [...]struct {
	name        string
	granularity simulator.Granularity
}{
	{"block", simulator.GranularityBlock}, {"chunk", simulator.GranularityChunk}, {"stream", simulator.GranularityStream},
}

// best returns the outcome with the highest rate, the first of equals.
func best(all []outcome) outcome {
	return slices.MaxFunc(all, func(a, b outcome) int {
		switch {
		case a.met.rate < b.met.rate:
			return -1
		case a.met.rate > b.met.rate:
			return 1
		}
		return 0
	})
}

// find searches the highest rates of all variants, and then those of the first
// one over other networks.
func find(variants []variant, s scale) ([]*findings, error) {
	var all []*findings
	var tasks []task
	for _, v := range variants {
		f := &findings{variant: v}
		f.clusters(s)
		all = append(all, f)
		for w := range workloads {
			tasks = append(tasks, f.tasks(w, f.mixed[w])...)
			tasks = append(tasks, f.tasks(w, f.split[w])...)
		}
	}
	if err := search(tasks, s.seeds); err != nil {
		return nil, err
	}
	first := all[0]
	first.otherNetworks(s)
	tasks = nil
	for w := range workloads {
		tasks = append(tasks, first.tasks(w, first.networks[w])...)
	}
	if err := search(tasks, s.seeds); err != nil {
		return nil, err
	}
	return all, study.ForEach(workloads, func(w int) error { return first.findSmallest(w, s.seeds) })
}

// findSmallest looks for the split cluster of the fewest machines that serves the
// rate of the best mixed one; of several with the fewest it takes the first.
func (f *findings) findSmallest(w, seeds int) error {
	c := best(f.split[w]).cluster
	for c.machines = 2; ; c.machines++ {
		for c.prefill = 1; c.prefill < c.machines; c.prefill++ {
			t := f.variant.trial(c, w, seeds)
			v, err := t.at(best(f.mixed[w]).met.rate)
			if err != nil {
				return err
			}
			if v.met() {
				f.smallest[w] = c
				return nil
			}
		}
		if c.machines == 2*best(f.mixed[w]).cluster.machines {
			f.smallest[w] = cluster{}
			return nil
		}
	}
}

// task is one search.
type task struct {
	to       *outcome
	variant  *variant
	workload int
}

func (f *findings) tasks(w int, outcomes []outcome) []task {
	var all []task
	for i := range outcomes {
		all = append(all, task{&outcomes[i], &f.variant, w})
	}
	return all
}

func search(tasks []task, seeds int) error {
	return study.ForEach(len(tasks), func(i int) error {
		k := tasks[i]
		t := k.variant.trial(k.to.cluster, k.workload, seeds)
		var err error
		if k.to.met, k.to.above, err = t.highestRate(); err != nil {
			return fmt.Errorf("%s, %s: %w", k.variant.name, workloadNames[k.workload], err)
		}
		return nil
	})
}
