// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// recommend asks all metrics and writes the largest proposal into d. It returns false if the
// sync ends without one: all metrics failed, or some did and the others would scale down.
func (a *Autoscaler) recommend(now simtime.Time, scale *Scale, observed []Observation, d *SyncResult) bool {
	a.proposals = a.proposals[:0]
	var largest int32
	chosen, failures := -1, 0
	var firstFailure Reason
	for i := range a.spec.Metrics {
		p := a.propose(now, &a.spec.Metrics[i], scale, &observed[i])
		a.proposals = append(a.proposals, p)
		if p.Failed != "" {
			if failures == 0 {
				firstFailure = p.Failed
			}
			failures++
			continue
		}
		// A largest of 0 counts as none yet, so a negative proposal can follow it.
		if largest == 0 || p.Replicas > largest {
			largest, chosen = p.Replicas, i
		}
	}
	d.Proposals = a.proposals
	if failures == len(a.spec.Metrics) || failures > 0 && largest < scale.Spec {
		d.Active = firstFailure
		return false
	}
	d.Active = ValidMetricFound
	d.Recommended, d.Chosen = max(largest, 0), chosen
	return true
}

// propose asks one metric.
func (a *Autoscaler) propose(now simtime.Time, m *Metric, scale *Scale, seen *Observation) Proposal {
	var p Proposal
	ok := false
	if !seen.Failed {
		switch {
		case m.Source.perPod():
			p, ok = a.proposeByPods(now, m, scale, seen.Readings)
		case m.Target.Type == AverageValue:
			p, ok = proposeByAverage(m, a.tolerance, scale, seen.Values)
		default:
			p, ok = proposeByValue(m, a.tolerance, scale, seen.Values)
		}
	}
	if !ok {
		return Proposal{Failed: failure(m.Source)}
	}
	return p
}

// count rounds up to a count of replicas. The real controller converts without bounds, and what
// it gets beyond them depends on the processor.
func count(replicas float64) int32 {
	replicas = math.Ceil(replicas)
	if replicas >= math.MaxInt32 {
		return math.MaxInt32
	}
	if replicas <= math.MinInt32 {
		return math.MinInt32
	}
	return int32(replicas)
}
