// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// setting is what a policy has to cope with.
type setting struct {
	load    *load
	cluster *cluster
	// startup is the time that a replica takes to start.
	startup time.Duration
}

// lead is how far ahead a policy has to look: a replica that is asked for serves then at the
// latest.
func (s *setting) lead() time.Duration { return s.startup + interval }

// interval is the time between two decisions: the default.
const interval = 15 * time.Second

// contender is a policy with its parameters.
type contender struct {
	name, policy string
	// parameters are those that the setting demands; all others have their defaults. nil is
	// none.
	parameters func(s *setting) map[string]string
	// rate is what a fixed number of replicas is for, by which no replica ever starts; nil
	// for other policies.
	rate func(*load) float64
	// rounds is how often the load is sent; the last time is measured.
	rounds int
	// reacts says that the policy knows nothing of the future.
	reacts bool
	// can reports whether the policy can be used in a setting; nil is always.
	can func(s *setting) bool
}

// forPeak and forMean are the names of the fixed numbers.
const forPeak, forMean = "fixed, for the peak", "fixed, for the mean"

// contenders are the policies in the order of the tables.
func contenders() []contender {
	repeats := func(s *setting) bool { return s.load.repeats }
	return []contender{
		{name: forPeak, policy: "fixed", rate: (*load).peak},
		{name: forMean, policy: "fixed", rate: (*load).mean},
		{name: "schedule", policy: "schedule", parameters: func(s *setting) map[string]string {
			return map[string]string{"at": s.schedule()}
		}},
		{name: "utilization", policy: "utilization", reacts: true},
		{name: "queue-length", policy: "queue-length", reacts: true},
		{name: "latency", policy: "latency", reacts: true},
		{name: "tokens-per-second", policy: "tokens-per-second", reacts: true, parameters: (*setting).tokens},
		{name: "saturation", policy: "saturation", reacts: true},
		{name: "heteroscale", policy: "heteroscale", reacts: true, parameters: (*setting).heteroscale},
		{name: "heteroscale-seed", policy: "heteroscale-seed", parameters: (*setting).heteroscale, can: (*setting).split},
		{name: "predictive", policy: "predictive", reacts: true, parameters: (*setting).capacity},
		{name: "predictive, seasonal", policy: "predictive", rounds: 2, can: repeats, parameters: func(s *setting) map[string]string {
			p := s.capacity()
			p["method"], p["period"] = "seasonal", s.load.length().String()
			return p
		}},
		{name: "predictive-oracle", policy: "predictive-oracle", parameters: (*setting).capacity},
	}
}

func (s *setting) split() bool { return len(s.cluster.pools) > 1 }

// capacity is what the predictive policies have to know.
func (s *setting) capacity() map[string]string {
	p := map[string]string{"lead": s.lead().String(), "headroom": decimal(headroom)}
	for i, pool := range s.cluster.pools {
		p["capacity:"+s.cluster.run.Spec.Scenario.Pools[i].Name] = decimal(pool.requests)
	}
	return p
}

// tokens are the targets of one replica, with headroom. A pool that does both phases has
// that of answers alone.
func (s *setting) tokens() map[string]string {
	p := map[string]string{"generatedTarget": perReplica(s.decode().generatedTokens)}
	if s.split() {
		p["promptTarget"] = perReplica(s.cluster.pools[0].promptTokens)
	}
	return p
}

// heteroscale has the tokens of one decode replica, and the target of the SLO.
func (s *setting) heteroscale() map[string]string {
	return map[string]string{
		"targetDecodeTPS": perReplica(s.decode().generatedTokens),
		"tbtSLOSeconds":   decimal(s.cluster.run.Spec.Scenario.SLOs[0].TPOT.Duration().Seconds()),
	}
}

func (s *setting) decode() abilities { return s.cluster.pools[len(s.cluster.pools)-1] }

// perReplica writes tokens per second, without the headroom.
func perReplica(tokens float64) string { return fmt.Sprintf("%.0f", tokens/(1+headroom)) }

// schedule is that of an operator who knows the load, and asks for more replicas as long
// before they are needed as they take to start.
func (s *setting) schedule() string {
	var list []string
	at := time.Duration(0)
	add := func(at time.Duration, counts []int) { list = append(list, fmt.Sprintf("%s=%s", at, listed(counts))) }
	for i, st := range s.load.stages {
		counts := s.cluster.need(st.perSecond)
		add(at, counts)
		at += st.lasts
		if i+1 == len(s.load.stages) {
			break
		}
		next := s.cluster.need(s.load.stages[i+1].perSecond)
		for k := range next {
			next[k] = max(next[k], counts[k])
		}
		if !slices.Equal(next, counts) {
			add(at-s.lead(), next)
		}
	}
	return strings.Join(list, ",")
}

// edits are the changes of the cluster's run.
func (c *contender) edits(s *setting) []edit {
	if c.rate != nil {
		return []edit{replicas(s.cluster.need(c.rate(s.load))), func(to *v1alpha1.Scenario) { s.load.arrivals(to, 1) }}
	}
	return []edit{replicas(s.cluster.start(s.load)), func(to *v1alpha1.Scenario) {
		s.load.arrivals(to, max(c.rounds, 1))
		// A machine first, then the engine: it costs all the time.
		half := v1alpha1.Duration((s.startup / 2).String())
		for i := range to.Pools {
			to.Pools[i].Startup = &v1alpha1.Startup{Provisioning: half, ModelLoad: half}
		}
		scaler := &to.Scalers[0]
		scaler.Policy, scaler.Parameters = c.policy, map[string]v1alpha1.PolicyParameter{}
		if c.parameters == nil {
			return
		}
		for name, value := range c.parameters(s) {
			scaler.Parameters[name] = v1alpha1.PolicyParameter(value)
		}
	}}
}

// start is the replicas at the start: those for the first rate, in the ratio of 1 to 3 where
// there are two pools.
func (c *cluster) start(l *load) []int {
	if len(c.pools) > 1 {
		return []int{1, 3}
	}
	return c.need(l.stages[0].perSecond)
}
