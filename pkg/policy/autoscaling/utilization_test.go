// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// busy lets each replica that serves work for a share of 45 s.
func (s *scene) busy(share float64) *scene {
	s.sample(15*time.Second, nil)
	return s.sample(60*time.Second, func(x *Sample) {
		for i := range x.Engines {
			if x.Engines[i].Up {
				x.Engines[i].Busy += time.Duration(share * 45e9)
			}
		}
	})
}

func TestUtilization(t *testing.T) {
	// begun has a replica that began to serve between the samples.
	begun := newScene(4).sample(15*time.Second, nil)
	begun.view.Pools[0].Replicas = append(begun.view.Pools[0].Replicas, Replica{Endpoint: 4, Stage: Serving, Ready: simtime.Time(20e9)})
	begun.view.Pools[0].Wanted = 5
	decide(t, "utilization", map[string]decision{
		"no sample is no signal":                   {newScene(4), nil, "4", "no signal"},
		"the target":                               {newScene(4).busy(0.7), nil, "4", "within tolerance"},
		"the upper end of the tolerance":           {newScene(4).busy(0.75), nil, "4", "within tolerance"},
		"above the tolerance":                      {newScene(4).busy(0.8), nil, "5", "busy 80 % of the time, for a target of 70 %"},
		"below the tolerance":                      {newScene(4).busy(0.35), nil, "2", "from 4 to 2"},
		"starting replicas have no load to take":   {newScene(4).start(0, 1).busy(0.8), nil, "5", "with 4 of 5 replicas measured"},
		"starting replicas are not enough":         {newScene(4).start(0, 1).busy(1), nil, "6", "from 5 to 6"},
		"starting replicas are full in a scale-in": {newScene(4).start(0, 4).busy(0.35), nil, "6", "from 8 to 6"},
		"a replica that has just begun":            {begun.busy(0.8), nil, "5", "with 4 of 5 replicas measured"},
		"each pool alone":                          {newScene(4, 10).busy(0.35), nil, "2:5", "prefill: from 4 to 2"},
	})
}
