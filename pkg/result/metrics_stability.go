// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Stability is what the controllers knew when arrivals ended: means over the
// replicas that had an estimate.
type Stability struct {
	// Watched is the number of replicas with a controller, Insufficient the
	// number of those that had seen too little for an estimate.
	Watched      int `json:"watched"`
	Insufficient int `json:"insufficient"`
	// Rho is the arrival rate ÷ the most that the KV cache lets through, Margin
	// 1 − Rho.
	Rho    *float64 `json:"rho,omitempty"`
	Margin *float64 `json:"margin,omitempty"`
	// CriticalRate is the arrival rate, per second, at which the cache just has
	// its safety margin; it is left out where some replica has no bound.
	CriticalRate *float64 `json:"criticalRate,omitempty"`
	// MinimumBlocks is how many blocks the arrivals need, safety margin
	// included.
	MinimumBlocks *float64 `json:"minimumBlocks,omitempty"`
	// RecommendedKVBits is how many bits an element of the KV cache should have
	// at this rate: a recommendation that has no effect in the simulation.
	RecommendedKVBits *float64 `json:"recommendedKVBits,omitempty"`
	// Unstable is the share of replicas whose queue is going to grow.
	Unstable *float64 `json:"unstable,omitempty"`
}

// stabilities are what stability controllers know of their replicas.
var stabilities = subject{
	gather: func(in *selection, g *Group) {
		if g.Replicas != nil {
			g.Replicas.Stability = in.stability()
		}
	},
	families: []family{{name: "stability", labels: replicaLabels, statistics: []statistic{
		stabilityOf("rho", Ratio, Minimize, "arrival rate ÷ the most requests a second that the KV cache lets through; the queue grows from 1 on", func(s *Stability) *float64 { return s.Rho }),
		stabilityOf("margin", Ratio, Maximize, "1 − rho", func(s *Stability) *float64 { return s.Margin }),
		stabilityOf("criticalRate", PerSecond, Maximize, "arrivals a second at which the KV cache just has its safety margin", func(s *Stability) *float64 { return s.CriticalRate }),
		stabilityOf("recommendedKVBits", Count, Maximize, "bits that an element of the KV cache should have at this rate: a recommendation that has no effect in the simulation", func(s *Stability) *float64 { return s.RecommendedKVBits }),
		stabilityOf("minimumBlocks", Count, Minimize, "KV blocks that a replica's arrivals need, safety margin included", func(s *Stability) *float64 { return s.MinimumBlocks }),
		stabilityOf("unstable", Share, Minimize, "replicas with a growing queue ÷ replicas with an estimate", func(s *Stability) *float64 { return s.Unstable }),
	}}},
}

func stabilityOf(name string, unit Unit, d Direction, help string, of func(*Stability) *float64) statistic {
	return statistic{
		name: name, unit: unit, direction: d, needs: NeedsStability,
		help: help + "; from a replica's controller at the end of the arrivals",
		value: ofReplicas(func(r *Replicas) (float64, bool) {
			if r.Stability == nil {
				return 0, false
			}
			return optional(of(r.Stability))
		}),
	}
}

// stability sums up the controllers of the selection's replicas; nil where there
// is none.
func (in *selection) stability() *Stability {
	s := &Stability{}
	var rho, critical, blocks, bits, unstable []float64
	for use := range in.uses() {
		state := use.Stability
		if state == nil {
			continue
		}
		s.Watched++
		if state.Insufficient {
			s.Insufficient++
			continue
		}
		rho = append(rho, state.Utilization)
		critical = append(critical, state.CriticalArrivalsPerSecond)
		blocks = append(blocks, float64(state.MinimumStableBlocks))
		bits = append(bits, float64(state.RecommendedKVBits))
		unstable = append(unstable, oneUnless(state.IsStable))
	}
	if s.Watched == 0 {
		return nil
	}
	s.Rho, s.CriticalRate, s.MinimumBlocks, s.Unstable = meanOf(rho), meanOf(critical), meanOf(blocks), meanOf(unstable)
	s.RecommendedKVBits = meanOf(bits)
	if s.Rho != nil {
		margin := 1 - *s.Rho
		s.Margin = &margin
	}
	return s
}

// stabilityStates are those of the replicas that are watched.
func stabilityStates(o *simulator.Result) []ReplicaStability {
	var all []ReplicaStability
	replica := make([]int, len(o.Pools))
	for use := range usesOf(o, func(int) bool { return true }) {
		if use.Stability != nil {
			all = append(all, ReplicaStability{Pool: o.Pools[use.Pool], Replica: replica[use.Pool], State: *use.Stability})
		}
		replica[use.Pool]++
	}
	return all
}

func oneUnless(b bool) float64 {
	if b {
		return 0
	}
	return 1
}

// meanOf returns the mean of values; nil without a finite one.
func meanOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := mean(values)
	if math.IsInf(m, 0) || math.IsNaN(m) {
		return nil
	}
	return &m
}
