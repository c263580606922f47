// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// BenchmarkDecide is one decision about a sweep of 10,000 simulations while all
// of its shards run and half of them are done. Compare two versions with
//
//	make bench BENCH=Decide COUNT=10
func BenchmarkDecide(b *testing.B) {
	for _, shards := range []int32{1, 30, 1000} {
		b.Run(fmt.Sprintf("shards=%d", shards), func(b *testing.B) {
			s := sweepSubject(builder.MakeSweep("weights", "team-a").UID("uid").Generation(1).Shards(shards).
				Grid("requests", "horizon.requests", "1", "1000", "1").Seeds(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).Obj())
			compiled, errs, err := s.compile(b.Context(), clusterInputs{})
			if err != nil || len(errs) > 0 {
				b.Fatal(err, errs)
			}
			p := newSubjectPlan(hashPlan(compiled.Plan), s)
			j, err := newStudyRows(p)
			if err != nil {
				b.Fatal(err)
			}
			sc := &fixture{t: b, observation: &observation{subject: s, plan: p}, rows: j}
			sc.job()
			round := j.study.Round()
			for shard := range int(shards) {
				sc.pod(shard, running)
				if shard%2 == 0 {
					continue
				}
				which := round.Part(round.All().Indices(), shard, int(shards))
				rows := make([]result.Row, len(which))
				for i, n := range which {
					rows[i] = j.rows[n]
				}
				j.addChunk(&source{Reference: store.Reference{Name: fmt.Sprint(shard), Rows: len(rows)}, own: true}, rows)
			}
			sc.look()
			b.ReportAllocs()
			for b.Loop() {
				decide(sc.observation, epoch)
			}
		})
	}
}
