// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// ownExtent returns the own part of a request's prompt, behind the prefix.
func ownExtent(r workload.Request) prompt.Extent { return r.Prompt.Extents[len(r.Prompt.Extents)-1] }

// repeatingClient is a client of a few prompts of different lengths.
func repeatingClient(count int, order workload.Order) workload.Client {
	c := constantClient("again", 10)
	c.Input = workload.Lengths{Distribution: stats.Uniform{Low: 1, High: 1000}, Min: 1}
	c.Output = workload.Lengths{Distribution: stats.Uniform{Low: 1, High: 1000}, Min: 1}
	c.PrefixGroup, c.PrefixTokens = "system", 50
	c.Prompts = &workload.Prompts{Count: count, Order: order}
	return c
}

func TestPromptsInCycle(t *testing.T) {
	requests := workloadtest.Take(workload.NewClients([]workload.Client{repeatingClient(3, workload.Cycle)}, 1), 30)
	workloadtest.CheckOrder(t, requests)
	texts, answers := map[uint64]bool{}, map[uint64]bool{}
	for i, r := range requests {
		if diff := cmp.Diff(requests[i%3].Prompt, r.Prompt); diff != "" {
			t.Errorf("request %d does not have the prompt of %d (−want +got):\n%s", i, i%3, diff)
		}
		texts[ownExtent(r).Source] = true
		answers[r.Response] = true
	}
	if len(texts) != 3 || len(answers) != 30 {
		t.Errorf("%d texts and %d answers of 30 requests, want 3 and 30", len(texts), len(answers))
	}
	if requests[0].OutputTokens == requests[3].OutputTokens && requests[0].OutputTokens == requests[6].OutputTokens {
		t.Errorf("three answers to one prompt have the same length %d", requests[0].OutputTokens)
	}
}

func TestPromptsInRandomOrder(t *testing.T) {
	const n, count = 10_000, 20
	requests := workloadtest.Take(workload.NewClients([]workload.Client{repeatingClient(count, workload.Random)}, 1), n)
	times, tokens := map[uint64]int{}, map[uint64]int32{}
	follows := 0
	for i, r := range requests {
		e := ownExtent(r)
		if known, ok := tokens[e.Source]; ok && known != e.Tokens {
			t.Errorf("a prompt has %d tokens, and had %d", e.Tokens, known)
		}
		tokens[e.Source] = e.Tokens
		times[e.Source]++
		if i > 0 && ownExtent(requests[i-1]) == e {
			follows++
		}
	}
	if len(times) != count {
		t.Errorf("%d prompts, want %d", len(times), count)
	}
	for source, k := range times {
		if math.Abs(float64(k)-n/count) > 5*math.Sqrt(n/count) {
			t.Errorf("prompt %x was sent %d times of %d", source, k, n)
		}
	}
	if math.Abs(float64(follows)-n/count) > 5*math.Sqrt(n/count) {
		t.Errorf("a prompt follows itself %d times of %d", follows, n)
	}
}

// copiesOf is a client that stands for many.
func copiesOf(c workload.Client, copies workload.Copies) []workload.Client {
	c.Copies = &copies
	return []workload.Client{c}
}

// benchmarkClients is 150 groups of 5 prompts, all of them shuffled once and then sent
// again and again at the times of one process.
func benchmarkClients(process workload.ArrivalProcess) []workload.Client {
	c := repeatingClient(5, workload.Cycle)
	c.Arrivals = workload.Arrivals{Process: process, RatePerSecond: 15}
	return copiesOf(c, workload.Copies{Count: 150, SharedArrivals: workload.Cycle})
}

func TestSharedArrivalsInCycleSendAllPrompts(t *testing.T) {
	requests := workloadtest.Take(workload.NewClients(benchmarkClients(workload.Constant), 1), 3*750)
	workloadtest.CheckOrder(t, requests)
	first := map[prompt.Extent]int{}
	groups := map[uint64]int{}
	ascending := 0
	for i, r := range requests {
		if i < 750 {
			first[ownExtent(r)]++
			groups[r.Prompt.Extents[0].Source]++
			if i > 0 && r.Client > requests[i-1].Client {
				ascending++
			}
		}
		if diff := cmp.Diff(requests[i%750].Prompt, r.Prompt); diff != "" {
			t.Fatalf("request %d does not have the prompt of %d (−want +got):\n%s", i, i%750, diff)
		}
		// Copies with processes of their own would all send at once, every 10 s.
		if at := time.Duration(r.Arrival).Seconds(); math.Abs(at-float64(i+1)/15) > 1e-6 {
			t.Fatalf("request %d comes at %v s", i, at)
		}
	}
	if len(first) != 750 || len(groups) != 150 {
		t.Errorf("a round has %d prompts of %d groups, want 750 of 150", len(first), len(groups))
	}
	for group, n := range groups {
		if n != 5 {
			t.Errorf("group %x has %d prompts in a round", group, n)
		}
	}
	if ascending < 300 || ascending > 450 {
		t.Errorf("%d of 749 requests come from a later copy than the one before: that is in order", ascending)
	}
}

func TestSharedArrivalsAreOneProcess(t *testing.T) {
	whole := repeatingClient(5, workload.Cycle)
	whole.Arrivals = workload.Arrivals{Process: workload.Gamma, CV: 2, RatePerSecond: 15}
	for _, order := range []workload.Order{workload.Cycle, workload.Random} {
		alone := workloadtest.Take(workload.NewClients([]workload.Client{whole}, 4), 2000)
		dealt := workloadtest.Take(workload.NewClients(copiesOf(whole, workload.Copies{Count: 20, SharedArrivals: order}), 4), 2000)
		for i := range alone {
			if alone[i].Arrival != dealt[i].Arrival {
				t.Fatalf("%s: request %d comes at %v, and of one client at %v", order, i, dealt[i].Arrival, alone[i].Arrival)
			}
		}
	}
}

func TestSharedArrivalsAtRandomFollowShares(t *testing.T) {
	const n = 20_000
	copies := copiesOf(constantClient("tenant", 100), workload.Copies{Count: 4, ZipfExponent: 1, SharedArrivals: workload.Random})
	counts := make([]float64, 4)
	for _, r := range workloadtest.Take(workload.NewClients(copies, 1), n) {
		counts[r.Client]++
	}
	for k, got := range counts {
		want := n / float64(k+1) / (1 + 1/2. + 1/3. + 1/4.)
		if math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("copy %d sends %.0f of %d requests, want %.0f", k+1, got, n, want)
		}
	}
}

func TestSharedArrivalsAreMergedWithOthers(t *testing.T) {
	clients := append(copiesOf(constantClient("dealt", 3), workload.Copies{Count: 3, SharedArrivals: workload.Cycle}), constantClient("other", 1))
	var got []int
	requests := workloadtest.Take(workload.NewClients(clients, 1), 8)
	workloadtest.CheckOrder(t, requests)
	for _, r := range requests {
		got = append(got, r.Client)
	}
	if got[3] != 3 || got[7] != 3 {
		t.Errorf("clients %v: those that share a process come first at one time, and the other one each second", got)
	}
	if round := map[int]bool{got[0]: true, got[1]: true, got[2]: true}; len(round) != 3 {
		t.Errorf("clients %v: a round leaves one out", got)
	}
}
