// SPDX-License-Identifier: Apache-2.0

package dynamo

import "math"

// clamp keeps the replicas of all roles within the budget of GPUs, in proportion where there are two. The
// lower bound holds up to a replica where there is an upper one; the upper bound holds, or no replica is
// left where it is below what the least replicas need.
func (p *Planner) clamp(replicas []int) []int {
	total, step, least := 0, 0, 0
	for k, n := range replicas {
		gpus := p.models[k].GPUs
		total, step, least = total+n*gpus, max(step, gpus), least+p.config.Min[k]*gpus
	}
	lower, upper := p.config.MinGPUs, p.config.MaxGPUs
	if upper < 0 {
		step = 0
	}
	switch {
	case upper >= 0 && total > upper && upper < least:
		return make([]int, len(replicas))
	case upper >= 0 && total > upper:
		return p.fit(replicas, total, upper, math.Floor)
	case lower >= 0 && total < lower-step:
		return p.grow(replicas, total, lower, upper)
	}
	return replicas
}

// fit gives the first role its share of the GPUs, and the last one the rest.
func (p *Planner) fit(replicas []int, total, gpus int, round func(float64) float64) []int {
	to, left := make([]int, len(replicas)), gpus
	last := len(replicas) - 1
	if last > 0 {
		each := p.models[0].GPUs
		share := float64(gpus) / float64(total)
		n := int(round(float64(float64(replicas[0]) * share)))
		if total > gpus {
			n = min(n, (gpus-p.config.Min[1]*p.models[1].GPUs)/each)
		}
		to[0] = max(p.config.Min[0], n)
		left = gpus - to[0]*each
	}
	to[last] = max(p.config.Min[last], int(round(float64(left)/float64(p.models[last].GPUs))))
	return to
}

// grow adds replicas up to the lower bound; none where that goes above the upper one.
func (p *Planner) grow(replicas []int, total, lower, upper int) []int {
	var to []int
	if len(replicas) == 2 && total == 0 {
		each := p.models[0].GPUs
		first := max(p.config.Min[0], int(math.Ceil(float64(lower)/2/float64(each))))
		to = []int{first, max(p.config.Min[1], int(math.Ceil(float64(max(0, lower-first*each))/float64(p.models[1].GPUs))))}
	} else {
		to = p.fit(replicas, total, lower, math.Ceil)
	}
	if len(to) == 2 && upper >= 0 && to[0]*p.models[0].GPUs+to[1]*p.models[1].GPUs > upper {
		return replicas
	}
	return to
}
