// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomRanks makes each replica some ranks, most of which step together.
func randomRanks(c *choices, config *simulator.Config) {
	for i := range config.Pools {
		p := &config.Pools[i]
		p.Ranks = c.pick(4)
		p.Replicas, p.MaxReplicas = p.Replicas*p.RanksPerReplica(), p.MaxReplicas*p.RanksPerReplica()
		p.OnePort = p.Ranks > 1 && (config.Seed/8+int64(i))%2 == 0
		if c.pick(4) > 0 {
			p.LockStep = slowestAndShared{own: p.Timer, shared: time.Duration(c.pick(3))}
		}
	}
}

// slowestAndShared lasts as long as the step of the slowest rank, and some more for each
// token of any.
type slowestAndShared struct {
	own    latency.StepTimer
	shared time.Duration
}

func (t slowestAndShared) GroupStepTime(ranks []latency.Step) time.Duration {
	slowest, tokens := time.Duration(0), 0
	for _, s := range ranks {
		slowest = max(slowest, t.own.StepTime(s))
		tokens += s.PrefillTokens + s.DecodeTokens
	}
	return slowest + t.shared*time.Duration(tokens)
}

// ranks reads which replicas of a script are the ranks of one.
func (l line) ranks(p *simulator.Pool) {
	p.Ranks, p.OnePort = l.number("ranks"), slices.Contains(l.names, "oneport")
	if own, shared, ok := strings.Cut(l.values["lockstep"], ":"); ok {
		p.LockStep = slowestAndShared{
			own:    tokenStep{base: l.duration("step"), token: l.parseDuration(own)},
			shared: l.parseDuration(shared),
		}
	}
}

// tokenStep takes a time for each token, whatever is done with it.
type tokenStep struct{ base, token time.Duration }

func (t tokenStep) StepTime(s latency.Step) time.Duration {
	return t.base + t.token*time.Duration(s.PrefillTokens+s.DecodeTokens)
}
