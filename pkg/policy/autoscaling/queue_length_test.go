// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"
)

// waiting lets requests wait at the gateway and in the first engine of each pool.
func (s *scene) waiting(gateway, engine int) *scene {
	return s.sample(15*time.Second, func(x *Sample) {
		x.Gateway.Arrived, x.Gateway.Queued = 1000, gateway
		for k := range s.view.Pools {
			x.Engines[s.view.Pools[k].First].Waiting = engine
		}
	})
}

func TestQueueLength(t *testing.T) {
	step := []string{"scaleOut=step", "step=2"}
	decide(t, "queue-length", map[string]decision{
		"no sample is no signal":               {newScene(4), nil, "4", "no signal: there is no sample"},
		"no replica that is up is no signal":   {newScene(0).start(0, 2).sample(0, nil), nil, "2", "no signal: no replica is up"},
		"at the target":                        {newScene(4).waiting(0, 20), nil, "4", "20 requests wait, 5 for each replica"},
		"as many as are needed":                {newScene(4).waiting(0, 41), nil, "9", "10.2 for each replica, above 5"},
		"requests at the gateway count":        {newScene(4).waiting(41, 0), nil, "9", "41 requests wait"},
		"they count for the first pool":        {newScene(4, 4).waiting(21, 20), nil, "9:4", "decode: stays at 4"},
		"starting replicas count":              {newScene(4).start(0, 5).waiting(0, 41), nil, "9", "4.56 for each replica"},
		"a step":                               {newScene(4).waiting(0, 41), step, "6", "above 5"},
		"no further step while replicas start": {newScene(4).start(0, 2).waiting(0, 41), step, "6", "while 2 replicas start"},
		"few requests wait":                    {newScene(4).waiting(0, 1), nil, "3", "below 0.5"},
		"few requests wait, by steps":          {newScene(4).waiting(0, 1), step, "2", "below 0.5"},
		"some requests wait":                   {newScene(4).waiting(0, 2), nil, "4", "between 0.5 and 5"},
		"at the minimum":                       {newScene(1).waiting(0, 0), nil, "1", "its minimum, instead of 0"},
	})
}
