// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// required are the parameters that policies need, for prefill and decode.
var required = map[string][]string{
	"fixed":             {"replicas=2:6"},
	"schedule":          {"at=0s=2:6,10m=1:3", "period=20m"},
	"latency":           {"ttft=1s", "tbt=100ms"},
	"tokens-per-second": {"promptTarget=1000", "generatedTarget=100"},
	"predictive":        {"capacity=2"},
	"predictive-oracle": {"capacity=2"},
}

// random changes a sample as a cluster might, which is not always busy.
func random(s *stats.Stream) func(*Sample) {
	below := func(n int64) int64 { return int64(s.Float64() * float64(n)) }
	return func(x *Sample) {
		g := &x.Gateway
		g.Arrived += below(100) * below(2)
		ended := below(g.InFlight() + 1)
		g.Ended += ended
		g.Completed += ended
		g.Good += below(ended + 1)
		g.Queued = int(below(g.InFlight() + 1))
		for i := range x.Engines {
			e := &x.Engines[i]
			if !e.Up {
				continue
			}
			e.Running, e.Waiting, e.KVUsage = int(below(40)), int(below(12)), s.Float64()
			e.Busy += time.Duration(below(int64(scrape)))
			e.Counters.PrefixCacheQueries += below(20_000)
			e.Counters.InterTokenLatency.Count += below(2000)
			e.Counters.TimeToFirstToken.Count += below(20)
			e.Finished.Requests += below(20)
			e.TimeToFirstToken.Observe(TimeToFirstTokenBounds, time.Duration(below(2e9)), below(9))
			e.InterTokenLatency.Observe(InterTokenLatencyBounds, time.Duration(below(2e8)), below(99))
		}
	}
}

// On random load each policy decides alike each time, says why, and wants no negative
// number of replicas.
func TestPoliciesOnRandomLoad(t *testing.T) {
	for _, name := range policies.Names() {
		play := func() (all []string) {
			s := newScene(2, 6).bound(0, 0, 20).bound(1, 0, 20)
			world := s.world()
			world.FutureRate = func(_, from, _ simtime.Time) float64 { return 5 + 5*math.Sin(from.Seconds()/300) }
			scaler, load := loaded(t, name, world, required[name]...).New(), stats.NewStream(1, name)
			for i := range 400 {
				s.sample(time.Duration(i+1)*scrape, random(load))
				was := [2]int{s.view.Pools[0].Wanted, s.view.Pools[1].Wanted}
				wanted := was
				reason := scaler.Scale(&s.view, wanted[:])
				if wanted[0] < 0 || wanted[1] < 0 || reason == "" {
					t.Fatalf("%s wants %v: %q", name, wanted, reason)
				}
				all = append(all, string(reason))
				for k, n := range wanted {
					if n = s.view.Pools[k].bounded(n); n < was[k] {
						s.serve(k, n)
					} else if n > was[k] {
						s.start(k, n-was[k])
					}
				}
				if i%8 == 0 {
					s.serve(0, s.view.Pools[0].Wanted)
					s.serve(1, s.view.Pools[1].Wanted)
				}
			}
			return all
		}
		first, second := play(), play()
		for i := range first {
			if first[i] != second[i] {
				t.Errorf("%s says %q and then %q", name, first[i], second[i])
				break
			}
		}
	}
}

// Triggers cost nothing that the heap notices: they are asked at each sample.
func TestTriggersDoNotAllocate(t *testing.T) {
	for _, name := range triggers.Names() {
		s := newScene(2, 6)
		trigger, load := s.trigger(t, name), stats.NewStream(1, name)
		for i := range 40 {
			s.sample(time.Duration(i+1)*scrape, random(load))
		}
		if n := testing.AllocsPerRun(10, func() { trigger.Fires(&s.view) }); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// BenchmarkPolicies measures one decision on 2 and 6 replicas.
func BenchmarkPolicies(b *testing.B) {
	for _, name := range policies.Names() {
		b.Run(name, func(b *testing.B) {
			s := newScene(2, 6)
			world := s.world()
			world.FutureRate = func(_, _, _ simtime.Time) float64 { return 5 }
			config, errs := Load(Spec{name, values(required[name])}, world, nil)
			if len(errs) > 0 {
				b.Fatal(errs.ToAggregate())
			}
			scaler, load, wanted := config.New(), stats.NewStream(1, name), [2]int{2, 6}
			for i := range 40 {
				s.sample(time.Duration(i+1)*scrape, random(load))
			}
			b.ReportAllocs()
			for b.Loop() {
				scaler.Scale(&s.view, wanted[:])
			}
		})
	}
}
