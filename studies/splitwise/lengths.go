// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"math"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// lengths are the tokens of one request's prompt and answer.
type lengths struct{ prompt, answer int }

// readCode returns the lengths of the requests of an Azure trace, as recorded.
func readCode(r io.Reader, name string) ([]lengths, error) {
	recorded, err := trace.Read(trace.Azure, r, name)
	if err != nil {
		return nil, err
	}
	source := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 0)
	var all []lengths
	for q, ok := source.Next(); ok; q, ok = source.Next() {
		all = append(all, lengths{q.Prompt.Tokens(), q.OutputTokens})
	}
	return all, nil
}

// Conversations: the medians are published, the spreads are ours, and lengths
// stay within what was measured.
const (
	conversationPromptMedian, conversationPromptSigma = 1020, 0.8
	conversationAnswerMedian, conversationAnswerSigma = 129, 1.0
	conversationLeast                                 = 8
	conversationLongestPrompt                         = 8192
	conversationLongestAnswer                         = 2048
)

// conversations draws n requests with log-normal lengths; one spread is that of
// the prompts.
func conversations(n int, promptSigma float64) []lengths {
	prompts := stats.LogNormal{Mu: stats.Log(conversationPromptMedian), Sigma: promptSigma}
	answers := stats.LogNormal{Mu: stats.Log(conversationAnswerMedian), Sigma: conversationAnswerSigma}
	stream := stats.NewStream(1, "study/conversation")
	clamp := func(v float64, most int) int {
		return max(conversationLeast, min(int(math.Round(v)), most))
	}
	all := make([]lengths, n)
	for i := range all {
		all[i].prompt = clamp(prompts.Sample(stream), conversationLongestPrompt)
		all[i].answer = clamp(answers.Sample(stream), conversationLongestAnswer)
	}
	return all
}

// poisson sends each of some requests once, in an order that the seed draws, at
// the times of a Poisson process. No text is sent twice. Under one seed the order
// and the gaps, but for their scale, are the same at any rate.
type poisson struct {
	all   []lengths
	order []int
	gapNs float64
	gaps  *stats.Stream
	sent  int
	at    float64 // ns
}

func newPoisson(all []lengths, ratePerSecond float64, seed int64) *poisson {
	p := &poisson{all: all, gapNs: 1e9 / ratePerSecond, gaps: stats.NewStream(seed, "study/arrivals")}
	shuffle := stats.NewStream(seed, "study/order")
	for i := range all {
		p.order = append(p.order, i)
		j := shuffle.IntN(i + 1)
		p.order[i], p.order[j] = p.order[j], p.order[i]
	}
	return p
}

// Labels implements [workload.Source].
func (p *poisson) Labels() workload.Labels { return workload.Labels{} }

// Next implements [workload.Source].
func (p *poisson) Next() (workload.Request, bool) {
	if p.sent == len(p.all) {
		return workload.Request{}, false
	}
	id := p.sent
	p.sent++
	p.at += p.gaps.Exponential() * p.gapNs
	l, text := p.all[p.order[id]], uint64(id+1)
	return workload.Request{
		ID: id, Arrival: simtime.Time(p.at),
		Prompt:       prompt.Prompt{Extents: []prompt.Extent{{Source: text, Tokens: int32(l.prompt)}}},
		OutputTokens: l.answer, Response: text, ResponseStart: int32(l.prompt),
	}, true
}
