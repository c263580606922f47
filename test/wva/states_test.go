// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"math/rand/v2"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// states are random ones, of which many lie on a threshold or a trigger.
func states(n int) []State {
	r := rand.New(rand.NewPCG(1, 26))
	all := make([]State, n)
	for i := range all {
		c := config(r)
		s := State{Config: c}
		busy := r.Float64()
		for range r.IntN(9) {
			s.Replicas = append(s.Replicas, replica(r, &c, busy))
		}
		s.State = wva.State{Current: len(s.Replicas)}
		if r.IntN(4) == 0 {
			s.State.Current = max(0, s.State.Current+r.IntN(5)-2)
		}
		switch r.IntN(4) {
		case 0:
			s.State.Desired = r.IntN(9)
		case 1:
		default:
			s.State.Desired = s.State.Current
		}
		if r.IntN(4) == 0 {
			s.State.Pending = r.IntN(s.State.Current + 1)
		}
		all[i] = s
	}
	return all
}

// config is one that the controller accepts.
func config(r *rand.Rand) wva.Config {
	if r.IntN(3) == 0 {
		return wva.Config{KVCacheThreshold: 0.8, QueueLengthThreshold: 5, KVSpareTrigger: 0.1, QueueSpareTrigger: 3}
	}
	c := wva.Config{KVCacheThreshold: hundredths(r, 101), QueueLengthThreshold: float64(r.IntN(21)) / 2}
	c.KVSpareTrigger = min(hundredths(r, 41), c.KVCacheThreshold)
	c.QueueSpareTrigger = float64(r.IntN(13)) / 2
	return c
}

// replica is one whose load is a share of the thresholds, more or less.
func replica(r *rand.Rand, c *wva.Config, busy float64) wva.Replica {
	load := busy * r.Float64() * 1.3
	x := wva.Replica{KVUsage: min(load*c.KVCacheThreshold, 1), Waiting: int(load * c.QueueLengthThreshold)}
	switch r.IntN(6) {
	case 0:
		x.KVUsage = c.KVCacheThreshold
	case 1:
		x.KVUsage = c.KVCacheThreshold - c.KVSpareTrigger
	case 2:
		x.KVUsage = hundredths(r, 101)
	case 3:
		x.Waiting = r.IntN(12)
	}
	return x
}

func hundredths(r *rand.Rand, n int) float64 { return float64(r.IntN(n)) / 100 }
