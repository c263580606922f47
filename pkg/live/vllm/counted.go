// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counted is what the server counts of requests by itself. It may be used concurrently.
type counted struct {
	// finished counts requests by how they ended.
	finished map[string]*atomic.Int64
	// Histograms of answers that have ended: the bound, the tokens of prompt and answer; and of prompts
	// whose answers all have: their number, and the tokens of the longest one.
	maxTokens, prompt, generation, n, longest prometheus.Histogram
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
	}{{&c.maxTokens, tokens}, {&c.prompt, tokens}, {&c.generation, tokens}, {&c.longest, tokens}, {&c.n, []float64{1, 2, 5, 10, 20}}} {
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

// ends counts the answers of a job that has ended, with the error that ended it. gone says that the client
// did not wait for it. What is counted when is as in vLLM (vllm/v1/metrics/stats.py at 28ed1fb and
// vllm/v1/engine/parallel_sampling.py at 003d3ee).
func (c *counted) ends(j *job, err error, gone bool) {
	switch answers := int64(len(j.answers)); {
	case gone:
		c.finished["abort"].Add(answers)
		return
	case err != nil:
		c.finished["error"].Add(answers)
		return
	}
	for i := range j.answers {
		a := &j.answers[i]
		c.finished[a.finish].Add(1)
		c.maxTokens.Observe(float64(a.most))
		c.prompt.Observe(float64(len(j.prompt(i))))
		c.generation.Observe(float64(len(a.ids)))
	}
	for answers := range slices.Chunk(j.answers, j.choices()) {
		longest := 0
		for i := range answers {
			longest = max(longest, len(answers[i].ids))
		}
		c.n.Observe(float64(len(answers)))
		c.longest.Observe(float64(longest))
	}
}
