// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"time"
)

// heteroscaleSeed is heteroscale to the letter of its description, to show what its
// faults cost:
//   - the target of one decode replica divides into prefill and decode together, so decode
//     gets too little,
//   - what is served stands for what is asked for, so an overload does not show,
//   - nothing that is served is no replica,
//   - 20 % more of up to four replicas are as many as before, though the cooldown begins,
//   - the cooldowns run apart, and late tokens do not hold a scale-in back.
type heteroscaleSeed struct {
	target, ratio float64
	rounding      string
	out, in       float64
	panics        bool
	late, factor  float64
	quantile      float64
	window        time.Duration
	cooldowns     cooldowns
}

func readHeteroscaleSeed(l *loader) func() Scaler {
	h := heteroscaleSeed{
		rounding: l.Choice("rounding", "how the replicas are rounded: by the formula, which rounds prefill up; as the worked example, which rounds prefill to the nearest; or as the code, which rounds each pool to the nearest", "ceil", "example", "code"),
		target:   l.Positive("targetDecodeTPS", 100, "the tokens per second by which the replicas of prefill and decode together are counted"),
		ratio:    l.Between("pdRatio", 0.001, 1000, 0.33, "prefill replicas ÷ decode replicas"),
		out:      l.Between("scaleOutThreshold", 0, 10, 0.1, "the share by which the replicas needed must exceed those there are"),
		in:       l.Between("scaleInThreshold", 0, 0.99, 0.1, "the share by which they must fall short"),
		panics:   l.Choice("latencyTrigger", "whether late tokens have replicas added at once", "true", "false") == "true",
	}
	slo := l.Positive("tbtSLOSeconds", 0.1, "the target of the time between tokens in seconds")
	h.late = slo * l.Positive("panicThreshold", 1.2, "the multiple of tbtSLOSeconds above which tokens are late")
	h.factor = l.Between("panicFactor", 1, 100, 1.2, "the factor by which the replicas grow where tokens are late, rounded down")
	h.quantile = l.Between("quantile", 0.01, 0.999, 0.95, "the quantile of the time between tokens that is compared")
	if !h.panics {
		l.noLateTokens()
	}
	h.window = l.window("window", time.Minute, "the time over which tokens and latencies are counted")
	out := l.Delay("scaleOutCooldown", 3*time.Minute, "how long after a scale-out there is no other one")
	in := l.Delay("scaleInCooldown", 10*time.Minute, "how long after a scale-in there is no other one")
	h.cooldowns = newCooldowns(out, in, 0)
	if len(l.world.Pools) == 1 {
		l.unusable("the policy needs a prefill and a decode pool; the unit has one pool")
	}
	return func() Scaler { one := h; return &one }
}

func (h *heteroscaleSeed) Scale(view *View, wanted []int) Reason {
	pool := &view.Pools[1]
	tokens, span, ok := view.Increase(pool, h.window, (*Engine).GenerationTokens)
	if !ok {
		return Reason(fmt.Sprintf("stays at %s: no signal: fewer than two samples in %s", listed(wanted), h.window))
	}
	was, mayGrow := listed(wanted), h.cooldowns.until(true) <= view.Now
	tbt, observed := view.Quantile(pool, h.window, InterTokenLatency, h.quantile)
	if observed {
		view.Note("time between tokens (s)", tbt)
	}
	if h.panics && tbt > h.late && mayGrow {
		h.cooldowns.changed(view.Now, true)
		for k := range wanted {
			wanted[k] = int(float64(wanted[k]) * h.factor)
		}
		return Reason(fmt.Sprintf("from %s to %s: time between tokens is %.3g s, above %.3g s", was, listed(wanted), tbt, h.late))
	}
	served := float64(tokens) / span.Seconds()
	sizes, expected := h.sizes(served)
	change := expected / float64(wanted[0]+wanted[1])
	view.Note("served (tokens/s)", served)
	view.Note("replicas needed ÷ replicas", change)
	why := reasonf("%.5g tokens/s need %.5g replicas, %.3g of those there are", served, expected, change)
	out := change > 1+h.out
	switch until := h.cooldowns.until(out); {
	case !out && !(change < 1-h.in):
		return Reason(fmt.Sprintf("stays at %s: %s, within the thresholds", was, why))
	case until > view.Now:
		return Reason(fmt.Sprintf("stays at %s in the cooldown until %s: %s", was, until, why))
	}
	h.cooldowns.changed(view.Now, out)
	copy(wanted, sizes[:])
	return Reason(fmt.Sprintf("from %s to %s: %s", was, listed(wanted), why))
}

// sizes returns the replicas of prefill and decode for a rate, and the number that is
// compared with those there are.
func (h *heteroscaleSeed) sizes(served float64) (all [2]int, expected float64) {
	total := served / h.target
	prefill := total / (1 + 1/h.ratio)
	decode := float64(prefill * (1 / h.ratio))
	switch h.rounding {
	case "ceil":
		prefill = math.Ceil(prefill)
		decode = math.RoundToEven(prefill / h.ratio)
		expected = total
	case "example":
		prefill = math.RoundToEven(prefill)
		decode = math.RoundToEven(prefill / h.ratio)
		expected = prefill + decode
	default:
		expected = prefill + decode
		prefill, decode = math.RoundToEven(prefill), math.RoundToEven(decode)
	}
	return [2]int{int(prefill), int(decode)}, expected
}
