// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// twentyMilliseconds is a timer whose steps take 20 ms whatever they compute.
type twentyMilliseconds struct{}

func (twentyMilliseconds) StepTime(latency.Step) time.Duration { return 20 * time.Millisecond }

// TestOnlyMeasuredRequestsHaveEngineTimes has a prompt that takes one step of 20 ms, and, in the
// warm-up, one that takes three.
func TestOnlyMeasuredRequestsHaveEngineTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		pool := replicas.New(replicas.Config{
			Simulated: simulator.Config{Pools: []simulator.Pool{{
				Name: "pool", Replicas: 1, Timer: twentyMilliseconds{}, BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 4, MaxNumBatchedTokens: 10,
			}}},
			Speed: 1, MaxLateness: time.Second, NamedTokens: 1000,
		})
		done := make(chan error, 1)
		go func() { done <- pool.Run(ctx) }()
		var times EngineTimes
		for _, of := range []struct {
			id     string
			prompt int
		}{{"warm-up", 30}, {"measured", 10}} {
			s, err := pool.Submit(0, replicas.Request{ID: of.id, Prompt: make([]uint32, of.prompt), Answer: make([]uint32, 3)})
			if err != nil {
				t.Fatal(err)
			}
			times.Submitted(of.id, s)
			for ok := true; ok; {
				if _, ok, err = s.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		times.Measure("measured")
		times.Measure("never sent")
		for _, metric := range []string{"engineTtft.p99", "tpot.mean"} {
			if got, ok := times.Metrics().Get(metric); !ok || got != 0.02 {
				t.Errorf("%s is %v s", metric, got)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
