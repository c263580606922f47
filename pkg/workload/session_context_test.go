// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// cached is an unbounded prefix cache of single tokens.
type cached map[uint64]bool

// add adds a request, its answer included, and returns how many tokens of its prompt were
// there before.
func (c cached) add(r workload.Request) int {
	hit := 0
	blocks := r.Prompt.FullBlocks(nil, 1)
	for hit < len(blocks) && c[blocks[hit]] {
		hit++
	}
	answered := r.Prompt.Append(prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(r.OutputTokens)})
	for _, block := range answered.FullBlocks(nil, 1) {
		c[block] = true
	}
	return hit
}

// promptSharing are the tokens of a prompt and how many of them were computed before.
type promptSharing struct{ Tokens, Cached int }

// sharing returns the sharing of n requests of a client that are answered at once.
func sharing(c workload.Client, n int) []promptSharing {
	var got []promptSharing
	cache := cached{}
	for _, r := range workloadtest.Take(workload.AnsweredAtOnce(workload.NewClients([]workload.Client{c}, 1)), n) {
		got = append(got, promptSharing{r.Prompt.Tokens(), cache.add(r)})
	}
	return got
}

// waiting makes the turns of a client's sessions wait for answers.
func waiting(c workload.Client) workload.Client {
	s := *c.Sessions
	s.AfterAnswer, s.Concurrent, s.Order = true, 0, ""
	think := seconds(0.001)
	s.ThinkTime = &think
	c.Sessions = &s
	return c
}

// Prompts of 100 tokens behind a prefix of 50, answers of 10.
func TestContextOfSessions(t *testing.T) {
	tests := map[string]struct {
		edit func(*workload.Sessions)
		want []promptSharing
	}{
		"all turns": {
			func(s *workload.Sessions) { s.Context = workload.Accumulate },
			[]promptSharing{{150, 0}, {260, 160}, {370, 270}, {480, 380}, {590, 490}},
		},
		"no turn": {
			func(s *workload.Sessions) { s.Context = workload.Independent },
			[]promptSharing{{150, 0}, {150, 50}, {150, 50}, {150, 50}, {150, 50}},
		},
		// From the third turn on the oldest turn is dropped. What follows it is then at
		// another place, so that only the prefix was computed before.
		"a window of two turns": {
			func(s *workload.Sessions) { s.Context, s.MaxTokens = workload.Window, 260 },
			[]promptSharing{{150, 0}, {260, 160}, {260, 50}, {260, 50}, {260, 50}},
		},
		"a window with room for a part of a turn": {
			func(s *workload.Sessions) { s.Context, s.MaxTokens = workload.Window, 479 },
			[]promptSharing{{150, 0}, {260, 160}, {370, 270}, {370, 50}, {370, 50}},
		},
		// The third turn begins with a summary of 220 tokens, the fifth with one of 440.
		"a summary of every two turns": {
			func(s *workload.Sessions) {
				s.Context, s.CondenseEvery, s.CondenseExponent = workload.Condense, 220, 0.5
			},
			[]promptSharing{{150, 0}, {260, 160}, {165, 50}, {275, 175}, {171, 50}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := conversationClient("chat", 1)
			c.Sessions.Turns = tokens(5)
			tc.edit(c.Sessions)
			if diff := cmp.Diff(tc.want, sharing(c, 5)); diff != "" {
				t.Errorf("turns that do not wait (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, sharing(waiting(c), 5)); diff != "" {
				t.Errorf("turns that wait (−want +got):\n%s", diff)
			}
		})
	}
}

// A session of more tokens than a text holds goes on in another text.
func TestALongSessionHasSeveralTexts(t *testing.T) {
	c := conversationClient("chat", 1)
	c.PrefixGroup, c.PrefixTokens = "", 0
	c.Input, c.Output = tokens(4_000_000), tokens(5_000_000)
	c.Sessions.Turns, c.Sessions.Context, c.Sessions.MaxTokens = tokens(1000), workload.Window, workload.MaxTokens
	asked := map[prompt.Extent]bool{}
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 1000) {
		own := r.Prompt.Extents[len(r.Prompt.Extents)-1]
		if asked[own] || r.ResponseStart < 0 {
			t.Fatalf("request %d asks %+v again, or is answered at %d", r.ID, own, r.ResponseStart)
		}
		asked[own] = true
	}
}

func TestPromptsGrowFromTurnToTurn(t *testing.T) {
	c := conversationClient("chat", 1)
	c.Input.Max = 400
	c.Sessions.Turns, c.Sessions.Context, c.Sessions.PromptGrowth = tokens(4), workload.Independent, 2
	var got []int
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 5) {
		got = append(got, r.Prompt.Tokens()-c.PrefixTokens)
	}
	if diff := cmp.Diff([]int{100, 200, 400, 400, 100}, got); diff != "" {
		t.Errorf("own parts (−want +got):\n%s", diff)
	}
}

// The length of an answer is a Markov chain: its logarithm takes independent steps.
func TestAnswersVaryFromTurnToTurn(t *testing.T) {
	const cv, turns, sessions = 0.2, 10, 2000
	c := conversationClient("chat", 1)
	c.Output = tokens(1e6)
	c.Sessions.Turns, c.Sessions.Context, c.Sessions.AnswerVariation = tokens(turns), workload.Independent, cv
	for name, client := range map[string]workload.Client{"turns that do not wait": c, "turns that wait": waiting(c)} {
		t.Run(name, func(t *testing.T) {
			last := map[int32]float64{}
			var steps []float64
			for _, r := range workloadtest.Take(workload.AnsweredAtOnce(workload.NewClients([]workload.Client{client}, 1)), turns*sessions) {
				now := math.Log(float64(r.OutputTokens))
				if before, ok := last[r.Session]; ok {
					steps = append(steps, now-before)
				} else if r.OutputTokens != 1e6 {
					t.Fatalf("the first answer of a session has %d tokens", r.OutputTokens)
				}
				last[r.Session] = now
			}
			law := stats.LogNormalOf(1, cv)
			var mean, squares float64
			for _, s := range steps {
				mean += s / float64(len(steps))
				squares += s * s / float64(len(steps))
			}
			if sd := math.Sqrt(squares - mean*mean); math.Abs(mean-law.Mu) > 0.006 || math.Abs(sd-law.Sigma) > 0.006 {
				t.Errorf("steps of mean %.4f and standard deviation %.4f, want %.4f and %.4f", mean, sd, law.Mu, law.Sigma)
			}
		})
	}
}

func TestSessionContextValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Sessions)
		want string
	}{
		"an unknown context":      {func(s *workload.Sessions) { s.Context = "All" }, `c.sessions.context: Unsupported value: "All": supported values: "Accumulate", "Independent", "Window", "Condense"`},
		"a window without a size": {func(s *workload.Sessions) { s.Context = workload.Window }, "c.sessions.maxTokens: Required value: context Window keeps the turns that fit into it"},
		"no way to condense":      {func(s *workload.Sessions) { s.Context = workload.Condense }, "c.sessions.condense: Required value: context is Condense"},
		"condensed for nothing":   {func(s *workload.Sessions) { s.CondenseEvery, s.CondenseExponent = 1, 0.5 }, "c.sessions.condense: Forbidden: context is not Condense"},
		"condensed too late": {func(s *workload.Sessions) {
			s.Context, s.CondenseEvery, s.CondenseExponent = workload.Condense, workload.MaxTokens+1, 0.5
		}, "c.sessions.condense.every: Invalid value: 10000001: must be between 1 and 10000000"},
		"a summary as long as the text": {func(s *workload.Sessions) { s.Context, s.CondenseEvery, s.CondenseExponent = workload.Condense, 1, 1 },
			"c.sessions.condense.exponent: Invalid value: 1: must be greater than 0 and less than 1"},
		"prompts that explode": {func(s *workload.Sessions) { s.PromptGrowth = 11 }, "c.sessions.promptGrowth: Invalid value: 11: must be greater than 0 and at most 10"},
		"growth that is no number": {func(s *workload.Sessions) { s.PromptGrowth = math.NaN() },
			"c.sessions.promptGrowth: Invalid value: NaN: must be greater than 0 and at most 10"},
		"answers that explode": {func(s *workload.Sessions) { s.AnswerVariation = 11 }, "c.sessions.answerVariation: Invalid value: 11: must be between 0 and 10"},
	} {
		t.Run(name, func(t *testing.T) {
			c := conversationClient("chat", 1)
			tc.edit(c.Sessions)
			if diff := cmp.Diff([]string{tc.want}, messages(c.Validate(field.NewPath("c")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
