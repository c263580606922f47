// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// cluster is a target whose pods follow the autoscaler, under a load that changes.
type cluster struct {
	r       *rand.Rand
	metrics []hpa.Metric
	pods    []hpa.Pod
	// ends has when each pod that terminates is gone.
	ends    []simtime.Time
	startUp time.Duration
	load    func(seconds float64) float64
	odd     float64
	syncs   int
}

// newCluster returns a cluster of some pods, which have run for long.
func newCluster(r *rand.Rand, spec hpa.Spec, syncs int) *cluster {
	return &cluster{
		r:       r,
		metrics: hpa.Defaults(spec).Metrics,
		startUp: time.Duration(pick[int64](r, 5, 20, 45, 130)) * time.Second,
		load:    randomLoad(r, float64(spec.Max)),
		odd:     pick(r, 0, 0, 0.02, 0.1),
		syncs:   syncs,
	}
}

// randomLoad returns how many pods the load needs over time.
func randomLoad(r *rand.Rand, most float64) func(float64) float64 {
	low, high := r.Float64()*min(4, most), r.Float64()*min(1.5*most, 40)
	period := float64(between(r, 120, 900))
	switch r.IntN(4) {
	case 0:
		return func(s float64) float64 { return low + (high-low)*(0.5-0.5*math.Cos(2*math.Pi*s/period)) }
	case 1:
		return func(s float64) float64 {
			if math.Mod(s, period) < period/3 {
				return high
			}
			return low
		}
	case 2:
		return func(s float64) float64 { return low + (high-low)*s/600 }
	default:
		return func(float64) float64 { return low + (high-low)*r.Float64() }
	}
}

// next returns what the next sync sees.
func (c *cluster) next(now simtime.Time, replicas int32) *Sync {
	if c.syncs--; c.syncs < 0 {
		return nil
	}
	first := len(c.pods) == 0 && now == 0
	if first {
		replicas = int32(between(c.r, 1, 6))
	} else {
		now = now.Add(pick(c.r, 15*time.Second, 15*time.Second, 15*time.Second, 15*time.Second+37*time.Millisecond))
	}
	if chance(c.r, 0.02) || replicas == 0 && chance(c.r, 0.3) {
		replicas = int32(pick[int64](c.r, 0, 1, between(c.r, 0, 60)))
	}
	c.follow(now, int(replicas))
	if first {
		for i := range c.pods {
			c.pods[i] = hpa.Pod{Phase: hpa.Running, Readiness: hpa.Ready, Start: -simtime.Time(time.Hour), Transition: -simtime.Time(time.Hour)}
		}
	}
	return c.see(now, replicas)
}

// follow makes the pods do what the time and the count ask for.
func (c *cluster) follow(now simtime.Time, replicas int) {
	for i := len(c.pods) - 1; i >= 0; i-- {
		if p := &c.pods[i]; p.Terminating && now >= c.ends[i] {
			c.pods, c.ends = slices.Delete(c.pods, i, i+1), slices.Delete(c.ends, i, i+1)
		}
	}
	for i := range c.pods {
		c.age(now, &c.pods[i])
	}
	alive := 0
	for i := range c.pods {
		if c.pods[i].Terminating {
			continue
		}
		if alive++; alive > replicas {
			c.pods[i].Terminating = true
			c.ends[i] = now.Add(pick(c.r, 10*time.Second, 30*time.Second, 60*time.Second))
		}
	}
	for ; alive < replicas; alive++ {
		c.pods = append(c.pods, hpa.Pod{Phase: hpa.Pending})
		c.ends = append(c.ends, 0)
	}
}

// age moves a pod on: to its node, to readiness, and seldom out of it.
func (c *cluster) age(now simtime.Time, p *hpa.Pod) {
	switch {
	case p.Phase == hpa.Pending:
		p.Phase, p.Readiness = hpa.Running, hpa.NotReady
		p.Start, p.Transition = now, now
	case p.Phase == hpa.Running && p.Readiness == hpa.NotReady && now >= p.Start.Add(c.startUp):
		p.Readiness, p.Transition = hpa.Ready, now
	case chance(c.r, c.odd/10):
		p.Phase = hpa.Failed
	case p.Readiness == hpa.Ready && chance(c.r, c.odd/5):
		p.Readiness, p.Transition = pick(c.r, hpa.NotReady, hpa.Unknown), now
	}
}

// see returns a sync's view: the pods, and metrics of a load that the ready pods share.
func (c *cluster) see(now simtime.Time, replicas int32) *Sync {
	s := &Sync{At: now, Scale: hpa.Scale{Spec: replicas, Pods: slices.Clone(c.pods)}}
	ready := 0
	for _, p := range c.pods {
		if !p.Terminating && p.Phase != hpa.Failed {
			s.Scale.Status++
		}
		if p.Readiness == hpa.Ready {
			ready++
		}
	}
	load := c.load(now.Seconds())
	for _, m := range c.metrics {
		ratio := load / float64(max(ready, 1))
		if m.Source == hpa.Object || m.Source == hpa.External {
			ratio = load / float64(max(s.Scale.Status, 1))
		}
		s.Observed = append(s.Observed, randomObservation(c.r, m, &s.Scale, now, c.odd, ratio))
	}
	return s
}
