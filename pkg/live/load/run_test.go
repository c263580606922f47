// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func tokens(n float64) workload.Lengths {
	return workload.Lengths{Distribution: stats.Constant{Value: n}, Min: 1}
}

// open is a client that sends a request each second.
func open() workload.Client {
	return workload.Client{
		Name: "client", Arrivals: workload.Arrivals{Process: workload.Constant, RatePerSecond: 1},
		Input: tokens(8), Output: tokens(3),
	}
}

// ended is what tests look at of an outcome.
type ended struct {
	ID                  int
	Ended               string
	Arrival, TTFT, E2E  time.Duration
	Prompt, Output, Try int
}

// sent runs the requests of clients against a server, on a clock that stands still while something
// happens, and returns how they ended.
func sent(t *testing.T, s *server, o Options, clients ...workload.Client) (all []ended, outcomes []*Outcome, summary *Summary) {
	t.Helper()
	source := workload.NewClients(clients, 1)
	synctest.Test(t, func(t *testing.T) {
		o.Transport, o.Target = s, "http://server"
		if o.Source == nil {
			o.Source, o.Listener = source, source
		}
		if o.Speed == 0 {
			o.Speed = 1
		}
		if o.Horizon.Drain == 0 {
			o.Horizon.Drain = time.Hour
		}
		if o.API == "" {
			o.API = Completions
		}
		o.Ended = func(e *Outcome) error {
			one := ended{ID: e.ID, Ended: e.Ended, Arrival: e.Arrival.Sub(0), E2E: e.End.Sub(e.Arrival), Prompt: e.PromptTokens, Output: e.OutputTokens, Try: e.Request.Attempt}
			if e.FirstToken >= 0 {
				one.TTFT = e.FirstToken.Sub(e.Arrival)
			}
			all, outcomes = append(all, one), append(outcomes, e)
			return nil
		}
		var err error
		if summary, err = Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	})
	return all, outcomes, summary
}

const (
	ms = time.Millisecond
	// whole is how long an answer of three tokens takes.
	whole = prefill + 2*decode
)

func TestRequestsGoOutAtTheirTimes(t *testing.T) {
	for name, tc := range map[string]struct {
		horizon simulator.Horizon
		speed   float64
		want    []ended
	}{
		"a number of requests": {
			horizon: simulator.Horizon{Requests: 2},
			want: []ended{
				{0, completed, time.Second, prefill, whole, 8, 3, 0},
				{1, completed, 2 * time.Second, prefill, whole, 8, 3, 0},
			},
		},
		"up to a time": {
			horizon: simulator.Horizon{Duration: 2 * time.Second},
			want:    []ended{{0, completed, time.Second, prefill, whole, 8, 3, 0}},
		},
		"ten times as fast as the workload": {
			horizon: simulator.Horizon{Requests: 1}, speed: 10,
			want: []ended{{0, completed, time.Second, 10 * prefill, 10 * whole, 8, 3, 0}},
		},
		"longer than the drain": {
			horizon: simulator.Horizon{Requests: 1, Drain: 105 * ms},
			want:    []ended{{0, unfinished, time.Second, prefill, 105 * ms, 8, 0, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, summary := sent(t, &server{}, Options{Horizon: tc.horizon, Speed: tc.speed}, open())
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
			if summary.Sent != len(tc.want) || summary.Late.Max() != 0 {
				t.Errorf("%d were sent, at most %v late", summary.Sent, time.Duration(summary.Late.Max()))
			}
		})
	}
}

// TestUsersOfAClosedLoopWait has two users, who begin at once, and think for a second.
func TestUsersOfAClosedLoopWait(t *testing.T) {
	c := open()
	c.Arrivals = workload.Arrivals{}
	c.ClosedLoop = &workload.ClosedLoop{Concurrency: 2, ThinkTime: workload.Durations{Distribution: stats.Constant{Value: 1}}}
	got, _, summary := sent(t, &server{}, Options{Horizon: simulator.Horizon{Requests: 4}}, c)
	next := time.Second + whole
	want := []ended{
		{0, completed, 0, prefill, whole, 8, 3, 0}, {1, completed, 0, prefill, whole, 8, 3, 0},
		{2, completed, next, prefill, whole, 8, 3, 0}, {3, completed, next, prefill, whole, 8, 3, 0},
	}
	slices.SortFunc(got, func(a, b ended) int { return a.ID - b.ID })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (−want +got):\n%s", diff)
	}
	if summary.PeakInFlight != 2 {
		t.Errorf("%d requests were in flight", summary.PeakInFlight)
	}
}

func TestClientsGiveUpAndTryAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*workload.Client)
		want   []ended
	}{
		"for lack of a first token": {
			func(c *workload.Client) { c.FirstTokenTimeout = 50 * ms },
			[]ended{{0, timedOut, time.Second, 0, 50 * ms, 8, 0, 0}},
		},
		"for lack of a last token": {
			func(c *workload.Client) { c.Timeout = 115 * ms },
			[]ended{{0, timedOut, time.Second, prefill, 115 * ms, 8, 0, 0}},
		},
		"never, where the tokens come in time": {
			func(c *workload.Client) { c.FirstTokenTimeout, c.Timeout = 101*ms, 121*ms },
			[]ended{{0, completed, time.Second, prefill, whole, 8, 3, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := open()
			tc.change(&c)
			got, _, _ := sent(t, &server{}, Options{Horizon: simulator.Horizon{Requests: 1}}, c)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
		})
	}
	t.Run("after a refusal", func(t *testing.T) {
		again := &workload.Retry{Max: 1, Backoff: 200 * ms, Multiplier: 1, After: []workload.Ending{workload.Rejected}}
		source := workload.WithRetries(workload.NewClients([]workload.Client{open()}, 1), func(int) *workload.Retry { return again }, 1)
		s := &server{refuse: func(w http.ResponseWriter, nth int) bool {
			if nth == 0 {
				http.Error(w, "try later", http.StatusTooManyRequests)
			}
			return nth == 0
		}}
		got, _, _ := sent(t, s, Options{Source: source, Listener: source, Horizon: simulator.Horizon{Requests: 2}}, open())
		want := []ended{
			{0, rejected, time.Second, 0, 0, 8, 0, 0},
			{1, completed, time.Second + 200*ms, prefill, whole, 8, 3, 1},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("requests (−want +got):\n%s", diff)
		}
		if s.got[0].prompt() != s.got[1].prompt() {
			t.Error("the second attempt has another prompt")
		}
	})
}

func TestHowRequestsEndThatAreNotAnswered(t *testing.T) {
	answer := func(code int, reason, text string) func(http.ResponseWriter, int) bool {
		return func(w http.ResponseWriter, _ int) bool {
			if reason != "" {
				w.Header().Set("X-Llm-D-Request-Dropped-Reason", reason)
			}
			http.Error(w, text, code)
			return true
		}
	}
	stream := func(text string) func(http.ResponseWriter, int) bool {
		return func(w http.ResponseWriter, _ int) bool {
			_, _ = io.WriteString(w, text)
			return true
		}
	}
	for name, tc := range map[string]struct {
		refuse func(http.ResponseWriter, int) bool
		ended  string
		reason simulator.Reason
		fault  string
	}{
		"a saturated EPP":    {answer(429, "rejected-saturated", ""), rejected, simulator.Shed, "HTTP 429 rejected-saturated"},
		"an EPP's queue":     {answer(429, "rejected-ttl-expired", ""), rejected, simulator.Expired, "HTTP 429 rejected-ttl-expired"},
		"no endpoint":        {answer(503, "rejected-no-endpoints", ""), rejected, simulator.NoEndpoint, "HTTP 503 rejected-no-endpoints"},
		"a full engine":      {answer(503, "", "queue is full"), rejected, simulator.EngineQueueFull, "HTTP 503  queue is full"},
		"a prompt too long":  {answer(400, "", "This model's maximum context length is 10"), rejected, simulator.ExceedsModelLength, "HTTP 400  This model's maximum context length is 10"},
		"an unknown model":   {answer(404, "", "no such model"), failed, 0, "HTTP 404  no such model"},
		"an error midstream": {stream("data: {\"error\":{\"message\":\"lost\"}}\n\n"), failed, 0, "the server ends the answer: {\"message\":\"lost\"}"},
		"a broken stream":    {stream("data: {\"choices\":[{\"text\":\"a\"}]}\n\n"), failed, 0, "unexpected EOF"},
		"a broken event":     {stream("data: {\n\n"), failed, 0, "an event of the answer is not JSON: unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, _ := sent(t, &server{refuse: tc.refuse}, Options{Horizon: simulator.Horizon{Requests: 1}}, open())
			if got[0].Ended != tc.ended || got[0].Reason != tc.reason || got[0].Fault != tc.fault {
				t.Errorf("%s, %s: %q; want %s, %s: %q", got[0].Ended, got[0].Reason, got[0].Fault, tc.ended, tc.reason, tc.fault)
			}
		})
	}
}

// TestATurnRepeatsTheAnswerOfTheOneBefore has a session of two turns, the second of which continues
// the prompt and the answer of the first.
func TestATurnRepeatsTheAnswerOfTheOneBefore(t *testing.T) {
	for _, api := range APIs() {
		t.Run(string(api), func(t *testing.T) {
			c := open()
			c.Sessions = &workload.Sessions{Turns: tokens(2), Concurrent: 1, Context: workload.Accumulate, Order: workload.Cycle}
			s := &server{}
			sent(t, s, Options{Horizon: simulator.Horizon{Requests: 2}, API: api}, c)
			first, second := s.got[0].prompt(), s.got[1].prompt()
			if want := first + answerText(3); !strings.HasPrefix(second, want) {
				t.Errorf("the second prompt is\n%s, which does not begin with\n%s", second, want)
			}
			if len(second) != 4*(8+3+8) {
				t.Errorf("the second prompt has %d characters", len(second))
			}
			if got := s.got[1].path; got != api.path() {
				t.Errorf("the path is %s", got)
			}
		})
	}
}

func TestRequestsSayWhatTheWorkloadSays(t *testing.T) {
	c := open()
	c.Tenant, c.Class, c.Priority, c.Adapter = "team", "chat", 3, "adapter"
	c.Headers = map[string]string{"X-Extra": "yes"}
	s := &server{}
	sent(t, s, Options{Horizon: simulator.Horizon{Requests: 1}, Seed: 7, Model: "llama", Priorities: true}, c)
	got := s.got[0]
	want := http.Header{
		"Content-Type": {"application/json"}, "X-Request-Id": {"windtunnel-7-0"}, "X-Llm-D-Inference-Fairness-Id": {"team"},
		"X-Llm-D-Inference-Objective": {"chat"}, "X-Extra": {"yes"},
	}
	if diff := cmp.Diff(want, got.header); diff != "" {
		t.Errorf("headers (−want +got):\n%s", diff)
	}
	got.body.Prompt = ""
	wantBody := body{Model: "adapter", MaxTokens: 3, IgnoreEOS: true, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}, Priority: -3}
	if diff := cmp.Diff(wantBody, got.body); diff != "" {
		t.Errorf("body (−want +got):\n%s", diff)
	}
}

func TestAnInterruptedRunIsAnError(t *testing.T) {
	source := workload.NewClients([]workload.Client{open()}, 1)
	interrupt := errors.New("interrupted")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(1050*ms, func() { cancel(interrupt) })
		var got []string
		_, err := Run(ctx, Options{
			Source: source, Listener: source, Transport: &server{}, Target: "http://server", Speed: 1, API: Completions,
			Ended: func(e *Outcome) error { got = append(got, e.Ended); return nil },
		})
		if !errors.Is(err, interrupt) {
			t.Errorf("the error is %v", err)
		}
		if diff := cmp.Diff([]string{unfinished}, got); diff != "" {
			t.Errorf("requests (−want +got):\n%s", diff)
		}
	})
}
