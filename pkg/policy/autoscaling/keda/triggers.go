// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"math"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// Answer is what a trigger says.
type Answer struct {
	Failed bool
	Value  float64
}

// Target is what fallbacks see of the target: the count that it is to have, and its pods that run
// and are ready.
type Target struct{ Replicas, Ready int32 }

// Activity returns whether any trigger is active, and whether any failed. answers has one entry
// for each trigger. A ScaledObject whose triggers are all for the autoscaler is always active.
func (s *Scaler) Activity(target Target, answers []Answer) (active, failed bool) {
	if s.spec.Modifiers != nil {
		return s.combinedActivity(target, answers)
	}
	asked := false
	for i := range s.spec.Triggers {
		t := &s.spec.Triggers[i]
		if !t.asked() {
			continue
		}
		asked = true
		if !answers[i].Failed {
			active = active || answers[i].Value > t.Activation
		}
		o := s.Observe(i, target, answers[i])
		failed = failed || o.Failed
		// A fallback counts as activity.
		active = active || answers[i].Failed && !o.Failed
	}
	return active || !asked, failed
}

// Observe returns what the autoscaler sees when it asks for the metric of a trigger. It counts
// failures in a row, and those that Activity sees are among them.
func (s *Scaler) Observe(trigger int, target Target, a Answer) hpa.Observation {
	if !a.Failed {
		s.failures[trigger] = 0
		return hpa.Observation{Values: []int64{thousandths(a.Value)}}
	}
	fallback := s.spec.Fallback
	if fallback == nil {
		return hpa.Observation{Failed: true}
	}
	s.failures[trigger]++
	if s.failures[trigger] <= fallback.FailureThreshold {
		return hpa.Observation{Failed: true}
	}
	value, ok := fallback.value(s.spec.Triggers[trigger].Metric.Target, target)
	if !ok {
		return hpa.Observation{Failed: true}
	}
	return hpa.Observation{Values: []int64{value}}
}

// value returns the value that makes the autoscaler want the fallback's count. There is none for a
// target of type Value without ready pods, by which the autoscaler would multiply.
func (f *Fallback) value(t hpa.Target, target Target) (int64, bool) {
	replicas := float64(f.count(target.Replicas))
	if t.Type == hpa.Value {
		if target.Ready == 0 {
			return 0, false
		}
		replicas /= float64(target.Ready)
	}
	return int64(float64(t.Value) * 1e-3 * 1000 * replicas), true
}

// count returns the replicas that the fallback holds.
func (f *Fallback) count(current int32) int32 {
	switch f.Behavior {
	case CurrentReplicas:
		return current
	case CurrentReplicasIfHigher:
		return max(current, f.Replicas)
	case CurrentReplicasIfLower:
		return min(current, f.Replicas)
	default:
		return f.Replicas
	}
}

// thousandths rounds a value by its decimal digits, as KEDA does, so that a tie is one of the exact
// number. What is no count of anything is 0, and a value beyond the range is the largest in it.
func thousandths(value float64) int64 {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return 0
	}
	var buffer [32]byte
	if value >= math.MaxInt64/1000 {
		return math.MaxInt64
	}
	total := int64(0)
	for _, digit := range strconv.AppendFloat(buffer[:0], value, 'f', 3, 64) {
		if digit != '.' {
			total = total*10 + int64(digit-'0')
		}
	}
	return total
}
