// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"fmt"
	"math/rand/v2"
)

// Story is what a monitoring system scraped, and what was asked. Times are milliseconds.
type Story struct {
	Interval  int64
	Pods      []string
	Samples   []Sample
	Questions []Question
}

// Sample is one scrape of all pods.
type Sample struct {
	At      int64
	Engines []Engine
}

// Engine is what a pod showed. Observed counts by bucket.
type Engine struct {
	Up              bool
	Waiting, Tokens int64
	Observed        []int64
}

// Question is a query and the answer.
type Question struct {
	At     int64
	Query  string
	Failed bool     `json:",omitempty"`
	Want   []Series `json:",omitempty"`
}

// Series is one series of an answer. Labels has those of a pod, a pool or a model, in order.
type Series struct {
	Labels []string `json:",omitempty"`
	Value  string
}

// bounds are those of vllm:time_to_first_token_seconds.
var bounds = []string{
	"0.001", "0.005", "0.01", "0.02", "0.04", "0.06", "0.08", "0.1", "0.25", "0.5", "0.75", "1.0", "2.5", "5.0", "7.5", "10.0",
	"20.0", "40.0", "80.0", "160.0", "640.0", "2560.0", "+Inf",
}

func randomStory(r *rand.Rand) *Story {
	s := &Story{Interval: []int64{5000, 15000, 30000, 60000}[r.IntN(4)]}
	pods := 1 + r.IntN(4)
	for i := range pods {
		s.Pods = append(s.Pods, fmt.Sprintf("%s/%d", []string{"llama", "qwen"}[i%2], i/2))
	}
	engines := make([]Engine, pods)
	for k := range 5 + r.IntN(25) {
		for i := range engines {
			engines[i] = engines[i].next(r)
		}
		sample := Sample{At: int64(k+1) * s.Interval}
		for _, e := range engines {
			e.Observed = append([]int64(nil), e.Observed...)
			sample.Engines = append(sample.Engines, e)
		}
		s.Samples = append(s.Samples, sample)
	}
	return s
}

// next lets an engine start, end, restart, idle or work.
func (e Engine) next(r *rand.Rand) Engine {
	switch chance := r.Float64(); {
	case !e.Up && chance < 0.5, e.Up && chance < 0.05:
		return Engine{Up: true, Tokens: int64(r.IntN(20)), Observed: make([]int64, len(bounds))}
	case !e.Up || chance < 0.1:
		return Engine{Observed: make([]int64, len(bounds))}
	case chance < 0.2:
		return e
	}
	e.Waiting = int64(r.IntN(20))
	e.Tokens += int64(r.IntN(1000))
	e.Observed = append([]int64(nil), e.Observed...)
	for range r.IntN(20) {
		e.Observed[min(len(bounds)-1, max(0, int(10+3*r.NormFloat64())))]++
	}
	return e
}
