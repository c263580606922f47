// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// heteroscale sizes decode by the tokens per second that are asked for, and prefill by a
// fixed ratio to decode. Where tokens come too late, both grow at once by a factor.
//
// Tokens that are served do not show an overload, so the growth of the queue counts as
// well. Shares and rates are compared as whole numbers, so that a load exactly at a
// threshold changes nothing.
//
// Source: the description of an autoscaler of a simulator (2025) after HeteroScale
// (arXiv 2508.19559), with corrections; heteroscale-seed has what it says.
type heteroscale struct {
	target          int64 // thousandths of a token per second
	prefill, decode int   // the ratio
	out, in         int64 // millionths
	panics          bool
	late            float64 // seconds between tokens
	factor          int64   // millionths
	quantile        float64
	window          time.Duration
	// answer is the mean number of tokens of an answer when last known.
	answer    float64
	cooldowns cooldowns
}

const million = 1_000_000

func readHeteroscale(l *loader) func() Scaler {
	h := heteroscale{prefill: 1, decode: 1}
	h.target = int64(math.Round(1000 * l.Between("targetDecodeTPS", 0.001, 1e9, 100, "the tokens per second that one decode replica is to give")))
	if len(l.world.Pools) != 1 {
		h.prefill = l.Count("prefillShare", 1, "the prefill replicas of the ratio; the unit has a prefill and a decode pool")
		h.decode = l.Count("decodeShare", 3, "the decode replicas of the ratio")
	} else {
		l.forbidRatio("prefillShare", "decodeShare")
	}
	h.out = millionths(l.Between("scaleOutThreshold", 0, 10, 0.1, "the share by which the demand must exceed the replicas for a scale-out"))
	h.in = millionths(l.Between("scaleInThreshold", 0, 0.99, 0.1, "the share by which the demand must fall short of the replicas for a scale-in"))
	h.panics = l.Choice("latencyTrigger", "whether late tokens have replicas added at once", "true", "false") == "true"
	slo := l.Positive("tbtSLOSeconds", 0.1, "the target of the time between tokens in seconds")
	h.late = slo * l.Positive("panicThreshold", 1.2, "the multiple of tbtSLOSeconds above which tokens are late")
	h.factor = millionths(l.Between("panicFactor", 1, 100, 1.2, "the factor by which the replicas grow where tokens are late, by at least 1"))
	h.quantile = l.Between("quantile", 0.01, 0.999, 0.95, "the quantile of the time between tokens that is compared")
	if !h.panics {
		l.noLateTokens()
	}
	h.window = l.window("window", time.Minute, "the time over which tokens and latencies are counted")
	out := l.Delay("scaleOutCooldown", 3*time.Minute, "how long after a scale-out there is no other change")
	in := l.Delay("scaleInCooldown", 10*time.Minute, "how long after a scale-in there is no other one")
	h.cooldowns = newCooldowns(out, in, out)
	return func() Scaler { one := h; return &one }
}

// noLateTokens adds an error for each parameter that is stated though no token counts as late.
func (l *loader) noLateTokens() {
	l.noEffect("with latencyTrigger=false", "tbtSLOSeconds", "panicThreshold", "panicFactor", "quantile")
}

// forbidRatio adds an error for each parameter that is stated though there is one pool.
func (l *loader) forbidRatio(names ...string) {
	for _, name := range names {
		if l.stated(name) {
			l.Word(name, "", "")
			l.Invalid(name, "must not be set for one pool: it is of the ratio of prefill to decode")
		}
	}
}

func millionths(share float64) int64 { return int64(math.Round(share * million)) }

// demand is what heteroscale reads.
type demand struct {
	// asked is what is served and what the growth of the queue adds, in thousandths of
	// a token per second.
	asked int64
	// grows says that more requests wait than at the start of the window, idle that none
	// is in flight and no token was given.
	grows, idle bool
	// late says that tokens are late.
	late bool
	tbt  float64
}

func (h *heteroscale) Scale(view *View, wanted []int) Reason {
	d, missing := h.read(view)
	if missing != "" {
		return Reason(fmt.Sprintf("stays at %s: no signal: %s", listed(wanted), missing))
	}
	decode := &view.Pools[len(view.Pools)-1]
	need := max(int((d.asked+h.target-1)/h.target), 1)
	rate := float64(d.asked) / 1000
	have := uint64(h.target) * uint64(decode.Wanted)
	view.Note("demand (tokens/s)", rate)
	view.Note("decode replicas needed", float64(need))
	state := reasonf("%.5g tokens/s are asked for, and decode is to give %.5g", rate, float64(have)/1000)
	starting := unitStarts(view)
	switch {
	case d.idle:
		return h.settle(view, wanted, h.least(view), false, "no request is in flight")
	case d.late && starting > 0:
		return Reason(fmt.Sprintf("stays at %s: time between tokens is %.3g s, above %.3g s, while %s", listed(wanted), d.tbt, h.late, starts(starting)))
	case d.late:
		return h.settle(view, wanted, h.grown(view, need), true, reasonf("time between tokens is %.3g s, above %.3g s", d.tbt, h.late))
	case greater(uint64(d.asked), million, have, uint64(million+h.out)):
		return h.settle(view, wanted, h.sizes(view, need, true), true, state)
	case !greater(have, uint64(million-h.in), uint64(d.asked), million):
		return Reason(fmt.Sprintf("stays at %s: %s, within the thresholds", listed(wanted), state))
	case d.grows:
		return Reason(fmt.Sprintf("stays at %s: %s, but the queue grows", listed(wanted), state))
	default:
		return h.settle(view, wanted, h.sizes(view, need, false), false, state)
	}
}

// greater reports whether a·b > c·d.
func greater(a, b, c, d uint64) bool {
	high1, low1 := bits.Mul64(a, b)
	high2, low2 := bits.Mul64(c, d)
	return high1 > high2 || high1 == high2 && low1 > low2
}

// read returns the demand, or what is missing.
func (h *heteroscale) read(view *View) (d demand, missing string) {
	pool := &view.Pools[len(view.Pools)-1]
	oldest, newest, count := view.Monitor.Range(view.Now, h.window)
	switch {
	case count < 2:
		return d, fmt.Sprintf("fewer than two samples in %s", h.window)
	case newest.scraped(pool) == 0:
		return d, "no decode replica is up"
	}
	tokens, span, _ := view.Increase(pool, h.window, (*Engine).GenerationTokens)
	if ended := newest.Gateway.Completed - oldest.Gateway.Completed; ended > 0 {
		// Not the tokens given: those of requests in flight are of no ended answer.
		h.answer = float64(newest.Gateway.AnswerTokens-oldest.Gateway.AnswerTokens) / float64(ended)
	}
	growth := newest.queue() - oldest.queue()
	perSecond := float64(tokens) * 1e9 / float64(span)
	asked := perSecond + float64(float64(max(growth, 0))*h.answer*1e9/float64(span))
	d.asked = int64(math.Round(asked * 1000))
	d.grows, d.idle = growth > 0, tokens == 0 && newest.Gateway.InFlight() == 0
	view.Note("served (tokens/s)", perSecond)
	view.Note("growth of the queue", float64(growth))
	if h.panics {
		seconds, ok := view.Quantile(pool, h.window, InterTokenLatency, h.quantile)
		d.tbt, d.late = seconds, ok && seconds > h.late
		if ok {
			view.Note("time between tokens (s)", seconds)
		}
	}
	return d, ""
}

// queue counts the requests that wait, wherever they do.
func (s *Sample) queue() int {
	n := s.Gateway.Queued + s.Gateway.Awaiting
	for i := range s.Engines {
		n += s.Engines[i].Waiting
	}
	return n
}

func unitStarts(view *View) int {
	n := 0
	for k := range view.Pools {
		n += view.Pools[k].starting()
	}
	return n
}

// least returns the minimum of each pool.
func (h *heteroscale) least(view *View) [2]int {
	var all [2]int
	for k := range view.Pools {
		all[k] = view.Pools[k].Min
	}
	return all
}

// grown returns the sizes by the factor, and at least those that the demand needs. Each
// pool grows by at least 1, unless decode has its maximum: tokens come no sooner then.
func (h *heteroscale) grown(view *View, need int) [2]int {
	last := len(view.Pools) - 1
	all := h.sizes(view, max(h.more(view.Pools[last].Wanted), need), true)
	if last > 0 && all[last] > view.Pools[last].Wanted {
		all[0] = max(all[0], view.Pools[0].bounded(h.more(view.Pools[0].Wanted)))
	}
	return all
}

// more returns a number by the factor, at least 1 more.
func (h *heteroscale) more(n int) int {
	return max(int((int64(n)*h.factor+million-1)/million), n+1)
}

// sizes returns the sizes of the pools for a number of decode replicas: within the bounds, in
// the ratio as far as these allow. A scale-out takes no replica away, and a scale-in adds
// no decode replica.
func (h *heteroscale) sizes(view *View, need int, out bool) [2]int {
	if len(view.Pools) == 1 {
		return [2]int{view.Pools[0].bounded(need)}
	}
	prefill, decode := &view.Pools[0], &view.Pools[1]
	d := decode.bounded(need)
	ratio := (d*h.prefill + h.decode - 1) / h.decode
	p := prefill.bounded(ratio)
	if p != ratio {
		d = decode.bounded(max(p*h.decode/h.prefill, 1))
	}
	if out {
		return [2]int{max(p, prefill.Wanted), max(d, decode.Wanted)}
	}
	return [2]int{p, min(d, decode.Wanted)}
}

// settle takes sizes on, unless a cooldown forbids it.
func (h *heteroscale) settle(view *View, wanted []int, sizes [2]int, out bool, why string) Reason {
	was, to := listed(wanted), listed(sizes[:len(wanted)])
	if was == to && out {
		return Reason(fmt.Sprintf("stays at %s, the maximum: %s", was, why))
	} else if was == to {
		return Reason(fmt.Sprintf("stays at %s: %s", was, why))
	}
	if until := h.cooldowns.until(out); until > view.Now {
		return Reason(fmt.Sprintf("stays at %s instead of %s in the cooldown until %s: %s", was, to, until, why))
	}
	h.cooldowns.changed(view.Now, out)
	copy(wanted, sizes[:])
	return Reason(fmt.Sprintf("from %s to %s: %s", was, to, why))
}
