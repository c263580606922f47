// SPDX-License-Identifier: Apache-2.0

package planner

import (
	"math/rand/v2"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/dynamo"
)

// Sequence is a deployment that the planner is asked about, time after time.
type Sequence struct {
	Config dynamo.Config
	// Interval is the time between two decisions in seconds, of which the throughput loop runs at each Every.
	Interval, Every int
	Limits          []dynamo.Limits
	// Forward are the milliseconds of a step, of a prompt token, of an answer, and of a token held.
	Forward [4]float64
	Steps   []Step
}

// Step is the deployment at one time.
type Step struct {
	Pools   []dynamo.Pool
	Traffic dynamo.Traffic
}

// sequences are random ones of one role or two, under a load that goes from none to several times what
// the engines can serve, of which many lie on a threshold.
func sequences(n int) []Sequence {
	r := rand.New(rand.NewPCG(4, 26))
	all := make([]Sequence, n)
	for i := range all {
		roles := 1 + r.IntN(2)
		s := Sequence{Config: config(r, roles), Interval: 5, Every: 2 + r.IntN(3), Forward: [4]float64{1 + float64(r.IntN(20)), float64(1+r.IntN(60)) / 1024, float64(r.IntN(200)) / 1024, float64(r.IntN(8)) / 65536}}
		for range roles {
			s.Limits = append(s.Limits, dynamo.Limits{
				GPUs: 1 << r.IntN(3), BatchedTokens: 1024 << r.IntN(4), Sequences: 16 << r.IntN(6),
				ContextTokens: 4096 << r.IntN(4), KVTokens: 20_000 + r.IntN(400_000), Drafts: max(0, r.IntN(6)-3),
			})
		}
		load := r.Float64()
		for range 4 + r.IntN(16) {
			if r.IntN(3) == 0 {
				load = r.Float64() * 1.6
			}
			s.Steps = append(s.Steps, step(r, &s, load))
		}
		all[i] = s
	}
	return all
}

func config(r *rand.Rand, roles int) dynamo.Config {
	c := dynamo.Config{
		Target: []dynamo.Target{dynamo.Throughput, dynamo.Latency, dynamo.Load, dynamo.SLA, dynamo.SLA, dynamo.SLA}[r.IntN(6)],
		TTFT:   500, ITL: 50, Sensitivity: 80, MinGPUs: -1, MaxGPUs: 8,
		PrefillUp: 1000 + r.IntN(4000), PrefillDown: r.IntN(900), DecodeUp: float64(50 + r.IntN(50)), DecodeDown: float64(r.IntN(49)),
		Predictor: dynamo.PredictorConfig{Kalman: r.IntN(2) == 0, QLevel: 1, QTrend: 0.1, R: 10, MinPoints: 5},
	}
	loops := 1 + r.IntN(3)
	c.Load, c.Throughput = loops&1 > 0, loops&2 > 0
	if r.IntN(2) == 0 {
		c.TTFT, c.ITL, c.Sensitivity = float64(20+r.IntN(900)), float64(3+r.IntN(60)), float64(30+r.IntN(80))
		c.MaxGPUs = r.IntN(60) - 1
		c.Predictor.Log1p, c.Predictor.MinPoints = r.IntN(2) == 0, 1+r.IntN(4)
		c.Predictor.QLevel, c.Predictor.R = float64(1+r.IntN(30))/4, float64(1+r.IntN(80))/4
	}
	if r.IntN(4) == 0 {
		c.MinGPUs = r.IntN(12)
	}
	for range roles {
		c.Min = append(c.Min, 1)
	}
	if r.IntN(3) == 0 {
		for k := range c.Min {
			c.Min[k] = r.IntN(4)
		}
	}
	return c
}

func step(r *rand.Rand, s *Sequence, load float64) Step {
	input, output := 20+r.IntN(4000), 5+r.IntN(600)
	at := Step{Traffic: dynamo.Traffic{HitRate: float64(r.IntN(101)) / 100, Accepted: 1 + float64(r.IntN(9))/4}}
	if r.IntN(8) > 0 {
		at.Traffic.Requests = float64(int(load * float64(r.IntN(2000))))
	}
	if at.Traffic.Requests > 0 {
		at.Traffic.Input, at.Traffic.Output = float64(input)+float64(r.IntN(8))/8, float64(output)+float64(r.IntN(8))/8
	}
	for k := range s.Limits {
		at.Pools = append(at.Pools, pool(r, s, k, load, input))
	}
	return at
}

func pool(r *rand.Rand, s *Sequence, k int, load float64, input int) dynamo.Pool {
	p := dynamo.Pool{Ready: 1 + r.IntN(5)}
	p.Expected = p.Ready
	switch r.IntN(16) {
	case 0:
		p.Expected++
	case 1:
		p.Ready, p.Expected = 0, r.IntN(2)
	}
	ranks, measured := 1, p.Ready
	switch r.IntN(16) {
	case 0:
		ranks = 2 << r.IntN(2)
	case 1:
		measured = r.IntN(p.Ready + 2)
	case 2:
		measured = 0
	}
	for worker := range measured {
		for rank := range ranks {
			p.Engines = append(p.Engines, engine(r, s, k, worker, rank, load, input))
		}
	}
	return p
}

func engine(r *rand.Rand, s *Sequence, k, worker, rank int, load float64, input int) dynamo.Engine {
	l, e := &s.Limits[k], dynamo.Engine{Worker: worker, Rank: rank}
	first, last := k == 0, k == len(s.Limits)-1
	if first && r.IntN(3) > 0 {
		e.Scheduled.Prefills = 1 + r.IntN(3)
		e.Scheduled.PrefillTokens = min(l.BatchedTokens, e.Scheduled.Prefills*input)
	}
	if first && r.Float64() < load {
		e.Queued.Prefills = 1 + r.IntN(6)
		e.Queued.PrefillTokens = e.Queued.Prefills * input
		switch r.IntN(12) {
		case 0:
			e.Queued.PrefillTokens = l.ContextTokens
		case 1:
			e.Queued.PrefillTokens = s.Config.PrefillUp
		case 2:
			e.Queued.PrefillTokens = s.Config.PrefillDown
		}
	}
	if last {
		e.Scheduled.DecodeTokens = int(load * (0.5 + r.Float64()/2) * float64(l.KVTokens))
		if r.IntN(12) == 0 {
			e.Scheduled.DecodeTokens = l.KVTokens
		}
		e.Scheduled.Decodes = min(l.Sequences, e.Scheduled.DecodeTokens/max(1, input))
		if r.Float64() < load/2 {
			e.Queued.Decodes = 1 + r.IntN(4)
			e.Queued.DecodeTokens = e.Queued.Decodes * input
		}
	}
	return e
}
