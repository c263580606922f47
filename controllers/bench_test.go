// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
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
			p := newPlanned(compiled.Plan, compiled.Plan.Encode(), s)
			sc := &scene{t: b, world: &world{subject: s, plan: p, chunks: map[string]chunk{}}}
			sc.job()
			st := s.status()
			for shard := range p.shards {
				sc.pod(shard, running)
				if shard%2 == 0 {
					continue
				}
				span := p.round.Shard(shard, p.shards)
				digest := experiment.Digest([]byte{byte(shard)})
				st.Results = append(st.Results, v1alpha1.ResultReference{
					Name: fmt.Sprintf("%s-%d-0-%s", p.job, shard, digest[:8]), Rows: int64(span.End - span.First), SHA256: digest,
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				decide(sc.world, epoch)
			}
		})
	}
}
