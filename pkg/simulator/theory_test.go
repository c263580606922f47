// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// poisson is a source of prompts of given lengths that arrive at random.
type poisson struct {
	stream *stats.Stream
	gap    float64 // mean, ns
	length func(*stats.Stream) int
	now    float64
	id     int
}

func (p *poisson) Labels() workload.Labels { return workload.Labels{} }

func (p *poisson) Next() (workload.Request, bool) {
	p.now += p.gap * p.stream.Exponential()
	extent := prompt.Extent{Source: uint64(p.id), Tokens: int32(p.length(p.stream))}
	r := workload.Request{
		ID: p.id, Arrival: simtime.Time(p.now), OutputTokens: 1,
		Prompt: prompt.Prompt{Extents: []prompt.Extent{extent}},
	}
	p.id++
	return r, true
}

// microsecondTokens is a timer of one microsecond a prompt token.
type microsecondTokens struct{}

func (microsecondTokens) StepTime(s latency.Step) time.Duration {
	return time.Duration(s.PrefillTokens) * time.Microsecond
}

// toFirst is a router that knows one endpoint.
type toFirst struct{}

func (toFirst) Route(*policy.View, *policy.Request) (int, error) { return 0, nil }
func (toFirst) FirstToken(*policy.Request, int)                  {}
func (toFirst) Finished(*policy.Request, int)                    {}
func (toFirst) Listener() policy.Listener                        { return toFirst{} }

// singleServer is a replica that serves one request at a time, in one step.
func singleServer(load float64, seed int64, length func(*stats.Stream) int) Config {
	return Config{
		Pools: []Pool{{
			Name: "server", Replicas: 1, Timer: microsecondTokens{},
			BlockTokens: 64, KVBlocks: 1 << 12, MaxNumSeqs: 1, MaxNumBatchedTokens: 1 << 18,
		}},
		Router:  toFirst{},
		Source:  &poisson{stream: stats.NewStream(seed, "theory"), gap: 1e6 / load, length: length},
		Horizon: Horizon{Requests: 20_000, WarmUp: time.Second, Drain: time.Hour},
	}
}

// TestQueueingTheory holds the mean wait of a replica that serves one request
// at a time against Pollaczek and Khinchine's formula for M/G/1,
// λ·E[S²] / (2(1−ρ)), for constant and for exponential service: M/D/1, M/M/1.
func TestQueueingTheory(t *testing.T) {
	const mean = 1000 // µs of service
	exponential := func(s *stats.Stream) int { return int(math.Ceil(mean * s.Exponential())) }
	// Rounded up, an exponential length is geometric.
	p := -math.Expm1(-1.0 / mean)
	for name, law := range map[string]struct {
		length       func(*stats.Stream) int
		mean, square float64 // of the service time, in µs
	}{
		"M/D/1": {func(*stats.Stream) int { return mean }, mean, mean * mean},
		"M/M/1": {exponential, 1 / p, (2 - p) / (p * p)},
	} {
		for _, load := range []float64{0.5, 0.8} {
			rate := load / mean
			want := rate * law.square / (2 * (1 - rate*law.mean))
			var waits []float64
			for seed := range int64(12) {
				sum := simulate(t, singleServer(load, seed, law.length))
				waits = append(waits, sum.Queueing.Mean()/1e3)
			}
			got := stats.MeanInterval(waits, 0.99)
			if want < got.Low || want > got.High || got.High-got.Low > 0.15*want {
				t.Errorf("%s at load %v: mean wait %.1f µs, want it in [%.1f, %.1f]", name, load, want, got.Low, got.High)
			}
		}
	}
}

// TestLittlesLaw: requests in the system, summed over time, are the times that
// each spent there, summed over requests; to the nanosecond.
func TestLittlesLaw(t *testing.T) {
	for seed := range int64(30) {
		config := randomConfig(randomBytes(seed))
		config.Horizon = Horizon{Drain: time.Hour}
		s := newSimulation(context.Background(), config)
		watch := &occupancy{}
		s.observers = append(s.observers, watch)
		o, err := s.run()
		if err != nil {
			t.Fatal(err)
		}
		if _, spent := sumCells(o).E2E.Sum(); uint64(watch.integral()) != spent {
			t.Errorf("scenario %d: %d request·ns in the system, %d spent by requests", seed, watch.integral(), spent)
		}
	}
}

// occupancy is an observer that notes who comes and goes when.
type occupancy struct {
	recorder
	changes []change
}

type change struct {
	at simtime.Time
	by int64
}

func (c *occupancy) arrived(s *simulation, _ int32)                { c.changes = append(c.changes, change{s.now, 1}) }
func (c *occupancy) rejected(*simulation, *policy.Request, Reason) {}
func (c *occupancy) formed(*simulation, *replica, latency.Step)    {}
func (c *occupancy) preempted(*simulation, *replica, int32)        {}
func (c *occupancy) token(*simulation, int32, simtime.Time)        {}
func (c *occupancy) ended(_ *simulation, _ int32, at simtime.Time, _ ending) {
	c.changes = append(c.changes, change{at, -1})
}

// integral is the number in the system summed over time.
func (c *occupancy) integral() int64 {
	slices.SortStableFunc(c.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	sum, count, last := int64(0), int64(0), simtime.Time(0)
	for _, change := range c.changes {
		sum += count * int64(change.at-last)
		last = change.at
		count += change.by
	}
	return sum
}

func simulate(t testing.TB, c Config) *Cell {
	o, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return sumCells(o)
}
