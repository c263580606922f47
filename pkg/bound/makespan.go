// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Demand is what a request asks of an engine.
type Demand struct {
	Arrival simtime.Time
	// PromptTokens is the length of the prompt. ComputedTokens are those that an engine has
	// to compute of it at least: the ones that [Reuse.Found] does not count.
	PromptTokens, ComputedTokens int
	// OutputTokens is the length of the answer, at least 1.
	OutputTokens int
}

// Engines are identical replicas.
type Engines struct {
	Replicas int
	// MaxNumSeqs and MaxNumBatchedTokens bound one step.
	MaxNumSeqs, MaxNumBatchedTokens int
	// Floors are lower bounds of the step times.
	Floors []latency.Floor
}

// Makespan returns a time before which no cluster of such engines can have answered all
// requests, in order of arrival, whatever its router and its schedulers do.
//
// One queue with all work, from which each replica takes as much as it can at any time, is
// at least as fast as queues of the replicas' own. It needs the work of all requests that
// arrive from some time on, divided by the number of replicas, from this time on. Work adds
// up by the floors of step times. Each step has a bounded number of sequences and of tokens,
// so a share of its fixed time falls on each of them. And no request is faster than its
// tokens one by one.
func Makespan(demands []Demand, e Engines) simtime.Time {
	end := 0.0
	for _, f := range e.Floors {
		bySequence, byToken := f, f
		bySequence.Sample += f.Step / float64(e.MaxNumSeqs)
		byToken.Token += f.Step / float64(e.MaxNumBatchedTokens)
		end = max(end, lastEnd(demands, bySequence, e.Replicas), lastEnd(demands, byToken, e.Replicas))
		for i := range demands {
			d := &demands[i]
			end = max(end, float64(d.Arrival)+float64(d.OutputTokens)*f.Step+d.work(f, 1))
		}
	}
	return simtime.Time(end)
}

// lastEnd is the bound by the work of all requests from one on, without fixed times.
func lastEnd(demands []Demand, f latency.Floor, replicas int) float64 {
	end, work := 0.0, 0.0
	for i := len(demands) - 1; i >= 0; i-- {
		work += demands[i].work(f, demands[i].ComputedTokens)
		end = max(end, float64(demands[i].Arrival)+work/float64(replicas))
	}
	return end
}

// work is what a request takes at least of steps that it shares with others, if a number of
// tokens of its prompt are computed. The first token of the answer comes from the prompt's
// last step. Each of the others takes a step that computes one token, which attends to the
// prompt and to all of the answer before it.
func (d *Demand) work(f latency.Floor, computed int) float64 {
	n := float64(d.OutputTokens - 1)
	reads := n*float64(d.PromptTokens) + n*(n+1)/2 + float64(computed)
	return f.Token*(float64(computed)+n) + f.Sample*float64(d.OutputTokens) + (f.Pair+f.Context)*reads
}
