// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"sync"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// servedStep takes 8 ms, and as much more as a request decodes or a prompt is computed.
type servedStep struct{}

func (servedStep) StepTime(s latency.Step) time.Duration {
	return 8*time.Millisecond + time.Duration(s.DecodeTokens)*20*time.Microsecond + time.Duration(s.PrefillTokens)*10*time.Microsecond
}

// BenchmarkLateness sends 1,000 requests a second to 16 replicas, of 500 tokens, 300 of them in common,
// and answers of 100. An operation is a request. It reports how late tokens were given by the
// pool, and how late their readers had them:
//
//	go test ./pkg/live/replicas -run none -bench Lateness -benchtime 20000x -cpu 2
func BenchmarkLateness(b *testing.B) {
	const perSecond, replicas = 1000, 16
	config := smallPool(replicas)
	served := &config.Simulated.Pools[0]
	served.Timer, served.BlockTokens, served.KVBlocks = servedStep{}, 16, 20_000
	served.MaxNumSeqs, served.MaxNumBatchedTokens = 256, 8192
	config.NamedTokens, config.MaxLateness = 0, time.Minute
	p := New(config)
	go p.Run(b.Context())
	var (
		readers sync.WaitGroup
		mu      sync.Mutex
		late    stats.Histogram
	)
	b.ResetTimer()
	start := time.Now()
	for i := range b.N {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / perSecond)))
		s, err := p.Submit(i%replicas, benchmarkRequest(int64(i)))
		if err != nil {
			b.Fatal(err)
		}
		readers.Go(func() {
			for {
				_, ok, err := s.Next(b.Context())
				if !ok || err != nil {
					return
				}
				by := -p.clock.until(s.Progress().Last)
				mu.Lock()
				late.Record(max(int64(by), 0))
				mu.Unlock()
			}
		})
	}
	readers.Wait()
	b.StopTimer()
	given := lateness(b, p)
	b.ReportMetric(100*float64(upTo(given, .002))/float64(given.GetSampleCount()), "%given≤2ms")
	b.ReportMetric(late.Quantile(.5)/1e6, "p50-ms")
	b.ReportMetric(late.Quantile(.99)/1e6, "p99-ms")
	b.ReportMetric(float64(late.Max())/1e6, "max-ms")
	b.ReportMetric(float64(given.GetSampleCount())/b.Elapsed().Seconds(), "tokens/s")
}

func benchmarkRequest(i int64) Request {
	stream := stats.NewStream(i, "request")
	r := Request{Prompt: make([]uint32, 500), Answer: make([]uint32, 100)}
	for i := range r.Prompt {
		if i >= 300 {
			r.Prompt[i] = uint32(stream.Uint64())
		}
	}
	for i := range r.Answer {
		r.Answer[i] = uint32(stream.Uint64())
	}
	return r
}
