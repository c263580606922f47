// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counted is what the server counts of requests by itself. It may be used concurrently.
type counted struct {
	// finished counts requests by how they ended.
	finished map[string]*atomic.Int64
	// Histograms of what requests ask for, and of the tokens that those have which ended.
	maxTokens, mostTokens, n, prompt, generation prometheus.Histogram
}

// ends of requests, as vLLM names them.
var ends = []string{"abort", "error", "length", "stop"}

func newCounted(maxModelLen int) counted {
	c := counted{finished: map[string]*atomic.Int64{}}
	for _, end := range ends {
		c.finished[end] = new(atomic.Int64)
	}
	tokens := tokenBuckets(maxModelLen)
	for _, h := range []struct {
		of      *prometheus.Histogram
		buckets []float64
	}{{&c.maxTokens, tokens}, {&c.mostTokens, tokens}, {&c.prompt, tokens}, {&c.generation, tokens}, {&c.n, []float64{1, 2, 5, 10, 20}}} {
		*h.of = prometheus.NewHistogram(prometheus.HistogramOpts{Buckets: h.buckets})
	}
	return c
}

// tokenBuckets are 1, 2 and 5 times the powers of 10 up to a number of tokens.
func tokenBuckets(most int) (buckets []float64) {
	for power := 1; power <= most; power *= 10 {
		for _, times := range []int{1, 2, 5} {
			if times*power <= most {
				buckets = append(buckets, float64(times*power))
			}
		}
	}
	return buckets
}

// asks counts what a request asks of the answers to a prompt.
func (c *counted) asks(w *wish, g *generation) {
	c.n.Observe(float64(g.choices()))
	c.mostTokens.Observe(float64(w.most))
	if g.MaxTokens != nil {
		c.maxTokens.Observe(float64(*g.MaxTokens))
	}
}

// ends counts the answers of a job that has ended, with the error that ended it. gone says that the client
// did not wait for it.
func (c *counted) ends(j *job, err error, gone bool) {
	for i, a := range j.answers {
		switch {
		case gone:
			c.finished["abort"].Add(1)
		case err != nil:
			c.finished["error"].Add(1)
		default:
			c.finished[a.finish].Add(1)
			c.prompt.Observe(float64(len(j.prompt(i))))
			c.generation.Observe(float64(len(a.ids)))
		}
	}
}
