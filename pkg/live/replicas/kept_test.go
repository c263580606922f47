// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// handingPool is two replicas between which a block takes 1 ms.
func handingPool() Config {
	c := smallPool(2)
	c.Simulated.Pools[0].BlockBytes = 1000
	link := transfer.Station{BytesPerSecond: 1_000_000}
	c.Simulated.Handoff = simulator.Handoff{Egress: link, Ingress: link}
	return c
}

// TestPromptsAreHandedOver has a replica compute a prompt of 8 tokens and another one answer. The 2
// blocks are there 2 ms after the second request, and a step computes the last token of the
// prompt again.
func TestPromptsAreHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := running(t, handingPool())
		first, err := p.Submit(0, Request{Prompt: ids("question"), Answer: ids("a"), Keeps: true})
		if err != nil {
			t.Fatal(err)
		}
		arrivals(t, first, time.Now())
		if usage := p.Metrics(0).KVUsage; usage != 2./8 || !p.Kept(first) {
			t.Errorf("the first replica has %v of its blocks in use", usage)
		}
		time.Sleep(time.Minute)
		start := time.Now()
		second, err := p.Submit(1, Request{Prompt: ids("question"), Answer: ids("answer"), TakesOver: first.Handle()})
		if err != nil {
			t.Fatal(err)
		}
		got := arrivals(t, second, start)
		if diff := cmp.Diff([]time.Duration{12e6, 22e6, 32e6, 42e6, 52e6, 62e6}, got); diff != "" {
			t.Errorf("tokens (-want +got):\n%s", diff)
		}
		if progress := second.Progress(); progress.Remote != 8 || progress.Cached != 0 {
			t.Errorf("%+v", progress)
		}
		if usage := p.Metrics(0).KVUsage; usage != 0 || p.Kept(first) {
			t.Errorf("the first replica has %v of its blocks in use after the hand-over", usage)
		}
	})
}

// TestKeptPromptsTimeOut has no second request.
func TestKeptPromptsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := running(t, handingPool())
		s, err := p.Submit(0, Request{Prompt: ids("question"), Answer: ids("a"), Keeps: true})
		if err != nil {
			t.Fatal(err)
		}
		arrivals(t, s, time.Now())
		time.Sleep(keepFor - time.Second)
		if !p.Kept(s) {
			t.Error("the blocks are given up too early")
		}
		time.Sleep(time.Second)
		if usage := p.Metrics(0).KVUsage; usage != 0 || p.Kept(s) {
			t.Errorf("%v of the blocks are in use after the time-out", usage)
		}
		late, err := p.Submit(1, Request{Prompt: ids("question"), Answer: ids("a"), TakesOver: s.Handle()})
		if err != nil {
			t.Fatal(err)
		}
		if got := arrivals(t, late, time.Now()); len(got) != 1 || late.Progress().Remote != 0 {
			t.Errorf("tokens at %v, %+v", got, late.Progress())
		}
	})
}
