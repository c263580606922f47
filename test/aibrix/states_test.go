// SPDX-License-Identifier: Apache-2.0

package aibrix

import (
	"math/rand/v2"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/aibrix"
)

// Sequence is a PodAutoscaler that the controller is asked about, time after time.
type Sequence struct {
	Config aibrix.Config
	Steps  []Step
}

// Step is what the controller sees at one time. Values are those of the pods, by metric.
type Step struct {
	Now     time.Duration
	Current int
	Values  [][]float64
}

// sequences are random ones, under a load that goes up and down.
func sequences(n int) []Sequence {
	r := rand.New(rand.NewPCG(3, 26))
	all := make([]Sequence, n)
	for i := range all {
		s := Sequence{Config: config(r)}
		current, load := s.Config.Min+r.IntN(s.Config.Max-s.Config.Min+1), r.Float64()*2
		now := time.Duration(r.IntN(1e9))
		for range 5 + r.IntN(30) {
			load = max(0, load+(r.Float64()-0.5)*0.8)
			if r.IntN(6) == 0 {
				load = r.Float64() * 6
			}
			if r.IntN(5) == 0 {
				current = r.IntN(s.Config.Max + 2)
			}
			s.Steps = append(s.Steps, Step{now, current, values(r, &s.Config, current, load)})
			now += time.Duration(r.IntN(20_000)) * time.Millisecond
		}
		all[i] = s
	}
	return all
}

func config(r *rand.Rand) aibrix.Config {
	c := aibrix.Default()
	c.Strategy, c.Min, c.Max, c.Targets = aibrix.KPA, r.IntN(3), 3+r.IntN(20), []float64{float64(1+r.IntN(40)) / 4}
	if r.IntN(2) == 0 {
		c.Strategy = aibrix.APA
	}
	if r.IntN(3) == 0 {
		c.Targets = append(c.Targets, float64(1+r.IntN(8)))
	}
	if r.IntN(2) == 0 {
		c.MaxScaleUpRate, c.MaxScaleDownRate = 1+float64(r.IntN(12))/4, 1+float64(r.IntN(12))/4
		c.UpTolerance, c.DownTolerance = float64(r.IntN(5))/10, float64(r.IntN(5))/10
		c.PanicThreshold = 1 + float64(r.IntN(8))/4
		c.UpCooldown, c.DownCooldown = time.Duration(r.IntN(60))*time.Second, time.Duration(r.IntN(120))*time.Second
		c.PanicWindow = time.Duration(5+r.IntN(60)) * time.Second
		c.Window = c.PanicWindow + time.Duration(r.IntN(120))*time.Second
	}
	return c
}

// values are those of the pods: nil of a first metric that has none though there are pods, and fewer
// of a second one, of which some pods lack it.
func values(r *rand.Rand, c *aibrix.Config, pods int, load float64) [][]float64 {
	all := make([][]float64, len(c.Targets))
	fails := pods > 0 && r.IntN(12) == 0
	for i, target := range c.Targets {
		if fails && i == 0 {
			continue
		}
		all[i] = []float64{}
		for range pods {
			all[i] = append(all[i], float64(int(load*target*(0.5+r.Float64())*64))/64)
		}
	}
	return all
}
