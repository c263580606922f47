// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"
)

// filled lets engines of the first pool have a use of the KV cache and a queue.
func (s *scene) filled(loads ...[2]float64) *scene {
	return s.sample(15*time.Second, func(x *Sample) {
		for i, load := range loads {
			x.Engines[i].KVUsage, x.Engines[i].Waiting = load[0], int(load[1])
		}
	})
}

func TestSaturation(t *testing.T) {
	decide(t, "saturation", map[string]decision{
		"no sample is no signal":             {newScene(2), nil, "2", "no signal"},
		"little room in the KV cache":        {newScene(2).filled([2]float64{0.75, 0}, [2]float64{0.72, 0}), nil, "3", "spare KV of 0.065"},
		"little room in the queue":           {newScene(2).filled([2]float64{0.2, 3}, [2]float64{0.2, 3}), nil, "3", "spare queue of 2, too little"},
		"all are saturated":                  {newScene(2).filled([2]float64{0.8, 0}, [2]float64{0.1, 5}), nil, "3", "0 replicas are not saturated"},
		"none is added while replicas start": {newScene(2).start(0, 1).filled([2]float64{0.8, 0}, [2]float64{0.1, 5}), nil, "3", "while 1 replica starts"},
		"saturated ones do not count":        {newScene(3).filled([2]float64{0.9, 9}, [2]float64{0.5, 1}, [2]float64{0.5, 1}), nil, "3", "one replica fewer would have too little"},
		"one fewer is enough":                {newScene(3).filled([2]float64{0.2, 1}, [2]float64{0.3, 1}, [2]float64{0.25, 1}), nil, "2", "enough with one replica fewer"},
		"one replica remains":                {newScene(1).bound(0, 0, 9).filled([2]float64{0, 0}), nil, "1", "stays at 1"},
	})
}
