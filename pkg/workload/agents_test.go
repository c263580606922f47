// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// agentClient is a client whose sessions have two turns, 2 s after an answer: prompts of
// 100 tokens behind 50 of a prefix, answers of 10.
func agentClient(edit func(*workload.Sessions)) workload.Client {
	c := conversationClient("agent", 1)
	c.Arrivals.RatePerSecond = 0.001
	think := seconds(2)
	c.Sessions = &workload.Sessions{AfterAnswer: true, ThinkTime: &think, Turns: tokens(2), Context: workload.Accumulate}
	edit(c.Sessions)
	return c
}

// threeBranches has branches of 20 tokens.
func threeBranches() *workload.Branches {
	input := tokens(20)
	return &workload.Branches{Probability: 1, Count: upTo(3), Input: &input}
}

// upTo is always n, and says so.
func upTo(n int) workload.Lengths {
	l := tokens(float64(n))
	l.Max = n
	return l
}

func twoCalls() *workload.Tools {
	return &workload.Tools{Probability: 1, Calls: upTo(2), Latency: seconds(0.5), Result: tokens(30)}
}

// The third branch takes 3 s, all other requests 1 s.
func TestStepsOfAgents(t *testing.T) {
	type step struct {
		At             time.Duration // since the first request of the session
		Tokens, Cached int
	}
	tests := map[string]struct {
		edit func(*workload.Sessions)
		want []step
	}{
		"each call's result is asked after its latency": {
			func(s *workload.Sessions) { s.Tools = twoCalls() },
			[]step{
				{0, 150, 0}, {1500 * time.Millisecond, 190, 160}, {3000 * time.Millisecond, 230, 200},
				{6000 * time.Millisecond, 340, 240}, {7500 * time.Millisecond, 380, 350}, {9000 * time.Millisecond, 420, 390},
			},
		},
		// The answers of three branches join the context, their own parts do not.
		"a turn waits for the slowest branch": {
			func(s *workload.Sessions) { s.Branches = threeBranches() },
			[]step{
				{0, 170, 0}, {0, 170, 150}, {0, 170, 150},
				{5 * time.Second, 300, 150}, {5 * time.Second, 300, 280}, {5 * time.Second, 300, 280},
			},
		},
		"samples of one answer": {
			func(s *workload.Sessions) { s.Branches = &workload.Branches{Probability: 1, Count: upTo(3)} },
			[]step{
				{0, 150, 0}, {0, 150, 150}, {0, 150, 150},
				{5 * time.Second, 280, 160}, {5 * time.Second, 280, 280}, {5 * time.Second, 280, 280},
			},
		},
		"branches, then calls": {
			func(s *workload.Sessions) { s.Branches, s.Tools, s.Turns = threeBranches(), twoCalls(), tokens(1) },
			[]step{
				{0, 170, 0}, {0, 170, 150}, {0, 170, 150},
				{3500 * time.Millisecond, 210, 150}, {5000 * time.Millisecond, 250, 220},
			},
		},
		"no prompt of a branch is longer than allowed": {
			func(s *workload.Sessions) { s.Branches, s.MaxTokens = threeBranches(), 299 },
			[]step{{0, 170, 0}, {0, 170, 150}, {0, 170, 150}},
		},
		"no prompt with a result is longer than allowed": {
			func(s *workload.Sessions) { s.Tools, s.MaxTokens = twoCalls(), 229 },
			[]step{{0, 150, 0}, {1500 * time.Millisecond, 190, 160}},
		},
		"a window drops a turn with its calls": {
			func(s *workload.Sessions) { s.Context, s.Tools, s.MaxTokens = workload.Window, twoCalls(), 339 },
			[]step{
				{0, 150, 0}, {1500 * time.Millisecond, 190, 160}, {3000 * time.Millisecond, 230, 200},
				{6000 * time.Millisecond, 150, 50}, {7500 * time.Millisecond, 190, 160}, {9000 * time.Millisecond, 230, 200},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			sent := map[simtime.Time]int{}
			latency := func(r workload.Request) (time.Duration, workload.Ending) {
				if sent[r.Arrival]++; sent[r.Arrival] == 3 {
					return 3 * time.Second, workload.Completed
				}
				return time.Second, workload.Completed
			}
			var got []step
			cache := cached{}
			requests := workloadtest.Serve(workload.NewClients([]workload.Client{agentClient(tc.edit)}, 1), len(tc.want)+1, latency)
			workloadtest.CheckOrder(t, requests)
			for _, r := range requests[:len(tc.want)] {
				got = append(got, step{r.Arrival.Sub(requests[0].Arrival), r.Prompt.Tokens(), cache.add(r)})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("steps (−want +got):\n%s", diff)
			}
			if next := requests[len(tc.want)]; next.Session != 2 {
				t.Errorf("the session goes on at %v with %d tokens", next.Arrival, next.Prompt.Tokens())
			}
		})
	}
}

func TestASessionEndsWithABranchThatFails(t *testing.T) {
	c := agentClient(func(s *workload.Sessions) { s.Branches = threeBranches() })
	c.Arrivals.RatePerSecond = 1
	requests := map[int32]int{}
	for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, 1), 300, func(r workload.Request) (time.Duration, workload.Ending) {
		if r.Session%2 == 0 && r.ID%3 == 1 {
			return time.Millisecond, workload.Failed
		}
		return time.Duration(1+r.ID%3) * time.Second, workload.Completed
	}) {
		requests[r.Session]++
	}
	for session := range int32(20) {
		want := 6
		if (session+1)%2 == 0 {
			want = 3
		}
		if got := requests[session+1]; got != want {
			t.Errorf("session %d has %d requests, want %d", session+1, got, want)
		}
	}
}

// randomAgent is a client whose sessions have everything, at random.
func randomAgent(name string) workload.Client {
	c := sessionClient(name)
	input := workload.Lengths{Distribution: stats.Exponential{Mean: 20}, Min: 1}
	c.Sessions.Branches = &workload.Branches{Probability: 0.3, Count: workload.Lengths{Distribution: stats.Uniform{Low: 0.5, High: 5.5}, Min: 1, Max: 5}, Input: &input}
	c.Sessions.Tools = &workload.Tools{
		Probability: 0.5, Calls: workload.Lengths{Distribution: stats.Exponential{Mean: 3}, Min: 1, Max: 9},
		Latency: workload.Durations{Distribution: stats.LogNormalOf(1, 2)}, Result: input,
	}
	c.Sessions.Context, c.Sessions.CondenseEvery, c.Sessions.CondenseExponent = workload.Condense, 500, 0.7
	c.Sessions.PromptGrowth, c.Sessions.AnswerVariation = 1.1, 0.3
	return c
}

// What agents ask, and the times between an answer and the next step, do not depend on
// how fast the cluster answers.
func TestAgentsDoNotDependOnLatency(t *testing.T) {
	in := func(edit func(*workload.Client), latency func(workload.Request) time.Duration) map[int32][]string {
		c := randomAgent("a")
		edit(&c)
		sessions, ends := map[int32][]string{}, map[int32]simtime.Time{}
		before := map[int32]simtime.Time{} // end of the step before, while the session is in one
		begun := map[int32]simtime.Time{}
		for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, 3), 5000, func(r workload.Request) (time.Duration, workload.Ending) {
			return latency(r), workload.Completed
		}) {
			if at, ok := begun[r.Session]; !ok || at != r.Arrival {
				begun[r.Session], before[r.Session] = r.Arrival, ends[r.Session]
			}
			pause := simtime.Time(0)
			if before[r.Session] > 0 {
				pause = r.Arrival - before[r.Session]
			}
			ends[r.Session] = max(ends[r.Session], r.Arrival.Add(latency(r)))
			sessions[r.Session] = append(sessions[r.Session], fmt.Sprint(r.Prompt.Extents, r.OutputTokens, r.Response, r.ResponseStart, " after ", pause))
		}
		return sessions
	}
	fast := func(workload.Request) time.Duration { return time.Millisecond }
	slow := func(r workload.Request) time.Duration {
		return time.Duration(1+(r.Prompt.Tokens()+int(r.Response%97))%5) * time.Second
	}
	for name, edit := range map[string]func(*workload.Client){
		"arrivals": func(*workload.Client) {},
		"users": func(c *workload.Client) {
			c.Arrivals, c.ClosedLoop = workload.Arrivals{}, &workload.ClosedLoop{Concurrency: 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := in(edit, fast), in(edit, slow)
			compared := 0
			for session := range int32(100) {
				steps := min(len(a[session+1]), len(b[session+1]))
				if diff := cmp.Diff(a[session+1][:steps], b[session+1][:steps]); diff != "" {
					t.Fatalf("session %d (−fast +slow):\n%s", session+1, diff)
				}
				compared += steps
			}
			if compared < 800 {
				t.Errorf("%d requests compared, want 800 or more", compared)
			}
		})
	}
}

// A user has one step in flight at a time, and nobody else's users change it.
func TestUsersWithBranches(t *testing.T) {
	c := randomAgent("a")
	c.Arrivals, c.ClosedLoop = workload.Arrivals{}, &workload.ClosedLoop{Concurrency: 3, ThinkTime: seconds(1)}
	of := func(clients ...workload.Client) []string {
		var got []string
		for _, r := range workloadtest.Serve(workload.NewClients(clients, 9), 3000, func(r workload.Request) (time.Duration, workload.Ending) {
			return time.Duration(r.Prompt.Tokens()) * time.Millisecond, workload.Completed
		}) {
			if r.Client == len(clients)-1 && len(got) < 200 {
				got = append(got, fmt.Sprint(r.Arrival, r.Prompt, r.OutputTokens))
			}
		}
		return got
	}
	if diff := cmp.Diff(of(c), of(randomAgent("b"), constantClient("d", 3), c)); diff != "" {
		t.Errorf("requests (−alone +beside others):\n%s", diff)
	}
}

func TestAgentValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Sessions)
		want string
	}{
		"no chance of a call":   {func(s *workload.Sessions) { s.Tools = twoCalls(); s.Tools.Probability = 0 }, "c.sessions.tools.probability: Invalid value: 0: must be greater than 0 and at most 1"},
		"too many calls":        {func(s *workload.Sessions) { s.Tools = twoCalls(); s.Tools.Calls.Max = 1001 }, "c.sessions.tools.calls.max: Invalid value: 1001: must be at most 1000"},
		"a call without an end": {func(s *workload.Sessions) { s.Tools = twoCalls(); s.Tools.Latency = seconds(1e9) }, "c.sessions.tools.latency.mean: Invalid value: 1e+09: must be between 0 s and 8760 h"},
		"an empty result":       {func(s *workload.Sessions) { s.Tools = twoCalls(); s.Tools.Result.Min = 0 }, "c.sessions.tools.resultTokens.min: Invalid value: 0: must be between 1 and 10000000"},
		"too many branches":     {func(s *workload.Sessions) { s.Branches = threeBranches(); s.Branches.Count.Max = 65 }, "c.sessions.branches.count.max: Invalid value: 65: must be at most 64"},
		"more than certain":     {func(s *workload.Sessions) { s.Branches = threeBranches(); s.Branches.Probability = 1.5 }, "c.sessions.branches.probability: Invalid value: 1.5: must be greater than 0 and at most 1"},
		"nothing to join": {func(s *workload.Sessions) { s.Branches, s.Context = threeBranches(), workload.Independent },
			"c.sessions.branches: Forbidden: results and answers join the context, and context is Independent"},
		"turns that do not wait": {func(s *workload.Sessions) { *s = *conversationClient("a", 1).Sessions; s.Tools = twoCalls() },
			"c.sessions.tools: Forbidden: turns do not wait for answers: set thinkTime in place of concurrent"},
	} {
		t.Run(name, func(t *testing.T) {
			c := agentClient(tc.edit)
			if diff := cmp.Diff([]string{tc.want}, messages(c.Validate(field.NewPath("c")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
