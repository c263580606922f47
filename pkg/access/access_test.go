// SPDX-License-Identifier: Apache-2.0

package access

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"

	"windtunnel.dev/windtunnel/pkg/kube"
)

// cluster answers reviews as an API server does: the token of NAME is "token-NAME", and NAME may
// get sweeps in the namespace NAME.
type cluster struct {
	reviews, rights atomic.Int64
	down            atomic.Bool
	// failing is how many requests are answered by an error before one is answered in earnest.
	failing atomic.Int64
	mu      sync.Mutex
	asked   []authorizationv1.SubjectAccessReviewSpec
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.down.Load() || c.failing.Add(-1) >= 0 {
		http.Error(w, "down", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/tokenreviews"):
		c.reviews.Add(1)
		var review authenticationv1.TokenReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		if name, ok := strings.CutPrefix(review.Spec.Token, "token-"); ok {
			review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: name, Groups: []string{"team"}}}
		} else {
			review.Status.Error = "invalid bearer token"
		}
		_ = json.NewEncoder(w).Encode(review)
	case strings.HasSuffix(r.URL.Path, "/subjectaccessreviews"):
		c.rights.Add(1)
		var review authorizationv1.SubjectAccessReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		a := review.Spec.ResourceAttributes
		review.Status.Allowed = a.Namespace == review.Spec.User && a.Verb == "get" && a.Resource == "sweeps" && a.Subresource == ""
		c.mu.Lock()
		c.asked = append(c.asked, review.Spec)
		c.mu.Unlock()
		_ = json.NewEncoder(w).Encode(review)
	default:
		http.NotFound(w, r)
	}
}

// guard returns a guard of a cluster, with the clock by which it forgets.
func (c *cluster) guard(t *testing.T) (*Guard, *testclock.FakeClock) {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	api, err := kube.New(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	now := testclock.NewFakeClock(time.Unix(0, 0))
	return newGuard(api, now), now
}

func TestWhoMayRead(t *testing.T) {
	sweeps := func(namespace string) Right {
		return Right{Verb: "get", Group: "g", Resource: "sweeps", Namespace: namespace, Name: "x"}
	}
	for name, tc := range map[string]struct {
		header string
		right  Right
		down   bool
		want   int
	}{
		"a reader of the namespace":        {header: "Bearer token-a", right: sweeps("a"), want: 200},
		"the scheme in lower case":         {header: "bearer token-a", right: sweeps("a"), want: 200},
		"a reader of another namespace":    {header: "Bearer token-b", right: sweeps("a"), want: 403},
		"a right on all namespaces":        {header: "Bearer token-a", right: sweeps(""), want: 403},
		"a right to change":                {header: "Bearer token-a", right: Right{Verb: "delete", Group: "g", Resource: "sweeps", Namespace: "a"}, want: 403},
		"no token":                         {right: sweeps("a"), want: 401},
		"a token that the cluster refuses": {header: "Bearer stale", right: sweeps("a"), want: 401},
		"a password":                       {header: "Basic dG9rZW4tYTo=", right: sweeps("a"), want: 401},
		"an empty token":                   {header: "Bearer ", right: sweeps("a"), want: 401},
		"a token of 1 MiB":                 {header: "Bearer token-" + strings.Repeat("a", 1<<20), right: sweeps("a"), want: 401},
		"a cluster that does not answer":   {header: "Bearer token-a", right: sweeps("a"), down: true, want: 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &cluster{}
			c.down.Store(tc.down)
			g, _ := c.guard(t)
			handler := g.Authenticated(Bearer, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				may, err := g.May(r.Context(), UserOf(r.Context()), tc.right)
				switch {
				case err != nil:
					Refuse(w, r, err)
				case !may:
					w.WriteHeader(http.StatusForbidden)
				}
			}))
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Authorization", tc.header)
			handler.ServeHTTP(w, r)
			if w.Code != tc.want {
				t.Errorf("%d %s, want %d", w.Code, w.Body, tc.want)
			}
			if strings.Contains(w.Body.String(), "token-") {
				t.Errorf("the answer has the token: %s", w.Body)
			}
		})
	}
}

// What a guard asks has all parts of the right and of the user.
func TestAQuestionIsWhole(t *testing.T) {
	c := &cluster{}
	g, _ := c.guard(t)
	u, err := g.User(t.Context(), "token-a")
	if err != nil {
		t.Fatal(err)
	}
	if may, err := g.May(t.Context(), u, Right{"get", "g", "sweeps", "verdict", "a", "x", ""}, Right{"get", "g", "sweeps", "", "a", "x", ""}); err != nil || !may {
		t.Errorf("%v %v, want one of two rights to be enough", may, err)
	}
	first := c.asked[0]
	if a := first.ResourceAttributes; len(c.asked) != 2 || first.User != "a" || first.Groups[0] != "team" || *a != (authorizationv1.ResourceAttributes{
		Namespace: "a", Verb: "get", Group: "g", Version: "*", Resource: "sweeps", Subresource: "verdict", Name: "x",
	}) {
		t.Errorf("asked %+v", c.asked)
	}
}

func TestAnswersAreRemembered(t *testing.T) {
	c := &cluster{}
	g, now := c.guard(t)
	ask := func(token string) {
		t.Helper()
		if u, err := g.User(t.Context(), token); err == nil {
			if _, err := g.May(t.Context(), u, Right{Verb: "get", Resource: "sweeps", Namespace: "a"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps := []struct {
		token           string
		after           time.Duration
		reviews, rights int64
	}{
		{token: "token-a", reviews: 1, rights: 1},
		{token: "token-a", reviews: 1, rights: 1},
		{token: "token-b", reviews: 2, rights: 2}, // who may not
		{token: "token-b", after: 4 * time.Second, reviews: 2, rights: 2},
		{token: "token-b", after: 2 * time.Second, reviews: 2, rights: 3}, // after 6 s
		{token: "stale", reviews: 3, rights: 3},
		{token: "stale", after: 9 * time.Second, reviews: 3, rights: 3},
		{token: "stale", after: 2 * time.Second, reviews: 4, rights: 3}, // after 11 s
		{token: "token-a", after: 12 * time.Second, reviews: 4, rights: 3},
		{token: "token-a", after: 2 * time.Second, reviews: 4, rights: 4}, // after 31 s
		{token: "token-a", after: 28 * time.Second, reviews: 4, rights: 4},
		{token: "token-a", after: 3 * time.Second, reviews: 5, rights: 5}, // after 62 s, and the right after 31 s
	}
	for i, s := range steps {
		now.Step(s.after)
		ask(s.token)
		if c.reviews.Load() != s.reviews || c.rights.Load() != s.rights {
			t.Errorf("step %d: %d token reviews and %d of rights, want %d and %d", i, c.reviews.Load(), c.rights.Load(), s.reviews, s.rights)
		}
	}
}

// A cluster that does not answer once is not remembered as one that refuses.
func TestAnErrorIsNotRemembered(t *testing.T) {
	c := &cluster{}
	g, _ := c.guard(t)
	c.down.Store(true)
	if _, err := g.User(t.Context(), "token-a"); err == nil {
		t.Fatal("no error")
	}
	c.down.Store(false)
	if u, err := g.User(t.Context(), "token-a"); err != nil || u.GetName() != "a" {
		t.Errorf("%v %v", u, err)
	}
}

// Both reviews are asked again, three times in all, after errors that may be gone a moment later.
func TestAQuestionIsAskedAgain(t *testing.T) {
	for failing, want := range map[int64]bool{2: true, 3: false} {
		c := &cluster{}
		g, _ := c.guard(t)
		c.failing.Store(failing)
		if _, err := g.User(t.Context(), "token-a"); (err == nil) != want {
			t.Errorf("user after %d errors: %v", failing, err)
		}
		u, err := g.User(t.Context(), "token-a")
		if err != nil {
			t.Fatal(err)
		}
		c.failing.Store(failing)
		if may, err := g.May(t.Context(), u, Right{Verb: "get", Resource: "sweeps", Namespace: "a"}); may != want || (err == nil) != want {
			t.Errorf("right after %d errors: %v %v", failing, may, err)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := &cluster{}
	g, _ := c.guard(t)
	for i := range maxTokens + 100 {
		g.tokens.known.Add(i, nil, knownFor)
	}
	if n := len(g.tokens.known.Keys()); n > maxTokens {
		t.Errorf("%d tokens are remembered, want at most %d", n, maxTokens)
	}
}

func TestManyAskAtOnce(t *testing.T) {
	c := &cluster{}
	g, _ := c.guard(t)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			name := string(rune('a' + i%5))
			u, err := g.User(t.Context(), "token-"+name)
			if err != nil || u.GetName() != name {
				t.Errorf("%v %v, want %s", u, err, name)
				return
			}
			if may, err := g.May(t.Context(), u, Right{Verb: "get", Resource: "sweeps", Namespace: "a"}); err != nil || may != (name == "a") {
				t.Errorf("%s: %v %v", name, may, err)
			}
		})
	}
	all.Wait()
}
