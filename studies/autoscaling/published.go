// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// publishedCase is a published case: what a policy sees of a unit with some replicas.
type publishedCase struct {
	name            string
	prefill, decode int // prefill 0 is one pool
	perSecond       int64
	late            bool
}

// published is a case with the answers of both forms.
type published struct {
	publishedCase
	heteroscale string
	// seed has the answers by the way to round; empty for one pool.
	seed []string
}

// each is how many tokens per second each decode replica has to give with a way to round.
func (p *published) each(rounding int) string {
	var prefill, decode int
	if _, err := fmt.Sscanf(p.seed[rounding], "%d + %d", &prefill, &decode); err != nil {
		panic(fmt.Sprintf("autoscaling: the answer %q: %v", p.seed[rounding], err))
	}
	return fmt.Sprintf("%.0f", float64(p.perSecond)/float64(decode))
}

// roundings are the ways in which the seed's form rounds.
var roundings = []string{"ceil", "example", "code"}

// cases are H1 to H5. The tokens are per second; a target is 100 of them.
var cases = []publishedCase{
	{"H1: 2500 tokens/s, target 100", 10, 30, 2500, false},
	{"H2: time between tokens 0.145 s, above 0.12 s", 10, 30, 2900, true},
	{"H3: 1500 tokens/s", 12, 36, 1500, false},
	{"H4: late tokens with 1 replica", 1, 1, 90, true},
	{"H4: late tokens with 2 replicas", 1, 2, 190, true},
	{"H4: late tokens with 3 replicas", 1, 3, 290, true},
	{"H4: late tokens with 4 replicas", 1, 4, 390, true},
	{"H5: demand exactly 0.9 of what decode is to give", 10, 30, 2700, false},
	{"H5: demand exactly 1.1 of what decode is to give", 10, 30, 3300, false},
	{"H5: exactly 0.9 of prefill and decode together", 10, 30, 3600, false},
	{"H5: exactly 1.1 of prefill and decode together", 10, 30, 4400, false},
}

// publishedCases asks the policies.
func publishedCases() ([]published, error) {
	var all []published
	for _, c := range cases {
		p := published{publishedCase: c}
		var err error
		if p.heteroscale, err = c.ask("heteroscale", nil); err != nil {
			return nil, err
		}
		for _, rounding := range roundings {
			answer, err := c.ask("heteroscale-seed", map[string]string{"rounding": rounding})
			if err != nil {
				return nil, err
			}
			p.seed = append(p.seed, answer)
		}
		all = append(all, p)
	}
	return all, nil
}

const (
	scrapes = 15 * time.Second
	most    = 100 // replicas of a pool
)

// ask returns the replicas that a policy wants.
func (c publishedCase) ask(policy string, parameters map[string]string) (string, error) {
	world := autoscaling.World{ScrapeInterval: scrapes}
	view := &autoscaling.View{Monitor: autoscaling.NewMonitor(2*most, scrapes, 0, time.Hour)}
	counts := []int{c.prefill, c.decode}
	for k, name := range []string{"prefill", "decode"} {
		world.Pools = append(world.Pools, autoscaling.PoolBounds{Name: name, Min: 1, Max: most})
		pool := autoscaling.Pool{First: k * most, Endpoints: most, Min: 1, Max: most, Wanted: counts[k]}
		for i := range counts[k] {
			pool.Replicas = append(pool.Replicas, autoscaling.Replica{Endpoint: pool.First + i, Stage: autoscaling.Serving})
		}
		view.Pools = append(view.Pools, pool)
	}
	config, errs := autoscaling.Load(autoscaling.Spec{Name: policy, Parameters: parameters}, world, field.NewPath("policy"))
	if len(errs) > 0 {
		return "", errs.ToAggregate()
	}
	const window = 3 * scrapes
	c.sample(view, 0, 0)
	c.sample(view, window, c.perSecond*int64(window/time.Second))
	config.New().Scale(view, counts)
	return fmt.Sprintf("%d + %d", counts[0], counts[1]), nil
}

// sample takes a sample in which decode has given a number of tokens since the start.
func (c publishedCase) sample(view *autoscaling.View, at time.Duration, tokens int64) {
	view.Now = simtime.Time(at)
	s := view.Monitor.Take(view.Now)
	s.Gateway.Arrived = 10 // in flight
	for k := range view.Pools {
		for _, r := range view.Pools[k].Replicas {
			s.Engines[r.Endpoint].Up = true
		}
	}
	first := &s.Engines[view.Pools[1].First]
	first.Counters.InterTokenLatency.Count = tokens
	between := 20 * time.Millisecond
	if c.late {
		between = 145 * time.Millisecond
	}
	first.InterTokenLatency.Observe(autoscaling.InterTokenLatencyBounds, between, tokens)
}
