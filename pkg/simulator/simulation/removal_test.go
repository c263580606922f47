// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A wait queue with removals is a sorted list with deletions.
func TestAWaitQueueIsASortedList(t *testing.T) {
	for name, ranked := range map[string]bool{"first come, first served": false, "by rank": true} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			w := ticketQueue{ranked: ranked}
			arrivals := int64(0)
			var want, away []ticket
			for step := range 20_000 {
				switch n := r.IntN(10); {
				case n < 4:
					next := ticket{turn: arrivals, id: int32(step)}
					if w.ranked {
						next.rank = int64(r.IntN(5))
					}
					arrivals++
					w.pushBack(next)
					want = append(want, next)
				case n < 6 && len(want) > 0:
					if front := w.front(); front.id != want[0].id {
						t.Fatalf("step %d: request %d is in front, want %d", step, front.id, want[0].id)
					}
					w.pop()
					away = append(away, want[0])
					want = want[1:]
				case n < 7 && len(away) > 0 && len(want) > 0 && away[len(away)-1].before(want[0]):
					// As of one that is preempted.
					last := away[len(away)-1]
					away = away[:len(away)-1]
					w.insert(last)
					want = append(want, last)
				case n < 9 && len(want) > 0:
					i := r.IntN(len(want))
					w.remove(want[i].turn)
					want = slices.Delete(want, i, i+1)
				}
				slices.SortFunc(want, func(a, b ticket) int {
					if a.before(b) {
						return -1
					}
					return 1
				})
				if w.len() != len(want) {
					t.Fatalf("step %d: %d wait, want %d", step, w.len(), len(want))
				}
				if step%500 > 0 {
					continue
				}
				if diff := cmp.Diff(slices.Clone(want), w.inOrder(), cmp.AllowUnexported(ticket{}), cmp.Transformer("empty", func(l []ticket) []ticket { return append([]ticket{}, l...) })); diff != "" {
					t.Fatalf("step %d (-want +got):\n%s", step, diff)
				}
			}
		})
	}
}

// Entries with removals are a sorted list with deletions, also where two are alike.
func TestEntriesAreASortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var h entries
	var want []entry
	for step := range 20_000 {
		switch n := r.IntN(10); {
		case n < 4:
			e := entry{at: simtime.Time(r.IntN(50)), number: r.IntN(20)}
			h.push(e)
			want = append(want, e)
		case n < 6 && len(want) > 0:
			h.pop()
			want = want[1:]
		case n < 9 && len(want) > 0:
			i := r.IntN(len(want))
			h.remove(want[i])
			want = slices.Delete(want, i, i+1)
		}
		slices.SortFunc(want, func(a, b entry) int {
			switch {
			case a.before(b):
				return -1
			case b.before(a):
				return 1
			}
			return 0
		})
		at, number, ok := h.next()
		if ok != (len(want) > 0) || ok && (at != want[0].at || number != want[0].number) {
			t.Fatalf("step %d: the first comes at %v, number %d (%t), want %v", step, at, number, ok, want)
		}
		n := 0
		h.each(func(int32) { n++ })
		if n != len(want) {
			t.Fatalf("step %d: %d are on their way, want %d", step, n, len(want))
		}
	}
}

// impatient sends everything to endpoint 0, and once all have come ends them one
// after the other.
type impatient struct {
	requests, ends int
	routed, ended  int
}

func (p *impatient) Route(*policy.View, *policy.Request) (policy.Decision, error) {
	p.routed++
	return policy.To(0), nil
}

func (p *impatient) Wake(simtime.Time) (simtime.Time, bool) { return 0, false }
func (*impatient) Queues(*policy.Request) bool              { return true }

func (p *impatient) Cancel(simtime.Time, *policy.Request) {}

func (p *impatient) Release(*policy.View) (policy.Released, bool) { return policy.Released{}, false }

func (p *impatient) Evict(simtime.Time) (int, bool) {
	if p.routed < p.requests || p.ended == p.ends {
		return 0, false
	}
	p.ended++
	// Not in order of arrival.
	return (p.ended * 7919) % p.requests, true
}

// BenchmarkEnds ends 20,000 requests while they are on their way to the wait queue,
// wait in it or run, and compares with the run in which all are served.
func BenchmarkEnds(b *testing.B) {
	const requests = 20_000
	for name, tc := range map[string]struct {
		ends  int
		delay time.Duration
		by    scheduling.Factory
	}{
		"none":                    {0, 0, scheduling.FCFS},
		"waiting":                 {requests, 0, scheduling.FCFS},
		"waiting by rank":         {requests, 0, scheduling.Priority},
		"on the way to the queue": {requests, time.Hour, scheduling.FCFS},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				source := &script{}
				for id := range requests {
					source.requests = append(source.requests, workload.Request{
						ID: id, Arrival: simtime.Time(id), OutputTokens: 4,
						Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: 64}),
					})
				}
				router := &impatient{requests: requests, ends: tc.ends}
				pool := simulator.Pool{
					Replicas: 1, Timer: constantStep(time.Millisecond), BlockTokens: 16, KVBlocks: 10_000, PrefixCaching: true,
					MaxNumSeqs: 256, MaxNumBatchedTokens: 8192, Scheduler: tc.by,
				}
				pool.Cost.QueueBase = tc.delay
				_, err := Run(context.Background(), simulator.Config{
					Pools: []simulator.Pool{pool}, Source: source, Horizon: simulator.Horizon{Drain: 100 * time.Hour},
					Policies: policy.Policies{Routing: policy.Routing{Router: router, Queue: router, Evictor: router}},
				})
				if err != nil {
					b.Fatal(err)
				}
				if router.ended != tc.ends {
					b.Fatalf("%d requests are ended, want %d", router.ended, tc.ends)
				}
			}
		})
	}
}
