// SPDX-License-Identifier: Apache-2.0

package native

import "time"

// cacheSignalDelay is how old inference-sim lets knowledge of caches be by default.
const (
	cacheSignalDelay = 50 * time.Millisecond
	delayHelp        = "the age of what is known of the caches"
)

// precisePrefixCache prefers endpoints that hold the prompt's beginning: by blocks
// in GPU memory, from 1 for the most to 0 for the fewest, and 1 for all where all
// have as many. Its parameter delay is how late it hears of them; inference-sim
// looks at all of them at once, every so often.
type precisePrefixCache struct{ caches *caches }

func readPrecisePrefixCache(r *reader) func(*builder) scorer {
	delay := r.Delay("delay", cacheSignalDelay, delayHelp)
	return func(b *builder) scorer { return precisePrefixCache{b.caches(delay, false)} }
}

func (s precisePrefixCache) believed(r *round, endpoint int) int {
	return s.caches.believed(r, endpoint)
}

func (s precisePrefixCache) score(r *round, scores []float64) {
	held := s.caches.look(r)
	mostFirst(r, scores, func(e int) int { return held[e] })
}
