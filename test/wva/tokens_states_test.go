// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"fmt"
	"math/rand/v2"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// Sequence is a model that the analyser by tokens is asked about, time after time.
type Sequence struct {
	Config wva.TokensConfig
	Steps  []Step
}

// Step is the model at one time.
type Step struct {
	Variants []wva.Variant
	Queue    wva.Queue
}

// sequences are random ones: a model with a variant, with several, or with roles, of which some
// have no replica, under a load that goes from none to several times what it can serve.
func sequences(n int) []Sequence {
	r := rand.New(rand.NewPCG(2, 26))
	all := make([]Sequence, n)
	for i := range all {
		s := Sequence{Config: tokensConfig(r)}
		variants := variantsOf(r)
		for range 1 + r.IntN(5) {
			s.Steps = append(s.Steps, step(r, variants))
		}
		all[i] = s
	}
	return all
}

func tokensConfig(r *rand.Rand) wva.TokensConfig {
	c := wva.TokensConfig{KVCacheThreshold: 0.8, QueueLengthThreshold: 5, ScaleUpThreshold: 0.85, ScaleDownBoundary: 0.7, Priority: 1, Score: 1}
	if r.IntN(3) == 0 {
		c.KVCacheThreshold, c.QueueLengthThreshold = float64(30+r.IntN(71))/100, 1+float64(r.IntN(21))/2
		c.ScaleDownBoundary = float64(10+r.IntN(80)) / 100
		c.ScaleUpThreshold = c.ScaleDownBoundary + 0.01*float64(1+r.IntN(9))
	}
	if r.IntN(4) == 0 {
		c.Limits = map[string]int{}
		for _, name := range accelerators {
			if r.IntN(4) > 0 {
				c.Limits[name] = r.IntN(24) - 1
			}
		}
		c.Priority, c.Score = float64(1+r.IntN(8))/4, float64(1+r.IntN(8))/4
	}
	return c
}

var accelerators = []string{"H100", "H200", "L40S"}

// variantsOf are the Deployments of a model. No two of one role are alike, so that the analyser
// does not choose between them at random.
func variantsOf(r *rand.Rand) []wva.Variant {
	roles := [][]string{{wva.Both}, {wva.Both, wva.Both}, {wva.Both, wva.Both, wva.Both}, {wva.Prefill, wva.Decode}, {wva.Prefill, wva.Decode, wva.Decode}, {wva.Prefill, wva.Decode, wva.Both}}[r.IntN(6)]
	var all []wva.Variant
	for i, role := range roles {
		v := wva.Variant{
			Name: fmt.Sprintf("v%d", i), Role: role, Accelerator: accelerators[r.IntN(3)], GPUs: 1 << r.IntN(4), Cost: 5 + float64(r.IntN(40)) + float64(i)/8,
			BatchedTokens: int64(1024 << r.IntN(4)), Sequences: int64(32 << r.IntN(5)),
		}
		if r.IntN(3) == 0 {
			v.Min = r.IntN(3)
		}
		if r.IntN(2) == 0 {
			v.Max = v.Min + 1 + r.IntN(10)
		}
		all = append(all, v)
	}
	return all
}

// step is the model at one time.
func step(r *rand.Rand, variants []wva.Variant) Step {
	s := Step{}
	load := r.Float64() * 1.2
	input, output := 20+r.Float64()*4000, 10+r.Float64()*900
	for _, v := range variants {
		v.Current = r.IntN(5)
		if r.IntN(4) == 0 {
			v.Pending = r.IntN(v.Current + 1)
		}
		ranks := 1
		if r.IntN(5) == 0 {
			ranks = 2 << r.IntN(2)
		}
		capacity := int64(20_000 + r.IntN(600_000))
		for range (v.Current - v.Pending) * ranks {
			if r.IntN(20) == 0 {
				continue // no metrics yet
			}
			v.Engines = append(v.Engines, tokensEngine(r, capacity, load, input, output))
		}
		s.Variants = append(s.Variants, v)
	}
	if r.IntN(3) == 0 {
		s.Queue.Requests = int64(r.IntN(400))
		s.Queue.Bytes = s.Queue.Requests * int64(r.IntN(20_000))
	}
	return s
}

func tokensEngine(r *rand.Rand, capacity int64, load, input, output float64) wva.Engine {
	e := wva.Engine{Capacity: capacity, InUse: min(capacity, int64(load*r.Float64()*float64(capacity)))}
	if r.IntN(8) > 0 {
		e.Input, e.Output = float64(int(input*(0.8+0.4*r.Float64())))+hundredths(r, 100), float64(int(output*(0.8+0.4*r.Float64())))+hundredths(r, 100)
		e.HitRate = hundredths(r, 101)
	}
	if r.Float64() < load {
		e.Waiting = r.IntN(12)
	}
	return e
}
