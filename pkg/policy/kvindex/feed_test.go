// SPDX-License-Identifier: Apache-2.0

package kvindex

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

type digested []Event

func (d *digested) Digest(e *Event, _ simtime.Time) { *d = append(*d, *e) }

// Events arrive in order of time, those of one nanosecond by endpoint, and those of one
// endpoint as they were put, though endpoints put theirs one after the other.
func TestFeedDeliversInOrderOfTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var got digested
		f := Feed{Lag: 3, Digesters: []Digester{&got}}
		var want []Event
		number := uint64(0)
		for round := range 10 {
			var put []Event
			for endpoint := range int32(4) {
				at := simtime.Time(20 * round)
				for range random.IntN(6) {
					at += simtime.Time(random.IntN(3))
					number++
					put = append(put, Event{At: at, Endpoint: endpoint, Blocks: policy.CachedBlocks{Stretch: number}})
				}
			}
			for _, e := range put {
				f.Put(e)
			}
			slices.SortStableFunc(put, func(a, b Event) int {
				return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Endpoint, b.Endpoint))
			})
			want = append(want, put...)
			f.Deliver(simtime.Time(20*round + 12))
		}
		f.Deliver(1000)
		if diff := gocmp.Diff(want, []Event(got)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
	}
}
