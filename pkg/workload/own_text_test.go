// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// An own text is one that no other request of the source begins with, its retries included.
func TestOwnTextsAreInOnePrompt(t *testing.T) {
	few := workload.Lengths{Distribution: stats.Uniform{Low: 0.5, High: 6.5}, Min: 1, Max: 6}
	client := func(name string, change func(*workload.Client)) workload.Client {
		c := validClient(name)
		c.Input, c.Output, c.PrefixGroup, c.PrefixTokens = few, few, "g", 2
		change(&c)
		return c
	}
	retry := &workload.Retry{Max: 2, Backoff: time.Second, Multiplier: 1, After: []workload.Ending{workload.Failed}}
	clients := []workload.Client{
		client("plain", func(c *workload.Client) {}),
		client("no prefix", func(c *workload.Client) { c.PrefixGroup, c.PrefixTokens = "", 0 }),
		client("media", func(c *workload.Client) {
			c.Media = []workload.Media{{Kind: "Image", Probability: 0.5, Count: few, Tokens: few}, {Kind: "Video", Probability: 0.5, Count: few, Tokens: few, Pool: 2}}
		}),
		client("groups", func(c *workload.Client) { c.PrefixGroups = &workload.PrefixGroups{Count: 3} }),
		client("prompts", func(c *workload.Client) { c.Prompts = &workload.Prompts{Count: 5, Order: workload.Cycle} }),
		client("sessions", func(c *workload.Client) {
			c.Sessions = &workload.Sessions{Concurrent: 2, Turns: tokens(3), Context: workload.Accumulate, Order: workload.Cycle}
		}),
		client("retries", func(c *workload.Client) {}),
		client("copies", func(c *workload.Client) { c.Copies = &workload.Copies{Count: 3} }),
	}
	source := workload.WithRetries(workload.NewClients(clients, 1), func(client int) *workload.Retry {
		if client == 6 {
			return retry
		}
		return nil
	}, 1)
	requests := workloadtest.Serve(source, 2000, always(time.Second, workload.Failed))
	begin := map[uint64]int{} // how many requests begin with a prefix
	for _, r := range requests {
		answer := prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(r.OutputTokens)}
		for _, id := range r.Prompt.Append(answer).FullBlocks(nil, 1) {
			begin[id]++
		}
	}
	own := map[int]int{} // requests with an own text, by client
	for _, r := range requests {
		if r.Prompt.Own == 0 {
			continue
		}
		own[r.Client]++
		first := r.Prompt.FullBlocks(nil, 1)[r.Prompt.Shared().Tokens()]
		if begin[first] != 1 {
			t.Errorf("%d requests have the own text of request %d of client %d", begin[first], r.ID, r.Client)
		}
	}
	for client, want := range []bool{true, true, true, true, false, false, false, true} {
		if (own[client] > 0) != want {
			t.Errorf("%d requests of client %q have an own text", own[client], clients[min(client, 7)].Name)
		}
	}
}
