// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// ByScore returns the n requests whose picks the scores support least, worst first: those
// with the greatest ScoreRegret, and then those with the smallest Margin. Requests that are as
// bad are in the order of arrival. Picks without scores, and those without another candidate,
// are left out.
func ByScore(all []Observation, n int) []int {
	scored := slices.DeleteFunc(slices.Clone(all), func(o Observation) bool { return !o.Scored })
	return worst(scored, n, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(b.ScoreRegret, a.ScoreRegret), cmp.Compare(a.Margin, b.Margin))
	})
}

// ByOutcome returns the n requests that waited longest for their first token, worst first:
// those whose TTFT exceeds its target, by how many times, and then those with the greatest
// TTFT for each token of the prompt. Requests that are as bad are in the order of arrival.
func ByOutcome(all []Observation, n int) []int {
	return worst(slices.Clone(all), n, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(b.excess(), a.excess()), cmp.Compare(b.perToken(), a.perToken()))
	})
}

// AtRandom returns n requests, each as likely, in the order of arrival. The seed and the
// requests decide which.
func AtRandom(all []Observation, n int, seed int64) []int {
	stream := stats.NewStream(seed, "whatif/requests")
	left, drawn := slices.Clone(all), []int{}
	for range min(n, len(all)) {
		at := stream.IntN(len(left))
		drawn = append(drawn, left[at].Request)
		left[at] = left[len(left)-1]
		left = left[:len(left)-1]
	}
	slices.Sort(drawn)
	return drawn
}

// excess is how many times the target the TTFT is where it is more than that, else 0.
func (o *Observation) excess() float64 {
	if o.Target == 0 || o.TTFT <= o.Target {
		return 0
	}
	return float64(o.TTFT) / float64(o.Target)
}

func (o *Observation) perToken() float64 { return float64(o.TTFT) / float64(max(o.PromptTokens, 1)) }

// worst sorts observations, and returns the requests of the first n.
func worst(all []Observation, n int, compare func(a, b Observation) int) []int {
	slices.SortFunc(all, func(a, b Observation) int {
		return cmp.Or(compare(a, b), cmp.Compare(a.Request, b.Request))
	})
	requests := []int{}
	for _, o := range all[:min(n, len(all))] {
		requests = append(requests, o.Request)
	}
	return requests
}
