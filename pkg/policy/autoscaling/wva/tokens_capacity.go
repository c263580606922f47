// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"math"
	"sort"
)

// A historyKey names engines that are taken to be alike: those of one accelerator and number of
// GPUs, with answers of a length.
type historyKey struct {
	accelerator string
	gpus        int
	answers     int
}

// remembered is how many observations of an engine's capacity are kept.
const remembered = 10

// answerClass is 0 for short answers, 1 for medium ones and 2 for long ones.
func answerClass(tokens float64) int {
	switch {
	case tokens < 100:
		return 0
	case tokens < 500:
		return 1
	default:
		return 2
	}
}

// record is what is known of a variant without engines.
type record struct {
	accelerator string
	gpus        int
	// batched are the tokens of a step.
	batched int64
	// capacity is that of the engine that was measured last, where one was (live); else the tokens
	// of a step.
	capacity int64
	live     bool
}

// capacityOf is what was found of a variant.
type capacityOf struct {
	// engines and pending count replicas in engines.
	engines, pending int
	capacity, demand float64
	source           Source
	// accelerator and cost are those of the metrics, so that a variant without engines has none.
	accelerator string
	cost        float64
}

// capacities measures all variants.
func (t *Tokens) capacities(variants []Variant) []capacityOf {
	for i := range variants {
		t.learnLimits(&variants[i])
	}
	measured := make([][]engineCapacity, len(variants))
	for i := range variants {
		for j := range variants[i].Engines {
			measured[i] = append(measured[i], t.measure(&variants[i], &variants[i].Engines[j]))
		}
	}
	found := make([]capacityOf, len(variants))
	input, output, _ := meanLengths(variants)
	for i := range variants {
		found[i] = t.ofVariant(variants, i, measured[i], input, output)
	}
	return found
}

// learnLimits notes the limits of a variant of which no engine was measured yet.
func (t *Tokens) learnLimits(v *Variant) {
	if !t.records[v.Name].live {
		t.records[v.Name] = record{accelerator: v.Accelerator, gpus: v.GPUs, batched: v.BatchedTokens, capacity: v.BatchedTokens}
	}
}

// engineCapacity is the capacity of an engine and the demand on it.
type engineCapacity struct {
	capacity, demand int64
	source           Source
}

// measure measures an engine, and remembers its capacity.
func (t *Tokens) measure(v *Variant, e *Engine) engineCapacity {
	memory := int64(float64(e.Capacity) * t.config.KVCacheThreshold)
	compute, source := t.compute(v, e, memory)
	c := engineCapacity{min(memory, compute), e.InUse + waitingDemand(v.Role, e), source}
	r := t.records[v.Name]
	t.records[v.Name] = record{accelerator: v.Accelerator, gpus: v.GPUs, batched: r.batched, capacity: c.capacity, live: true}
	return c
}

// compute is how many tokens an engine can work on, whatever its memory holds.
func (t *Tokens) compute(v *Variant, e *Engine, memory int64) (int64, Source) {
	key := historyKey{v.Accelerator, v.GPUs, answerClass(e.Output)}
	if e.Waiting >= int(t.config.QueueLengthThreshold) && e.InUse > 0 {
		t.history[key] = append(t.history[key], e.InUse)
		t.history[key] = t.history[key][max(0, len(t.history[key])-remembered):]
		return e.InUse, Observed
	}
	if known := t.history[key]; len(known) > 0 {
		sum := 0.0
		for _, x := range known {
			sum += float64(x)
		}
		return int64(sum / float64(len(known))), Historical
	}
	if n := derived(v.BatchedTokens, v.Sequences, e.Input, e.Output); n > 0 {
		return n, Derived
	}
	return memory, Memory
}

// derived is how many tokens the requests hold that the limits of a step keep going.
func derived(batched, sequences int64, input, output float64) int64 {
	if batched <= 0 || output <= 0 {
		return 0
	}
	requests := min(float64(float64(batched)*output)/(input+output), float64(sequences))
	return int64(requests * (input + output/2))
}

// waitingDemand are the tokens that the requests in an engine's queue will hold.
func waitingDemand(role string, e *Engine) int64 {
	each := e.Input
	if role != Prefill {
		each += e.Output
	}
	demand := float64(e.Waiting) * each
	if !(demand > 0) || demand >= math.MaxInt64 {
		return 0
	}
	return int64(demand)
}

// ofVariant sums up the engines of a variant.
func (t *Tokens) ofVariant(variants []Variant, at int, engines []engineCapacity, input, output float64) capacityOf {
	v := &variants[at]
	ready := max(v.Current-v.Pending, 0)
	f := capacityOf{engines: ready, pending: v.Pending}
	if len(engines) == 0 {
		f.capacity, f.source = t.stored(variants, v, input, output), Stored
		return f
	}
	for i := range engines {
		f.demand += float64(engines[i].demand)
	}
	f.engines, f.cost, f.accelerator = len(engines), v.Cost, v.Accelerator
	if ready > 0 {
		if ranks := len(engines) / ready; ranks > 1 {
			f.pending = v.Pending * ranks
		}
	}
	// Of engines of one capacity, the order decides whose source is shown: it is that of sort.Slice.
	sort.Slice(engines, func(i, j int) bool { return engines[i].capacity < engines[j].capacity })
	middle, n := (len(engines)-1)/2, len(engines)
	f.capacity, f.source = float64((engines[middle].capacity+engines[n/2].capacity)/2), engines[middle].source
	return f
}

// stored is the capacity that is remembered of a variant without engines.
func (t *Tokens) stored(variants []Variant, v *Variant, input, output float64) float64 {
	r := t.records[v.Name]
	if !r.live {
		if n := derived(r.batched, v.Sequences, input, output); n > 0 {
			if other := t.alike(variants, &r); other != nil && other.live {
				n = min(n, other.capacity)
			}
			return float64(n)
		}
	}
	return float64(r.capacity)
}

// alike is the record of a variant with engines as those of a record, which the record itself has
// too; one that was measured if there is one.
func (t *Tokens) alike(variants []Variant, of *record) *record {
	var best *record
	for i := range variants {
		r := t.records[variants[i].Name]
		if r.accelerator == of.accelerator && r.gpus == of.gpus && r.batched == of.batched && (best == nil || r.live && !best.live) {
			best = &r
		}
	}
	return best
}

// meanLengths are the means over all engines that finished requests.
func meanLengths(variants []Variant) (input, output, hits float64) {
	n := 0.0
	for i := range variants {
		for j := range variants[i].Engines {
			if e := &variants[i].Engines[j]; e.Input > 0 || e.Output > 0 {
				input, output, hits, n = input+e.Input, output+e.Output, hits+e.HitRate, n+1
			}
		}
	}
	if n > 0 {
		input, output, hits = input/n, output/n, hits/n
	}
	return input, output, hits
}
