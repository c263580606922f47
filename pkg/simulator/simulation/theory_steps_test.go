// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"math"
	"testing"
)

// TestErlangCInSteps derives how far M/M/k is from what an engine with steps
// can show. Seen at the ends of steps, k places with geometric times of
// service and Poisson arrivals on the same grid are a Markov chain. Its mean
// wait, solved for and not simulated, is Erlang's times 1 − 1/(2·mean), with
// the mean service in steps, to two parts in ten thousand at every load and
// number of servers.
func TestErlangCInSteps(t *testing.T) {
	for _, k := range []int{1, 4, 16} {
		for _, load := range []float64{0.5, 0.8, 0.95} {
			for _, mean := range []float64{50, 100, 200} {
				got := stepWait(k, load, mean) / mean
				want := erlangWait(k, load) * (1 - 1/(2*mean))
				if math.Abs(got/want-1) > 2e-4 {
					t.Errorf("k = %d, load %v, %v steps of service: wait %v services, want %v", k, load, mean, got, want)
				}
			}
		}
	}
}

// stepWait is the mean wait, in steps, of k servers whose service and arrivals
// are on the grid of steps: by Little's law the mean of what waits over the
// rate of arrivals.
func stepWait(k int, load, mean float64) float64 {
	rate := load * float64(k) / mean
	waiting := 0.0
	for n, share := range stationary(stepChain(k, rate, 1/mean)) {
		waiting += share * float64(max(n-k, 0))
	}
	return waiting / rate
}

const (
	// mostPresent and mostArrivals cut the chain off where what is beyond
	// has no weight left: 0.95^1000 and less.
	mostPresent  = 1000
	mostArrivals = 30
)

// stepChain is the matrix of transitions of the number of requests present,
// from one step to the next: of those in service each leaves with the given
// probability, and a Poisson number with mean rate arrives.
func stepChain(k int, rate, leave float64) [][]float64 {
	poisson := make([]float64, mostArrivals)
	poisson[0] = math.Exp(-rate)
	for a := 1; a < mostArrivals; a++ {
		poisson[a] = poisson[a-1] * rate / float64(a)
	}
	chain := make([][]float64, mostPresent)
	for n := range chain {
		chain[n] = make([]float64, mostPresent)
		served := min(n, k)
		binomial := math.Pow(1-leave, float64(served))
		for left := range served + 1 {
			for a, p := range poisson {
				chain[n][min(n-left+a, mostPresent-1)] += binomial * p
			}
			binomial *= float64(served-left) / float64(left+1) * leave / (1 - leave)
		}
	}
	return chain
}

// stationary is the distribution that the chain keeps, by the elimination of
// Grassmann, Taksar and Heyman, which subtracts nothing. It uses up the chain.
func stationary(chain [][]float64) []float64 {
	const band = 2 * mostArrivals // no transition goes further
	for last := len(chain) - 1; last > 0; last-- {
		low := max(0, last-band)
		out := 0.0
		for _, p := range chain[last][low:last] {
			out += p
		}
		for i := low; i < last; i++ {
			into := chain[i][last] / out
			chain[i][last] = into
			for j := low; j < last; j++ {
				chain[i][j] += into * chain[last][j]
			}
		}
	}
	share := make([]float64, len(chain))
	share[0] = 1
	sum := 1.0
	for n := 1; n < len(chain); n++ {
		for i := max(0, n-band); i < n; i++ {
			share[n] += share[i] * chain[i][n]
		}
		sum += share[n]
	}
	for n := range share {
		share[n] /= sum
	}
	return share
}
