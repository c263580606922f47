// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/evaluate/server"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

const (
	leastBusy = `{"language": "starlark", "policy": "def score(request, endpoints):\n  return [-e.waiting for e in endpoints]\n"}`
	random    = `{"policy": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle", "routing": {"builtIn": {"policy": "random"}}}}`
)

// evaluator takes a millisecond for each look at its clock.
func evaluator() *evaluate.Evaluator {
	var mu sync.Mutex
	clock := time.Unix(0, 0)
	return &evaluate.Evaluator{Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Millisecond)
		return clock
	}}
}

func scenarioOf(t *testing.T, edit func(*v1alpha1.SimulationRun)) *evaluate.Scenario {
	t.Helper()
	run := experimenttest.Run(t)
	if edit != nil {
		edit(run)
	}
	s, errs, err := evaluate.NewScenario(t.Context(), run, "", nil, experimenttest.TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	return s
}

// long is a scenario that takes longer than any test waits.
func long(r *v1alpha1.SimulationRun) {
	r.Name, r.Spec.Scenario.Horizon.Requests = "long", new(int64(10_000_000))
}

func serve(t *testing.T, budget, concurrency int, scenarios ...*evaluate.Scenario) string {
	t.Helper()
	s := httptest.NewServer(server.New(evaluator(), scenarios, budget, concurrency).Handler())
	t.Cleanup(s.Close)
	return s.URL
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return r.StatusCode, string(raw)
}

func get[T any](t *testing.T, url string) (v T) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// with adds fields to a question.
func with(question, fields string) string {
	return strings.TrimSuffix(question, "}") + ", " + fields + "}"
}

// alone is the answer about leastBusy without a server.
func alone(s *evaluate.Scenario, seed int64, summary insight.Strategy) (*evaluate.Answer, error) {
	p, err := evaluate.ReadPolicy([]byte("def score(request, endpoints):\n  return [-e.waiting for e in endpoints]\n"), evaluate.Starlark, evaluate.Program{}, bundle.Limits{})
	if err != nil {
		return nil, err
	}
	strategy, err := evaluate.SummaryOf(summary)
	if err != nil {
		return nil, err
	}
	return evaluator().With(strategy).Evaluate(context.Background(), s.With(p), seed)
}

// Eight clients at once get what one alone gets.
func TestManyClientsAtOnce(t *testing.T) {
	s := scenarioOf(t, nil)
	url := serve(t, 0, 2, s)
	var clients sync.WaitGroup
	for i := range 8 {
		seed, summary := int64(i%4), evaluate.Summaries[i%len(evaluate.Summaries)]
		clients.Go(func() {
			code, body := post(t, url+"/v1/evaluate", with(leastBusy, fmt.Sprintf(`"seed": %d, "summary": %q`, seed, summary)))
			var got evaluate.Answer
			if err := json.Unmarshal([]byte(body), &got); err != nil || code != http.StatusOK {
				t.Errorf("%d %s: %v", code, body, err)
				return
			}
			want, err := alone(s, seed, summary)
			if diff := cmp.Diff(want, &got, cmpopts.IgnoreFields(evaluate.Answer{}, "SimWallMS")); diff != "" || err != nil {
				t.Errorf("%s: %v (-alone +among eight):\n%s", summary, err, diff)
			}
		})
	}
	clients.Wait()
	if got := get[server.Status](t, url+"/v1/status"); got.Running != 0 || got.Cache.Entries != 8 || got.Budget != nil {
		t.Errorf("%+v", got)
	}
}

// A kept answer has the same bytes and costs nothing; a spent budget is 429 with what is left.
func TestTheBudget(t *testing.T) {
	url := serve(t, 3, 1, scenarioOf(t, nil))
	_, first := post(t, url+"/v1/evaluate", random)
	if _, again := post(t, url+"/v1/evaluate", random); again != first {
		t.Errorf("first\n%s\nthen\n%s", first, again)
	}
	three := with(random, `"examples": [{"seed": 42}, {"seed": 1}, {"seed": 2}, {"seed": 3}]`)
	code, body := post(t, url+"/v1/evaluate_examples", three)
	var refusal server.Refusal
	if err := json.Unmarshal([]byte(body), &refusal); err != nil || code != http.StatusTooManyRequests {
		t.Fatalf("%d %s", code, body)
	}
	if diff := cmp.Diff(&server.Budget{Total: 3, Used: 1, Left: 2}, refusal.Budget); diff != "" {
		t.Errorf("budget (-want +got):\n%s", diff)
	}
	code, body = post(t, url+"/v1/evaluate_examples", strings.Replace(three, `, {"seed": 3}`, "", 1))
	var answers []evaluate.Answer
	if err := json.Unmarshal([]byte(body), &answers); err != nil || code != http.StatusOK || len(answers) != 3 || answers[2].Seed != 2 {
		t.Errorf("%d %s", code, body)
	}
	if code, body = post(t, url+"/v1/evaluate", with(random, `"seed": 9`)); code != http.StatusTooManyRequests {
		t.Errorf("%d %s", code, body)
	}
	if code, _ = post(t, url+"/v1/evaluate", random); code != http.StatusOK {
		t.Errorf("a kept answer: %d", code)
	}
	if got := get[server.Status](t, url+"/v1/status"); got.Cache.Hits != 4 || *got.Budget != (server.Budget{Total: 3, Used: 3}) {
		t.Errorf("%+v of %+v", got, got.Budget)
	}
}

// A client that goes away frees its slot, and costs nothing.
func TestAClientThatGoesAway(t *testing.T) {
	for name, question := range map[string]string{"a policy by name": random, "a program": leastBusy} {
		t.Run(name, func(t *testing.T) { goAway(t, question) })
	}
}

func goAway(t *testing.T, question string) {
	t.Helper()
	e := evaluator()
	e.Fence = fence.New(1)
	s := httptest.NewServer(server.New(e, []*evaluate.Scenario{scenarioOf(t, long), scenarioOf(t, nil)}, 1, 1).Handler())
	t.Cleanup(s.Close)
	url := s.URL
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/evaluate", strings.NewReader(with(question, `"scenario": "long"`)))
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		answer, err := http.DefaultClient.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		gone <- err
	}()
	await(t, url, func(s server.Status) bool { return s.Running == 1 })
	leave()
	if err := <-gone; err == nil {
		t.Fatal("the long simulation has an answer")
	}
	await(t, url, func(s server.Status) bool { return s.Running == 0 && s.Budget.Left == 1 })
	if code, body := post(t, url+"/v1/evaluate", with(question, `"scenario": "small"`)); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
}

// await waits for a state of a server.
func await(t *testing.T, url string, is func(server.Status) bool) {
	t.Helper()
	for range 1000 {
		if is(get[server.Status](t, url+"/v1/status")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not get there")
}

func TestQuestionsThatAreRefused(t *testing.T) {
	url := serve(t, 0, 1, scenarioOf(t, nil), scenarioOf(t, func(r *v1alpha1.SimulationRun) { r.Name = "other" }))
	one := with(random, `"scenario": "small"`)
	for name, tc := range map[string]struct {
		path, body, want string
		code             int
	}{
		"no JSON":              {path: "evaluate", body: "x", want: "a question in JSON", code: 400},
		"two":                  {path: "evaluate", body: one + one, want: "one question", code: 400},
		"an unknown field":     {path: "evaluate", body: with(one, `"polcy": 1`), want: `unknown field \"polcy\"`, code: 400},
		"no policy":            {path: "evaluate", body: `{}`, want: "state the policy", code: 400},
		"a number as a policy": {path: "evaluate", body: `{"policy": 3}`, want: "must be a text", code: 400},
		"a language":           {path: "evaluate", body: `{"policy": "x", "language": "lua"}`, want: "must be one of bundle, starlark, wasm", code: 400},
		"no base64":            {path: "evaluate", body: `{"policy": "!", "language": "wasm"}`, want: "must be in base64", code: 400},
		"which scenario":       {path: "evaluate", body: random, want: "must be one of small, other", code: 400},
		"a negative seed":      {path: "evaluate", body: with(one, `"seed": -1`), want: "at least 0", code: 400},
		"several for one":      {path: "evaluate", body: with(one, `"examples": []`), want: "/v1/evaluate_examples", code: 400},
		"none of several":      {path: "evaluate_examples", body: random, want: "a list of 1 to", code: 400},
		"one beside several":   {path: "evaluate_examples", body: with(one, `"examples": [{}]`), want: "state them in examples", code: 400},
		"several to validate":  {path: "validate", body: with(one, `"examples": [{}]`), want: "one scenario", code: 400},
		"a summary":            {path: "evaluate", body: with(one, `"summary": "blame"`), want: "must be one of issue_focused", code: 400},
		"a summary of none":    {path: "validate", body: with(one, `"summary": "none"`), want: "a validation has no summary", code: 400},
		"too much":             {path: "evaluate", body: strings.Repeat(" ", 9<<20), want: "too large", code: 413},
		"no such path":         {path: "x", body: one, code: 404},
		"a method of another":  {path: "status", body: one, code: 405},
	} {
		t.Run(name, func(t *testing.T) {
			if code, body := post(t, url+"/v1/"+tc.path, tc.body); code != tc.code || !strings.Contains(body, tc.want) {
				t.Errorf("%d %s, want %d with %q in it", code, body, tc.code, tc.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	url := serve(t, 1, 1, scenarioOf(t, func(r *v1alpha1.SimulationRun) {
		long(r)
		r.Spec.Scenario.Horizon.Warmup = "5s"
	}))
	for name, tc := range map[string]struct{ body, want string }{
		"a policy without faults": {leastBusy, `"ok":true,"error":null`},
		"no program":              {`{"language": "starlark", "policy": "def score(:"}`, `"kind":"syntax"`},
		"a fault in a call":       {`{"language": "starlark", "policy": "def score(request, endpoints):\n  return 1\n"}`, `"stage":"call"`},
		"no bundle":               {`{"policy": "a: b"}`, `"kind":"invalid"`},
	} {
		if code, body := post(t, url+"/v1/validate", tc.body); code != 200 || !strings.Contains(body, tc.want) {
			t.Errorf("%s: %d %s, want %s in it", name, code, body, tc.want)
		}
	}
}

func TestTask(t *testing.T) {
	s := scenarioOf(t, nil)
	got := get[server.Task](t, serve(t, 0, 1, s)+"/v1/task")
	want := []server.TaskScenario{{Name: "small", ID: s.ID, Seeds: []int64{42, 43}, Objectives: []evaluate.Goal{{Name: "goodput", Metric: "goodput", Direction: "Maximize", Weight: 1}}}}
	if diff := cmp.Diff(want, got.Scenarios, cmpopts.IgnoreUnexported(evaluate.Goal{})); diff != "" || !bytes.Contains(got.AnswerSchema, []byte("combined_score")) {
		t.Errorf("task (-want +got):\n%s", diff)
	}
}
