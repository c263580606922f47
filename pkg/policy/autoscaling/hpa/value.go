// SPDX-License-Identifier: Apache-2.0

package hpa

import "math"

// proposeByValue compares the sum of the values with the target, whatever the count of replicas.
func proposeByValue(m *Metric, t tolerance, scale *Scale, values []int64) (Proposal, bool) {
	if len(values) == 0 {
		return Proposal{}, false
	}
	usage := sum(values)
	ratio := float64(usage) / float64(m.Target.Value)
	if t.holds(ratio) {
		return Proposal{Replicas: scale.Spec, Usage: usage}, true
	}
	if len(scale.Pods) == 0 {
		return Proposal{}, false
	}
	ready := 0
	for i := range scale.Pods {
		if scale.Pods[i].runsReady() {
			ready++
		}
	}
	return Proposal{Replicas: count(ratio * float64(ready)), Usage: usage}, true
}

// proposeByAverage compares the sum of the values with the target of all replicas together. It
// takes the replicas of the status, where other metrics take those of the spec.
func proposeByAverage(m *Metric, t tolerance, scale *Scale, values []int64) (Proposal, bool) {
	if len(values) == 0 {
		return Proposal{}, false
	}
	usage := sum(values)
	if m.Source == External && negativeOnTheWay(values) {
		usage = math.MaxInt64
	}
	p := Proposal{Replicas: scale.Status, Usage: mean(usage, scale.Status)}
	all := float64(m.Target.Value) * float64(scale.Status)
	if !t.holds(float64(usage) / all) {
		p.Replicas = count(float64(usage) / float64(m.Target.Value))
	}
	return p, true
}

// sum adds the values, up to the largest that fits.
func sum(values []int64) int64 {
	total := int64(0)
	for _, v := range values {
		if v > 0 && total > math.MaxInt64-v {
			return math.MaxInt64
		}
		total += v
	}
	return total
}

// negativeOnTheWay reports whether a sum so far is negative. The real controller takes that for
// an overflow.
func negativeOnTheWay(values []int64) bool {
	total := int64(0)
	for _, v := range values {
		if total += v; total < 0 {
			return true
		}
	}
	return false
}

// mean returns the usage of a replica, rounded up, for the status. It is 0 without replicas.
func mean(usage int64, replicas int32) int64 {
	if usage == math.MaxInt64 {
		return usage
	}
	if replicas == 0 {
		return 0
	}
	return int64(math.Ceil(float64(usage) / float64(replicas)))
}
