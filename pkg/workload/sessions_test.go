// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// conversationClient is a client of conversations of three turns: prompts of 100 tokens behind
// 50 of a prefix, answers of 10.
func conversationClient(name string, concurrent int) workload.Client {
	c := constantClient(name, 1)
	c.PrefixGroup, c.PrefixTokens = "system", 50
	c.Sessions = &workload.Sessions{Concurrent: concurrent, Turns: tokens(3), Context: workload.Accumulate, Order: workload.Cycle}
	return c
}

func TestSessionsTakeTurns(t *testing.T) {
	type turn struct {
		Session int32
		Tokens  int
	}
	var got []turn
	requests := workloadtest.Take(workload.NewClients([]workload.Client{conversationClient("chat", 2)}, 1), 8)
	workloadtest.CheckOrder(t, requests)
	for _, r := range requests {
		got = append(got, turn{r.Session, r.Prompt.Tokens()})
	}
	want := []turn{{1, 150}, {2, 150}, {1, 260}, {2, 260}, {1, 370}, {2, 370}, {3, 150}, {4, 150}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns (−want +got):\n%s", diff)
	}
}

// What an engine has cached of a prompt and its answer is the beginning of the
// next turn's prompt, and of no other session's.
func TestTurnBeginsWithConversation(t *testing.T) {
	c := conversationClient("chat", 3)
	c.Input = workload.Lengths{Distribution: stats.Uniform{Low: 1, High: 60}, Min: 1}
	c.Output = workload.Lengths{Distribution: stats.Uniform{Low: 1, High: 60}, Min: 1}
	c.Sessions.Turns = workload.Lengths{Distribution: stats.Exponential{Mean: 4}, Min: 1}
	c.Sessions.Order = workload.Random
	said := map[int32]prompt.Prompt{}
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 300) {
		now := r.Prompt.FullBlocks(nil, 1)
		for session, before := range said {
			shared := 0
			for i, block := range before.FullBlocks(nil, 1) {
				if i < len(now) && now[i] == block {
					shared++
				}
			}
			want := 50 // the prefix
			if session == r.Session {
				want = before.Tokens()
			}
			if shared != want {
				t.Fatalf("request %d of session %d shares %d tokens with session %d, want %d", r.ID, r.Session, shared, session, want)
			}
		}
		said[r.Session] = r.Prompt.Append(prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(r.OutputTokens)})
	}
}

func TestSessionNumbersHaveNoGaps(t *testing.T) {
	last := int32(0)
	clients := append(workload.Copies{Count: 3}.Expand(conversationClient("chat", 4)), conversationClient("other", 2), constantClient("single", 1))
	ends := map[int32]int{}
	for _, r := range workloadtest.Take(workload.NewClients(clients, 1), 1000) {
		switch {
		case r.Client == 4:
			if r.Session != 0 {
				t.Errorf("request %d of a client without sessions is of session %d", r.ID, r.Session)
			}
		case r.Session == last+1:
			last++
		case r.Session > last || r.Session < 1:
			t.Fatalf("request %d begins session %d after %d", r.ID, r.Session, last)
		}
		if owner, ok := ends[r.Session]; ok && owner != r.Client && r.Session > 0 {
			t.Errorf("session %d is of client %d and of %d", r.Session, owner, r.Client)
		}
		ends[r.Session] = r.Client
	}
}

func TestSessionContextIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Client)
		want []string // session/tokens of the prompt
	}{
		"room for two turns": {
			func(c *workload.Client) { c.Sessions.MaxTokens = 260 }, []string{"1/150", "1/260", "2/150", "2/260", "3/150"},
		},
		"a token too few for them": {
			func(c *workload.Client) { c.Sessions.MaxTokens = 259 }, []string{"1/150", "2/150", "3/150", "4/150", "5/150"},
		},
		"not even room for one": {
			func(c *workload.Client) { c.Sessions.MaxTokens = 1 }, []string{"1/150", "2/150", "3/150", "4/150", "5/150"},
		},
		"nothing accumulates": {
			func(c *workload.Client) { c.Sessions.Context, c.Sessions.MaxTokens = workload.Independent, 1 }, []string{"1/150", "1/150", "1/150", "2/150", "2/150"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := conversationClient("chat", 1)
			tc.edit(&c)
			var got []string
			for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 5) {
				got = append(got, fmt.Sprintf("%d/%d", r.Session, r.Prompt.Tokens()))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("turns (−want +got):\n%s", diff)
			}
		})
	}
}

func TestRequestsHaveAdapters(t *testing.T) {
	tuned := constantClient("tuned", 1)
	tuned.Adapter = "tone"
	clients := []workload.Client{constantClient("base", 1)}
	clients = append(clients, workload.Copies{Count: 2}.Expand(tuned)...)
	tuned.Name = "all"
	clients = append(clients, workload.Copies{Count: 2, SharedAdapter: true}.Expand(tuned)...)
	source := workload.NewClients(clients, 1)
	if diff := cmp.Diff([]string{"tone-1", "tone-2", "tone"}, source.Labels().Adapters); diff != "" {
		t.Errorf("adapters (−want +got):\n%s", diff)
	}
	got := make([]int, len(clients))
	for _, r := range workloadtest.Take(source, 50) {
		got[r.Client] = r.Adapter
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 3}, got); diff != "" {
		t.Errorf("adapters by client (−want +got):\n%s", diff)
	}
}

func TestPromptAndSessionValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Client)
		path string
	}{
		"no prompt":                 {func(c *workload.Client) { *c = repeatingClient(0, workload.Cycle) }, "c.prompts.count"},
		"an order of prompts":       {func(c *workload.Client) { *c = repeatingClient(1, "Sorted") }, "c.prompts.order"},
		"prompts of conversations":  {func(c *workload.Client) { c.Prompts = &workload.Prompts{Count: 1, Order: workload.Cycle} }, "c.prompts"},
		"no conversation at a time": {func(c *workload.Client) { c.Sessions.Concurrent = 0 }, "c.sessions.concurrent"},
		"an order of sessions":      {func(c *workload.Client) { c.Sessions.Order = "" }, "c.sessions.order"},
		"less than no context":      {func(c *workload.Client) { c.Sessions.MaxTokens = -1 }, "c.sessions.maxTokens"},
		"no turns":                  {func(c *workload.Client) { c.Sessions.Turns.Min = 0 }, "c.sessions.turns.min"},
	} {
		t.Run(name, func(t *testing.T) {
			c := conversationClient("chat", 1)
			tc.edit(&c)
			errs := c.Validate(field.NewPath("c"))
			if len(errs) != 1 || errs[0].Field != tc.path {
				t.Errorf("faults %v, want one of %s", errs, tc.path)
			}
		})
	}
}

func TestCycleRejectsZipfExponent(t *testing.T) {
	errs := workload.Copies{Count: 2, ZipfExponent: 1, SharedArrivals: workload.Cycle}.Validate(field.NewPath("copies"))
	if len(errs) != 1 || errs[0].Field != "copies.zipfExponent" {
		t.Errorf("faults %v", errs)
	}
}

func TestRequestsHaveHeaders(t *testing.T) {
	client := func(name string, headers map[string]string) workload.Client {
		c := constantClient(name, 1)
		c.Headers = headers
		return c
	}
	clients := []workload.Client{
		client("a", nil), client("b", map[string]string{"x": "1"}), client("c", map[string]string{"x": "2"}),
		client("d", map[string]string{"x": "1"}), client("e", map[string]string{"x": "1", "y": "1"}), client("f", map[string]string{}),
	}
	source := workload.NewClients(clients, 1)
	if diff := cmp.Diff([]map[string]string{{"x": "1"}, {"x": "2"}, {"x": "1", "y": "1"}}, source.Labels().Headers); diff != "" {
		t.Errorf("sets (−want +got):\n%s", diff)
	}
	got := make([]int, len(clients))
	for _, r := range workloadtest.Take(source, 50) {
		got[r.Client] = r.Headers
	}
	if diff := cmp.Diff([]int{0, 1, 2, 1, 3, 0}, got); diff != "" {
		t.Errorf("sets by client (−want +got):\n%s", diff)
	}
}
