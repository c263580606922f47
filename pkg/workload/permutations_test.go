// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// eachKindOfClient is a client of each kind, each named after it, under several tenants.
func eachKindOfClient() []workload.Client {
	varied := func(c workload.Client) workload.Client {
		c.Arrivals = workload.Arrivals{Process: workload.Poisson, RatePerSecond: 2}
		c.Input = workload.Lengths{Distribution: stats.Exponential{Mean: 200}, Min: 1}
		c.Output = workload.Lengths{Distribution: stats.Exponential{Mean: 40}, Min: 1}
		return c
	}
	completion := varied(constantClient("completion", 1))
	repeated := varied(constantClient("repeated", 1))
	repeated.Prompts = &workload.Prompts{Count: 7, Order: workload.Random}
	groups := varied(constantClient("groups", 1))
	groups.PrefixGroup, groups.PrefixTokens = "g", 64
	groups.PrefixGroups = &workload.PrefixGroups{Count: 9, ZipfExponent: 1, DriftPeriod: 20 * time.Second, Correlation: 0.4}
	examples := varied(constantClient("examples", 1))
	examples.PrefixGroup, examples.PrefixTokens = "g", 64
	examples.Examples = &workload.Examples{Pool: 12, Count: upTo(5), Tokens: examples.Input}
	media := varied(constantClient("media", 1))
	media.Media = []workload.Media{{Kind: "image", Probability: 0.5, Count: upTo(3), Tokens: media.Input, Pool: 4}}
	reasoning := varied(constantClient("reasoning", 1))
	reasoning.Reasoning = &workload.Reasoning{Steps: upTo(4), TokensPerStep: reasoning.Output}
	chat := varied(conversationClient("chat", 3))
	chat.Sessions.Order = workload.Random
	waiting := sessionClient("waiting")
	loop := varied(loopClient("loop", 4, workload.Durations{Distribution: stats.Exponential{Mean: 1}}))
	loop.Arrivals = workload.Arrivals{}
	agent := agentClient(func(s *workload.Sessions) {
		s.Tools = &workload.Tools{Probability: 0.5, Calls: upTo(3), Latency: seconds(0.5), Result: tokens(30)}
		s.Branches = threeBranches()
	})
	agent.Arrivals.RatePerSecond = 0.5
	own, random, cycle := varied(constantClient("own", 1)), varied(constantClient("random", 1)), varied(constantClient("cycle", 1))
	own.Copies = &workload.Copies{Count: 3, ZipfExponent: 1}
	random.Copies, random.LengthCV = &workload.Copies{Count: 30, ZipfExponent: 1, SharedArrivals: workload.Random}, 0.5
	cycle.Copies = &workload.Copies{Count: 3, SharedArrivals: workload.Cycle}
	modulated := varied(constantClient("modulated", 1))
	modulated.Arrivals.Process = arrival.MMPP
	modulated.Arrivals.States = []arrival.State{{RateFactor: 1, MeanDuration: time.Second}, {RateFactor: 5, MeanDuration: time.Second}}
	bursty := varied(constantClient("bursty", 1))
	bursty.Arrivals.SizeCorrelation, bursty.Copies = 0.7, &workload.Copies{Count: 2, SharedArrivals: workload.Random}
	loops, turns := loopOfCopies(3, 2, time.Second, func(c *workload.Client) { c.Name, c.Adapter = "loops", "" }), waiting
	turns.Name, turns.Copies = "turns", &workload.Copies{Count: 3, SharedArrivals: workload.Random}
	clients := []workload.Client{
		completion, repeated, groups, examples, media, reasoning, chat, waiting, loop, agent, own, random, cycle, modulated, bursty, loops, turns,
	}
	for i := range clients {
		clients[i].Tenant, clients[i].Class = []string{"a", "b", "c"}[i%3], []string{"x", "y"}[i%2]
		clients[i].Priority = i
	}
	return clients
}

// TestOrderAndCompanyChangeNoRequest permutes and removes clients and a trace beside them. All
// requests of those that remain stay what they are, but for IDs, indices and the numbers of
// sessions.
func TestOrderAndCompanyChangeNoRequest(t *testing.T) {
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(workloadtest.SessionTrace), "t")
	if err != nil {
		t.Fatal(err)
	}
	latency := func(r workload.Request) (time.Duration, workload.Ending) {
		return time.Duration(r.Prompt.Tokens()+r.OutputTokens) * time.Millisecond, workload.Completed
	}
	// requests are those of the first 20 s, by client.
	requests := func(clients []workload.Client, traceFirst, traced bool) map[string][]string {
		parts := []workload.Listener{workload.NewClients(clients, 5)}
		if traced {
			parts = append(parts, recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Tenant: "a"}, 5))
			if traceFirst {
				parts[0], parts[1] = parts[1], parts[0]
			}
		}
		source := workload.Mix(parts...)
		all := workloadtest.Serve(source, 2000, latency)
		workloadtest.CheckOrder(t, all)
		const end = 20 * time.Second
		within := all[:0]
		for _, r := range all {
			if time.Duration(r.Arrival) < end {
				within = append(within, r)
			}
		}
		by := map[string][]string{}
		for _, name := range source.Labels().Clients {
			by[name] = named(source.Labels(), within, name)
		}
		return by
	}
	want := requests(eachKindOfClient(), false, true)
	draw := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		clients := eachKindOfClient()
		draw.Shuffle(len(clients), func(i, j int) { clients[i], clients[j] = clients[j], clients[i] })
		clients = clients[:1+draw.IntN(len(clients))]
		got := requests(clients, draw.IntN(2) == 0, draw.IntN(2) == 0)
		for name, of := range got {
			if diff := cmp.Diff(want[name], of); diff != "" {
				t.Errorf("requests of %s among %d clients (−all +some):\n%s", name, len(clients), diff)
			}
		}
	}
	for name, of := range want {
		if len(of) == 0 && !strings.HasPrefix(name, "random-") {
			t.Errorf("%s sends nothing", name)
		}
	}
}
