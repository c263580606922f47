// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func ids(all []*record) []int {
	var ids []int
	for _, r := range all {
		ids = append(ids, r.end.ID)
	}
	return ids
}

// The kept requests are those that sorting all requests gives.
func TestComponentsKeepTheWorst(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := components{late: map[int]*record{}}
		var all []*record
		for id := range rng.IntN(60) {
			r := &record{limit: time.Second, ttft: time.Duration(rng.IntN(9)) * time.Second, pick: pick{replica: rng.IntN(7) - 1}, end: simulator.RequestEnd{ID: id, Measured: rng.IntN(5) > 0}}
			if r.pick.replica == noReplica || rng.IntN(9) == 0 {
				r.pick.replica, r.verdict = noReplica, verdict{said: scheduler.Rejected, waiting: rng.IntN(6)}
			}
			all = append(all, r)
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, r := range all {
			n.add(r)
		}
		all = slices.DeleteFunc(all, func(r *record) bool { return !r.end.Measured })
		late := slices.DeleteFunc(slices.Clone(all), func(r *record) bool { return r.pick.replica == noReplica || r.ttft == 0 })
		slices.SortFunc(late, func(a, b *record) int {
			return cmp.Or(cmp.Compare(b.ttft, a.ttft), cmp.Compare(a.end.ID, b.end.ID))
		})
		var want []*record
		for _, r := range late {
			same := func(o *record) bool { return o.pick.replica == r.pick.replica }
			if len(want) < exampled && !slices.ContainsFunc(want, same) {
				want = append(want, r)
			}
		}
		if diff := gocmp.Diff(ids(want), ids(n.latest())); diff != "" {
			t.Fatalf("late (-want +got):\n%s", diff)
		}
		rejected := slices.DeleteFunc(all, func(r *record) bool { return r.verdict.said != scheduler.Rejected })
		slices.SortFunc(rejected, func(a, b *record) int {
			return cmp.Or(cmp.Compare(a.verdict.waiting, b.verdict.waiting), cmp.Compare(a.end.ID, b.end.ID))
		})
		if diff := gocmp.Diff(ids(rejected[:min(len(rejected), exampled-1)]), ids(n.rejected)); diff != "" {
			t.Fatalf("rejected (-want +got):\n%s", diff)
		}
	}
}

// Endpoints 0 and 1 are ranks behind one port: the router sends all requests to the first one.
func TestExamplesNameTheRankThatTheEngineChose(t *testing.T) {
	c := Collector{names: []string{"p/0-rank-0", "p/0-rank-1", "d/0"}, onePort: []bool{true, true, false}}
	for replica, want := range map[int]string{
		1: "p/0-rank-0, whose engine chose p/0-rank-1", 2: "p/0-rank-0", noReplica: "p/0-rank-0",
	} {
		d := c.decision(&record{pick: pick{replica: 0, decodes: noReplica}, end: simulator.RequestEnd{Replica: replica}})
		if got := d.Where(); got != want {
			t.Errorf("served by endpoint %d: %q, want %q", replica, got, want)
		}
	}
}
