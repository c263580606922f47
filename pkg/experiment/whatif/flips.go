// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"cmp"
	"math"
	"slices"
)

// A flip is another pick for one request, whose own and whose successors' latencies say how
// much of a regret is noise.
type flip struct {
	forced
	gap float64
}

// reach is how many requests after a pick, for each flip that is wanted, may be flipped: a
// flip long after the pick has less time to make a difference.
const reach = 8

// flipsOf returns at most n flips about a pick, of requests that the same router routes
// after it, in their order. Half of them bring a request to the chosen endpoint, or take one
// from there, while the request that was picked for is there: only these can change its own
// latency. Of all there are, flips come first that the router distinguishes least from its
// own picks, which are exact ties where there are any, and then the earliest.
func flipsOf(about *pick, later []*pick, there func(request int) bool, n int) []flip {
	var touching, all []flip
	for _, p := range later {
		if p.router != about.router || !p.explained || len(p.candidates) < 2 {
			continue
		}
		if len(all) == reach*n {
			break
		}
		all = append(all, nearest(p, p.others()))
		if there(p.request) && p.chosen == about.chosen {
			touching = append(touching, nearest(p, p.others()))
		} else if there(p.request) && slices.Contains(p.candidates, about.chosen) {
			touching = append(touching, nearest(p, []int{about.chosen}))
		}
	}
	return selectFlips(touching, all, n)
}

// selectFlips returns at most n flips, one for a request: half of them touching ones, if there
// are enough.
func selectFlips(touching, all []flip, n int) []flip {
	byGap := func(a, b flip) int { return cmp.Or(cmp.Compare(a.gap, b.gap), cmp.Compare(a.request, b.request)) }
	slices.SortFunc(touching, byGap)
	slices.SortFunc(all, byGap)
	var selected []flip
	for _, f := range slices.Concat(touching[:min((n+1)/2, len(touching))], all) {
		if len(selected) < n && !slices.ContainsFunc(selected, func(s flip) bool { return s.request == f.request }) {
			selected = append(selected, f)
		}
	}
	slices.SortFunc(selected, func(a, b flip) int { return cmp.Compare(a.request, b.request) })
	return selected
}

// others are the candidates that were not chosen, from the one after that on.
func (p *pick) others() []int {
	at := slices.Index(p.candidates, p.chosen)
	return slices.Concat(p.candidates[at+1:], p.candidates[:at])
}

// nearest is the flip to the endpoint of some that the router distinguishes least from its
// own pick; the first one of several.
func nearest(p *pick, endpoints []int) flip {
	best := flip{gap: math.NaN()}
	for _, e := range endpoints {
		if gap := p.gap(e); math.IsNaN(best.gap) || gap < best.gap {
			best = flip{forced{p.request, e}, gap}
		}
	}
	return best
}
