// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// meanValue is the exact mean-value analysis of n users who think for a time and share
// one server with exponential service: throughput, and response time, in the unit of
// the arguments (Reiser and Lavenberg: Mean-Value Analysis of Closed Multichain Queuing
// Networks, JACM 1980).
func meanValue(n int, think, service float64) (throughput, response float64) {
	queued := 0.0
	for users := 1; users <= n; users++ {
		response = service * (1 + queued)
		throughput = float64(users) / (think + response)
		queued = throughput * response
	}
	return throughput, response
}

// TestClosedLoopAgainstMeanValueAnalysis holds users who think, and one server that
// serves one request at a time, against theory: throughput and response time lie in
// the 99 % Student-t interval over replications.
func TestClosedLoopAgainstMeanValueAnalysis(t *testing.T) {
	const think = 0.020 // seconds; mean service is 1 ms
	for users, span := range map[int]float64{1: 400, 5: 200, 20: 100, 100: 100} {
		t.Run(fmt.Sprint(users, " users"), func(t *testing.T) {
			t.Parallel()
			var throughput, response, law []float64
			for seed := range int64(12) {
				x, r := loopOf(t, users, think, span, seed)
				throughput, response = append(throughput, x), append(response, r)
				law = append(law, float64(users)/x-think)
			}
			wantX, wantR := meanValue(users, think, queueMean*1e-6)
			for _, of := range []struct {
				name        string
				got         []float64
				want, width float64
			}{
				{"throughput", throughput, wantX, 0.03 * wantX},
				{"response time", response, wantR, 0.03 * wantR},
				{"response time by N/X - Z", law, wantR, 0.03 * (wantR + think)},
			} {
				in := stats.MeanInterval(of.got, 0.99)
				t.Logf("%s %.6g, interval [%.6g, %.6g]", of.name, of.want, in.Low, in.High)
				if of.want < in.Low || of.want > in.High || in.High-in.Low > of.width {
					t.Errorf("%s in [%.6g, %.6g], want %.6g in it and at most %.2g between the ends", of.name, in.Low, in.High, of.want, of.width)
				}
			}
		})
	}
}

// loopOf simulates users at one server. It returns requests a second, and the mean
// response time in seconds.
func loopOf(t *testing.T, users int, think, span float64, seed int64) (throughput, response float64) {
	t.Helper()
	source := workload.NewClients([]workload.Client{{
		Name: "users",
		ClosedLoop: &workload.ClosedLoop{
			Concurrency: users,
			ThinkTime:   workload.Durations{Distribution: stats.Exponential{Mean: think}},
		},
		Input:  workload.Lengths{Distribution: stats.Exponential{Mean: queueMean}, Min: 1},
		Output: workload.Lengths{Distribution: stats.Constant{Value: 1}, Min: 1},
	}}, seed)
	warmUp := 10 * time.Second
	server := singleServer("one", 1, nil).pool
	server.Name, server.Replicas = "server", 1
	server.Timer = timer(func(s latency.Step) time.Duration { return time.Duration(s.PrefillTokens) * time.Microsecond })
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{server}, Policies: policy.RoutedBy(&inTurn{}),
		Source: source, Listener: source,
		Horizon: simulator.Horizon{Duration: time.Duration(span * 1e9), WarmUp: warmUp, Drain: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &o.Cells[0]
	return float64(c.Arrived) / (span - warmUp.Seconds()), c.E2E.Mean() / 1e9
}

// TestClosedLoopsLeaveLockstep: 64 users ask for 128 tokens in answer to 128 tokens, without
// a think time, of an engine whose step takes 8 ms and 16 µs for each token of a prompt. All
// of them begin at once, so that the first step computes 64 × 128 tokens in 8 + 131.072 ms.
// All answers end in one step then, and the users of clients without a turnaround send their
// next requests at once again: each request has a TTFT of 139.072 ms, for ever. With a
// turnaround of 2 ms the mean TTFT comes near to that of requests that come at random as
// often.
func TestClosedLoopsLeaveLockstep(t *testing.T) {
	const lockstep = 139.072
	ttft := func(c workload.Client, seed int64) (mean, rate float64) {
		t.Helper()
		c.Name = "users"
		c.Input, c.Output = workload.Lengths{Distribution: stats.Constant{Value: 128}, Min: 1}, workload.Lengths{Distribution: stats.Constant{Value: 128}, Min: 1}
		source := workload.NewClients([]workload.Client{c}, seed)
		server := singleServer("one", 64, nil).pool
		server.Name, server.Replicas, server.MaxNumBatchedTokens, server.MaxNumSeqs = "server", 1, 8192, 256
		server.KVBlocks, server.BlockTokens = 4096, 16
		server.Timer = timer(func(s latency.Step) time.Duration {
			return 8*time.Millisecond + time.Duration(s.PrefillTokens)*16*time.Microsecond
		})
		config := simulator.Config{
			Pools: []simulator.Pool{server}, Policies: policy.RoutedBy(&inTurn{}), Source: source,
			Horizon: simulator.Horizon{Duration: 120 * time.Second, WarmUp: 20 * time.Second, Drain: time.Hour},
		}
		if c.ClosedLoop != nil {
			config.Listener = source
		}
		o, err := simulation.Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		cell := &o.Cells[0]
		return cell.TTFT.Mean() / 1e6, float64(cell.Arrived) / 100
	}
	loop := func(turnaround time.Duration) workload.Client {
		return workload.Client{ClosedLoop: &workload.ClosedLoop{Concurrency: 64, Turnaround: turnaround}}
	}
	if mean, _ := ttft(loop(0), 1); math.Abs(mean-lockstep) > 1e-6 {
		t.Errorf("without a turnaround the mean TTFT is %v ms, want %v", mean, lockstep)
	}
	for seed := range int64(5) {
		mean, rate := ttft(loop(2*time.Millisecond), seed)
		atRandom, _ := ttft(workload.Client{Arrivals: workload.Arrivals{Process: workload.Poisson, RatePerSecond: rate}}, seed)
		t.Logf("seed %d: a TTFT of %.1f ms with a turnaround, %.1f ms at random", seed, mean, atRandom)
		if mean < atRandom*0.8 || mean > atRandom*1.6 {
			t.Errorf("seed %d: the mean TTFT is %v ms, and %v ms of requests that come at random", seed, mean, atRandom)
		}
	}
}

// TestRetriesAddUp: clients who give up and try again send first attempts and retries,
// and each of them ends once.
func TestRetriesAddUp(t *testing.T) {
	source := workload.WithRetries(workload.NewClients([]workload.Client{{
		Name:     "impatient",
		Arrivals: workload.Arrivals{Process: workload.Poisson, RatePerSecond: 1100},
		Timeout:  20 * time.Millisecond,
		Input:    workload.Lengths{Distribution: stats.Exponential{Mean: queueMean}, Min: 1},
		Output:   workload.Lengths{Distribution: stats.Constant{Value: 1}, Min: 1},
	}}, 1), func(int) *workload.Retry {
		return &workload.Retry{Max: 3, Backoff: 50 * time.Millisecond, Multiplier: 2, Jitter: 0.5, After: []workload.Ending{workload.TimedOut}}
	}, 1)
	counted := &countingSource{Listener: source}
	server := singleServer("one", 1, nil).pool
	server.Name, server.Replicas = "server", 1
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{server}, Policies: policy.RoutedBy(&inTurn{}),
		Source: counted, Listener: source,
		Horizon: simulator.Horizon{Duration: 20 * time.Second, Drain: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &o.Cells[0]
	if c.Arrived != counted.first+counted.retries || c.Retries != counted.retries {
		t.Errorf("%d arrived and %d are retries, want %d and %d", c.Arrived, c.Retries, counted.first+counted.retries, counted.retries)
	}
	if c.TimedOut == 0 || c.Retries == 0 || c.Arrived != c.Completed+c.TimedOut {
		t.Errorf("%d arrived, %d completed, %d timed out, %d retries", c.Arrived, c.Completed, c.TimedOut, c.Retries)
	}
}

// countingSource counts what it gives.
type countingSource struct {
	workload.Listener
	first, retries int64
}

func (s *countingSource) Next() (workload.Request, bool) {
	r, ok := s.Listener.Next()
	switch {
	case !ok:
	case r.Attempt == 0:
		s.first++
	default:
		s.retries++
	}
	return r, ok
}
