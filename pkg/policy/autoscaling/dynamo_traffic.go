// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"time"
)

// traffic is what arrives: requests per second, with the means of their lengths in tokens
// and the share of their prompts that a cache has.
type traffic struct{ perSecond, prompt, answer, hits float64 }

// observeTraffic returns the traffic of a window. known is false where no request gave its
// first token in it or no answer ended whole, so that the lengths are not known; ok where
// there are no samples.
//
// The length of answers is that of those which ended, as the gateway counts it: tokens are
// given before an answer ends, so tokens per end are more than an answer has while traffic
// grows. Every request passes the last pool, whose engines count prompts. The hits are those
// of the pool that computes prompts.
func observeTraffic(view *View, window time.Duration) (t traffic, known, ok bool) {
	if t.perSecond, ok = view.ArrivalRate(window); !ok {
		return t, false, false
	}
	first, last := &view.Pools[0], &view.Pools[len(view.Pools)-1]
	total := func(p *Pool, counter func(*Engine) int64) float64 {
		n, _, _ := view.Increase(p, window, counter)
		return float64(n)
	}
	prompts := total(last, promptTokens)
	begun := total(last, func(e *Engine) int64 { return e.Counters.TimeToFirstToken.Count })
	oldest, newest, _ := view.Monitor.Range(view.Now, window)
	ended := newest.Gateway.Completed - oldest.Gateway.Completed
	if prompts <= 0 || begun <= 0 || ended <= 0 {
		return t, false, true
	}
	t.prompt = prompts / begun
	t.answer = float64(newest.Gateway.AnswerTokens-oldest.Gateway.AnswerTokens) / float64(ended)
	if computed := total(first, promptTokens); computed > 0 {
		t.hits = min(total(first, cachedTokens)/computed, 1)
	}
	return t, true, true
}

// cachedTokens counts the prompt tokens that an engine has found in its caches.
func cachedTokens(e *Engine) int64 {
	return e.Counters.PrefixCacheHits + e.Counters.ExternalPrefixCacheHits
}

// lengths returns the lengths in whole tokens, each at least 1.
func (t *traffic) lengths() lengths {
	whole := func(x float64) int { return int(math.Round(x)) }
	fresh := max(1, whole(t.prompt*(1-min(t.hits, 1))))
	return lengths{fresh: fresh, cached: max(0, whole(t.prompt)-fresh), answer: max(1, whole(t.answer))}
}
