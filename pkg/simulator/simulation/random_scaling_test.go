// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// moodySteps is how many looks a moody scaler takes before it wants all replicas for good. A scaler
// that changes its mind periodically may remove each replica before it answers, and then a run has no end.
const moodySteps = 5000

// moody is a scaler that wants something else at each look at what it sees, and notes it.
type moody struct {
	router *scatter
	steps  int
}

func (m *moody) Scale(v *autoscaling.View, wanted []int) autoscaling.Reason {
	m.steps++
	hash := m.steps * 7
	line := fmt.Sprintf("scaler at %v: %+v", v.Now, v.Pools)
	if s := v.Monitor.Latest(v.Now); s != nil {
		line += fmt.Sprintf(" %+v", *s)
		hash += int(s.Gateway.Arrived) + s.Gateway.Queued
		for i := range s.Engines {
			hash += s.Engines[i].Waiting + int(s.Engines[i].Counters.InterTokenLatency.Count)
		}
	}
	m.router.log = append(m.router.log, line)
	for k := range wanted {
		switch {
		case m.steps > moodySteps:
			wanted[k] = v.Pools[k].Max
		case hash%3 > 0:
			wanted[k] = (hash + 5*k) % (v.Pools[k].Max + 2)
		}
	}
	return "a whim"
}

// Fires has the scaler asked now and then.
func (m *moody) Fires(v *autoscaling.View) bool {
	m.steps++
	return m.steps%3 == 0
}

// randomScaling has scalers start and end the replicas of all pools.
func randomScaling(c *choices, config *simulator.Config) {
	config.Disruptions = nil
	if c.pick(2) == 0 {
		config.NodePools = []simulator.NodePool{{
			Accelerators: 2 + c.pick(3), MaxNodes: 8, Provisioning: randomDelay(c), FailureShare: float64(c.pick(3)) / 4,
			IdleTimeout: time.Duration(c.pick(2) * (1 + c.pick(40))),
		}}
	}
	config.AwaitReplicas = time.Duration(c.pick(2) * (1 + c.pick(60)))
	var pools []int
	for i := range config.Pools {
		p := &config.Pools[i]
		p.MaxReplicas = max(p.Replicas, 1+c.pick(4))
		p.Cost.PerOutputToken = config.Pools[0].Cost.PerOutputToken
		p.Startup = simulator.Startup{
			Provisioning: randomDelay(c), ImagePull: randomDelay(c), ModelLoad: randomDelay(c), FailureShare: float64(c.pick(3)) / 4,
			WarmUp: simulator.WarmUp{Duration: time.Duration(c.pick(2) * c.pick(60)), Curve: simulator.WarmUpCurve(c.pick(3)), Penalty: 1 + float64(c.pick(5))/2},
		}
		p.Ending = simulator.Ending{Mode: simulator.EndingMode(c.pick(3)), Timeout: time.Duration(c.pick(2) * c.pick(60)), Poll: time.Duration(1 + c.pick(9))}
		if len(config.NodePools) > 0 && c.pick(3) > 0 {
			p.NodePool, p.Accelerators = 1, 1+c.pick(2)
			config.NodePools[0].Nodes += p.Replicas
		}
		pools = append(pools, i)
	}
	if len(config.NodePools) > 0 {
		config.NodePools[0].MaxNodes = max(config.NodePools[0].Nodes, c.pick(9))
	}
	units := [][]int{pools}
	if len(pools) > 1 && c.pick(2) == 0 {
		units = [][]int{pools[:1], pools[1:]}
	}
	if config.Routers() > 1 {
		units = poolsByRouter(config)
	}
	for i, pools := range units {
		u := simulator.ScaledUnit{Name: fmt.Sprint("unit ", i), Pools: pools, Router: config.Pools[pools[0]].Router, Interval: time.Duration(5 + c.pick(50))}
		endpoints := 0
		for _, p := range pools {
			u.Min, u.Max = append(u.Min, c.pick(2)), append(u.Max, 1+c.pick(config.Pools[p].MaxReplicas))
			endpoints += config.Pools[p].MaxReplicas
		}
		u.Monitor = autoscaling.NewMonitor(endpoints, time.Duration(3+c.pick(20)), time.Duration(c.pick(30)), 100)
		m := &moody{router: scatterOf(config)}
		u.Scaler = m
		if c.pick(2) == 0 {
			u.Trigger = m
		}
		config.Scaling = append(config.Scaling, u)
	}
}

func randomDelay(c *choices) simulator.Delay {
	return simulator.Delay{Mean: time.Duration(c.pick(25)), Variation: float64(c.pick(3)) / 4}
}
