// SPDX-License-Identifier: Apache-2.0

package propose_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/search"
)

func canonical(t testing.TB, text string) string {
	t.Helper()
	b, errs := bundle.Read([]byte("apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"+text), nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return b.Canonical()
}

func inquiry(t testing.TB) search.Inquiry {
	t.Helper()
	return search.Inquiry{Generation: 2, Island: 1, Count: 3, Parents: []search.Parent{
		{Value: canonical(t, "routing: {signals: [queue-depth], decisionTree: {root: {value: 0}}}"), Losses: []float64{0.5, -0.9}, Features: []float64{0.7}},
		{Value: canonical(t, "routing: {decisionTree: {root: {value: 1}}}"), Losses: []float64{0.6, -0.8}, Excess: 0.1, Features: []float64{0.2}},
	}}
}

// asking starts a service, and returns what one inquiry gives.
func asking(t *testing.T, answer http.HandlerFunc) (propose.Entry, []search.Proposed) {
	t.Helper()
	service := httptest.NewServer(answer)
	defer service.Close()
	var noted []propose.Entry
	c := propose.NewClient(propose.Options{
		URL: service.URL, Timeout: 200 * time.Millisecond, Pause: time.Millisecond, Wait: func(context.Context, time.Duration) {},
		Objectives: []propose.Objective{{Metric: "ttft.mean"}, {Metric: "goodput", Maximize: true}}, Features: []string{"cacheHit.gpu"},
		Note: func(e propose.Entry) error { noted = append(noted, e); return nil },
	})
	proposed, err := c.Propose(t.Context(), []search.Inquiry{inquiry(t)})
	if err != nil || len(proposed) != 1 || len(noted) != 1 {
		t.Fatalf("%v: %d answers, %d entries", err, len(proposed), len(noted))
	}
	return noted[0], proposed[0]
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func TestTheServiceIsToldOfParents(t *testing.T) {
	var got map[string]any
	asking(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.Method != http.MethodPost {
			t.Error(r.Method, err)
		}
		_, _ = io.WriteString(w, `{"policies": []}`)
	})
	parents := got["parents"].([]any)
	first := parents[0].(map[string]any)
	delete(first, "bundle")
	want := map[string]any{
		"policy_id": bundle.IDOf(inquiry(t).Parents[0].Value), "score": -0.5, "feasible": true,
		"metrics": map[string]any{"ttft.mean": 0.5, "goodput": 0.9}, "features": map[string]any{"cacheHit.gpu": 0.7},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("the first parent (−want +got):\n%s", diff)
	}
	delete(got, "parents")
	if diff := cmp.Diff(map[string]any{"version": "windtunnel.dev/propose/v1", "generation": 2.0, "island": 1.0, "count": 3.0}, got); diff != "" || len(parents) != 2 {
		t.Errorf("%d parents (−want +got):\n%s", len(parents), diff)
	}
}

func TestWhatIsProposed(t *testing.T) {
	of := inquiry(t)
	second := bundle.IDOf(of.Parents[1].Value)
	entry, proposed := asking(t, says(fmt.Sprintf(`{"policies": [
		{"bundle": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle", "generation": 7, "routing": {"decisionTree": {"root": {"value": 2}}}}, "parent": %q, "note": "a  new\nvalue"},
		{"language": "starlark", "policy": "def score(request, endpoints): return [e.queue_depth for e in endpoints]"},
		{"bundle": {"kind": "PolicyBundle"}}, {"language": "lua", "policy": "x"}, {"note": "nothing"},
		{"bundle": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle", "routing": {"builtIn": {"policy": "random"}}}, "parent": "unknown"},
		{"language": "starlark", "component": "admission", "policy": "x"},
		{"language": "starlark", "policy": %q},
		{"language": "starlark", "policy": "third"}, {"language": "starlark", "policy": "fourth"}
	]}`, second, strings.Repeat("x", 17<<10))))
	want := []search.Proposed{
		{Value: canonical(t, "routing: {decisionTree: {root: {value: 2}}}"), Parent: 1, Changes: []string{"proposed: a new value"}},
		{Value: canonical(t, `routing: {signals: [queue-depth], starlark: {source: "def score(request, endpoints): return [e.queue_depth for e in endpoints]"}}`), Changes: []string{"proposed"}},
		{Value: canonical(t, `routing: {signals: [queue-depth], starlark: {source: third}}`), Changes: []string{"proposed"}},
	}
	if diff := cmp.Diff(want, proposed); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
	dropped := []string{
		`policies[2].bundle.apiVersion`, `policies[3].language: Unsupported value: "lua": supported values: "starlark", "wasm"`,
		`policies[4]: Invalid value: must have either bundle, or language and policy`, `policies[5].parent: Invalid value: "unknown": must be the policy_id of a parent`,
		`policies[6].component: Invalid value: "admission": the parent has no such component`, `policies[7]: Too long`, `1 more than the 3 that were wanted`,
	}
	if len(entry.Dropped) != len(dropped) {
		t.Fatalf("dropped %q", entry.Dropped)
	}
	for i := range dropped {
		if !strings.Contains(entry.Dropped[i], dropped[i]) {
			t.Errorf("dropped %q, want %q", entry.Dropped[i], dropped[i])
		}
	}
}

// raw answers bytes that are not HTTP.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(connection, text)
		_ = connection.Close()
	}
}

func TestServicesThatFail(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(calls int64) http.HandlerFunc
		calls  int64
		want   string
	}{
		"busy twice": {func(n int64) http.HandlerFunc {
			if n < 3 {
				return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }
			}
			return says(`{}`)
		}, 3, ""},
		"always broken": {func(int64) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "a secret", http.StatusInternalServerError)
			}
		}, 3, "the proposer answers 500 Internal Server Error"},
		"not allowed": {func(int64) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "a secret", http.StatusForbidden) }
		}, 1, "the proposer answers 403 Forbidden"},
		"elsewhere": {func(int64) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
			}
		}, 1, "the proposer answers 307 Temporary Redirect"},
		"no JSON":  {func(int64) http.HandlerFunc { return says("a secret") }, 1, "the answer is not that of a proposer"},
		"no HTTP":  {func(int64) http.HandlerFunc { return raw("SSH-2.0 a secret\r\n") }, 3, "the service does not answer as HTTP servers do"},
		"too long": {func(int64) http.HandlerFunc { return says(strings.Repeat(" ", 5<<20)) }, 1, "the answer has more than 4 MiB"},
		"slow": {func(int64) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			}
		}, 3, "Timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			entry, proposed := asking(t, func(w http.ResponseWriter, r *http.Request) { test.answer(calls.Add(1))(w, r) })
			if strings.Contains(entry.Error, "secret") {
				t.Errorf("the error quotes the service: %q", entry.Error)
			}
			if calls.Load() != test.calls || len(proposed) != 0 || !strings.Contains(entry.Error, test.want) || (entry.Error == "") != (test.want == "") {
				t.Errorf("%d calls, %d policies, error %q, want %d and %q", calls.Load(), len(proposed), entry.Error, test.calls, test.want)
			}
		})
	}
}

func TestKnownAnswersAreNotAskedAgain(t *testing.T) {
	entry, want := asking(t, says(`{"policies": [{"language": "starlark", "policy": "x"}]}`))
	c := propose.NewClient(propose.Options{URL: "http://localhost:1", Timeout: time.Second, Known: []propose.Entry{entry}, Note: func(propose.Entry) error {
		return errors.New("asked")
	}})
	got, err := c.Propose(t.Context(), []search.Inquiry{inquiry(t)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]search.Proposed{want}, got); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

func TestWhatWasInterruptedIsNotKept(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := propose.NewClient(propose.Options{URL: "http://localhost:1", Timeout: time.Second, Note: func(propose.Entry) error { return errors.New("kept") }})
	if _, err := c.Propose(ctx, []search.Inquiry{inquiry(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
