// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// given is a source of given requests.
type given struct{ requests []workload.Request }

func (g *given) Labels() workload.Labels { return workload.Labels{} }

func (g *given) Next() (workload.Request, bool) {
	if len(g.requests) == 0 {
		return workload.Request{}, false
	}
	q := g.requests[0]
	g.requests = g.requests[1:]
	return q, true
}

// inTwoStages is a split cluster without hand-overs: one cluster computes prompts
// and answers with a token, and what it has answered arrives, a transfer later, at
// another one as a prompt of a single token. Where contexts cost decodes nothing,
// the latter does what the decoding part of a split cluster does.
func inTwoStages(t *testing.T, c cluster, requests []workload.Request, completed func(simulator.Completion)) {
	t.Helper()
	compute, decode := c, c
	compute.machines, compute.prefill = c.prefill, 0
	decode.machines, decode.prefill = c.machines-c.prefill, 0
	run := func(c cluster, requests []workload.Request, completed func(simulator.Completion)) {
		config := c.config(&given{requests}, c.machine.table.Timer())
		config.Completed = completed
		if _, err := simulation.Run(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	prompts := slices.Clone(requests)
	for i := range prompts {
		prompts[i].OutputTokens = 1
	}
	var handedOver []workload.Request
	run(compute, prompts, func(done simulator.Completion) {
		q := requests[done.ID]
		blocks := (done.PromptTokens + blockTokens - 1) / blockTokens
		seconds := float64(int64(blocks)*c.machine.blockBytes) / float64(c.network.bytesPerSecond)
		q.Arrival = done.FirstToken + simtime.Time(2*perDirection) + simtime.Time(seconds*1e9)
		q.Prompt = prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(done.ID + 1), Tokens: 1}}}
		handedOver = append(handedOver, q)
	})
	slices.SortFunc(handedOver, func(a, b workload.Request) int { return cmp.Compare(a.Arrival, b.Arrival) })
	run(decode, handedOver, func(done simulator.Completion) {
		q := requests[handedOver[done.ID].ID]
		done.ID, done.Arrival, done.PromptTokens = q.ID, q.Arrival, q.Prompt.Tokens()
		completed(done)
	})
}

// The times of a split cluster are those of its parts, one after the other. They
// differ a little: here a transfer shares no link, and machines are chosen when
// their part begins.
func TestASplitClusterIsItsPartsOneAfterTheOther(t *testing.T) {
	m, err := newMachine(catalogueH100, small(t).table(assumptions{freeContext: true}))
	if err != nil {
		t.Fatal(err)
	}
	all := conversations(600, conversationPromptSigma)
	tr := trial{
		cluster: cluster{
			machine: m, machines: 5, prefill: 2, budget: defaultBudget,
			network: network{bytesPerSecond: 400e9, granularity: simulator.GranularityChunk},
		},
		requests: all, alone: uncontended{m.table.Timer()}, seeds: 1,
	}
	for _, rate := range []float64{2, 8, 12} {
		split := sample{trial: tr}
		if err := split.run(rate, 1); err != nil {
			t.Fatal(err)
		}
		parts := sample{trial: tr}
		inTwoStages(t, tr.cluster, drainAll(newPoisson(all, rate, 1)), parts.completion)
		compare := func(what string, got, want []float64, tolerance float64) {
			if g, w := mean(got), mean(want); math.Abs(g/w-1) > tolerance {
				t.Errorf("%s at %v/s: %v split, %v in parts", what, rate, time.Duration(g*1e6), time.Duration(w*1e6))
			}
		}
		compare("TTFT", split.ttftMs, parts.ttftMs, 0.05)
		compare("TBT", split.tbtMs, parts.tbtMs, 0.01)
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
