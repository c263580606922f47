// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestPowerOfTwo(t *testing.T) {
	// Scrapes say the opposite of the router's own count, of which there is none yet.
	v := view(policy.Scrape{Waiting: 3}, policy.Scrape{Waiting: 2}, policy.Scrape{Waiting: 1})
	for name, tc := range map[string]struct {
		parameters map[string]string
		want       []int
	}{
		"all are drawn, by the own count":  {map[string]string{"choices": "3"}, []int{0, 1, 2, 0, 1, 2}},
		"more are drawn than there are":    {map[string]string{"choices": "9"}, []int{0, 1, 2, 0, 1, 2}},
		"all are drawn, by the last queue": {map[string]string{"choices": "3", "load": "queue"}, []int{2, 2, 2, 2, 2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, Spec{Policy: "power-of-two", TieBreak: tieFirst, Parameters: tc.parameters}, 3)
			var got []int
			for id := range 6 {
				got = append(got, route(t, r, v, request(id)))
			}
			same(t, name, tc.want, got)
		})
	}
}

// Of four endpoints with different loads the two drawn are each pair as often, so the
// busiest is never picked, and the others in 1, 2 and 3 of 6 cases.
func TestPairsAreDrawnAlike(t *testing.T) {
	const n = 6000
	r := mustNew(t, Spec{Policy: "power-of-two", Parameters: map[string]string{"load": "queue"}}, 4)
	v := view(policy.Scrape{Waiting: 3}, policy.Scrape{Waiting: 2}, policy.Scrape{Waiting: 1}, policy.Scrape{})
	counts := make([]int, 4)
	for id := range n {
		counts[route(t, r, v, request(id))]++
	}
	for e, got := range counts {
		if want := n * e / 6; got < want-150 || got > want+150 || e == 0 && got > 0 {
			t.Errorf("endpoint %d was picked %d times of %d, want about %d", e, got, n, want)
		}
	}
}

// servers are queues with one server each, with times of service and gaps at random, both
// exponential: the supermarket model. A router sends the requests.
type servers struct {
	t       *testing.T
	router  *Router
	stream  *stats.Stream
	view    *policy.View
	lengths []int
	// atLeast[i] counts the servers with at least i requests.
	atLeast []int
}

func newServers(t *testing.T, spec Spec, n int, seed int64) *servers {
	return &servers{
		t: t, router: mustSeed(t, spec, n, seed), stream: stats.NewStream(seed, "servers"),
		view: view(make([]policy.Scrape, n)...), lengths: make([]int, n), atLeast: make([]int, 200),
	}
}

// step is one event of the chain at a load: an arrival, or the end of service at a server at
// random, if it has a request. Every state lasts as long on average.
func (s *servers) step(load float64) {
	if s.stream.Float64()*(1+load) < load {
		e := route(s.t, s.router, s.view, request(0))
		s.lengths[e]++
		s.atLeast[s.lengths[e]]++
	} else if e := s.stream.IntN(len(s.lengths)); s.lengths[e] > 0 {
		if counts := s.router.Routing().Responses; counts != nil {
			counts.Finished(request(0), e)
		}
		s.atLeast[s.lengths[e]]--
		s.lengths[e]--
	}
}

// tail runs so many services of each server, and returns the mean share of servers with at
// least i requests, for i from 1.
func (s *servers) tail(load float64, services, longest int) []float64 {
	steps := services * len(s.lengths)
	sums := make([]int, longest+1)
	for step := range steps + steps/2 {
		s.step(load)
		if step >= steps/2 {
			for i := 1; i <= longest; i++ {
				sums[i] += s.atLeast[i]
			}
		}
	}
	var shares []float64
	for _, sum := range sums[1:] {
		shares = append(shares, float64(sum)/float64(steps)/float64(len(s.lengths)))
	}
	return shares
}

// With d choices the share of many servers with at least i requests is
// load^((d^i − 1)/(d − 1)), and load^i with one (Vvedenskaya, Dobrushin, Karpelevich, 1996;
// Mitzenmacher, 2001): doubly exponential in i, where one choice is exponential.
func TestTailOfTheSupermarketModel(t *testing.T) {
	const n, services, longest, seeds = 250, 200, 4, 12
	choices := func(d string) Spec { return Spec{Policy: "power-of-two", Parameters: map[string]string{"choices": d}} }
	one := func(i float64) float64 { return i }
	two := func(i float64) float64 { return math.Pow(2, i) - 1 }
	three := func(i float64) float64 { return (math.Pow(3, i) - 1) / 2 }
	for name, tc := range map[string]struct {
		spec     Spec
		load     float64
		exponent func(i float64) float64
	}{
		"random, half loaded":      {Spec{Policy: "random"}, 0.5, one},
		"one choice, half loaded":  {choices("1"), 0.5, one},
		"two choices, half loaded": {choices("2"), 0.5, two},
		"two choices, busy":        {choices("2"), 0.8, two},
		"three choices, busy":      {choices("3"), 0.8, three},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shares := make([][]float64, longest)
			for seed := range int64(seeds) {
				for i, share := range newServers(t, tc.spec, n, seed).tail(tc.load, services, longest) {
					shares[i] = append(shares[i], share)
				}
			}
			for i := range shares {
				want := math.Pow(tc.load, tc.exponent(float64(i+1)))
				if want*n < 0.1 {
					continue // less than a tenth of a server: the law is of infinitely many
				}
				got := stats.MeanInterval(shares[i], 0.99)
				t.Logf("at least %d: %.5f, interval [%.5f, %.5f]", i+1, want, got.Low, got.High)
				if want < got.Low || want > got.High || got.High-got.Low > 0.03 {
					t.Errorf("share of servers with at least %d requests: want %.5f, got [%.5f, %.5f]", i+1, want, got.Low, got.High)
				}
			}
		})
	}
}
