// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"time"
)

// tokensPerSecond is a rule by the tokens that a pool works off. Prefill has those of
// prompts, decode those of answers, and of a pool that does both the greater need counts.
type tokensPerSecond struct {
	prompt, generated float64 // of one replica; NaN is not looked at
	tolerance         float64
	window            time.Duration
}

func readTokensPerSecond(l *loader) func() Scaler {
	t := tokensPerSecond{
		prompt:    l.Positive("promptTarget", math.NaN(), "the prompt tokens per second that one replica is to work off, cached ones included"),
		generated: l.Positive("generatedTarget", math.NaN(), "the tokens of answers per second that one replica is to give"),
		tolerance: readTolerance(l),
		window:    l.window("window", time.Minute, "the time over which tokens are counted"),
	}
	const why = "state what one replica is to do: about 0.7 of the rate at which it is saturated"
	if len(l.world.Pools) > 1 {
		l.Require("promptTarget", why)
		l.Require("generatedTarget", why)
	} else if math.IsNaN(t.prompt) && math.IsNaN(t.generated) {
		l.unusable("there is no target: set parameter promptTarget or generatedTarget")
	}
	return eachPoolOf(l, t, readCooldowns(l, time.Minute, 5*time.Minute))
}

// promptTokens counts the prompt tokens that an engine has begun to work off.
func promptTokens(e *Engine) int64 { return e.Counters.PrefixCacheQueries }

func (t tokensPerSecond) propose(at *place) proposal {
	s := at.Monitor.Latest(at.Now)
	if s == nil || s.scraped(at.pool) == 0 {
		return at.keep("no signal: no replica is up")
	}
	split := len(at.Pools) > 1
	load, kind, rate, target := math.Inf(-1), "", 0.0, 0.0
	look := func(name string, counter func(*Engine) int64, goal float64) {
		tokens, span, ok := at.Increase(at.pool, t.window, counter)
		if !ok {
			return
		}
		perSecond := float64(tokens) / span.Seconds()
		at.note(name+" tokens per second", perSecond)
		if perSecond/goal > load {
			load, kind, rate, target = perSecond/goal, name, perSecond, goal
		}
	}
	if !math.IsNaN(t.prompt) && (!split || at.k == 0) {
		look("prompt", promptTokens, t.prompt)
	}
	if !math.IsNaN(t.generated) && (!split || at.k == 1) {
		look("generated", (*Engine).GenerationTokens, t.generated)
	}
	if kind == "" {
		return at.keep("no signal: fewer than two samples in %s", t.window)
	}
	to, within := proportional(load, s.scraped(at.pool), at.pool.Wanted, t.tolerance)
	if within {
		return at.keep("%.5g %s tokens/s need %.3g replicas at %.5g, within tolerance", rate, kind, load, target)
	}
	return proposal{to, reasonf("%.5g %s tokens/s need %.3g replicas at %.5g", rate, kind, load, target)}
}
