// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/observe"
)

// prometheus answers query_range from a recording, to those who have the token.
func prometheus(t *testing.T, of *observe.Recording, token string) *httptest.Server {
	t.Helper()
	query := regexp.MustCompile(`^\{__name__=~"([^"]*)",namespace="serve"\}$`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found := query.FindStringSubmatch(r.FormValue("query"))
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method != http.MethodGet || r.URL.Path != "/prom/api/v1/query_range":
			w.WriteHeader(http.StatusNotFound)
		case found == nil:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"status":"error","errorType":"bad_data","error":"cannot parse %s"}`, strings.ReplaceAll(r.FormValue("query"), `"`, `'`))
		default:
			var some observe.Recording
			for _, series := range of.Series {
				if regexp.MustCompile("^(" + found[1] + ")$").MatchString(series.Metric) {
					some.Series = append(some.Series, series)
				}
			}
			if err := some.Write(w); err != nil {
				t.Error(err)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAPrometheusIsAsked(t *testing.T) {
	stage := stageOf(1)
	played, err := stage.Play(t.Context(), scenario(t), 7, observe.AsStated())
	if err != nil {
		t.Fatal(err)
	}
	s := prometheus(t, played, "secret")
	p, err := observe.NewPrometheus(s.URL+"/prom", "secret", `{namespace="serve"}`, observe.NewClient(time.Minute, nil))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Ask(t.Context(), &stage.Window)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := stage.Window.Figures(played, observe.Measures())
	figures, notes := stage.Window.Figures(got, observe.Measures())
	if diff := cmp.Diff(want, figures); diff != "" || len(notes) > 0 {
		t.Errorf("notes %v; figures (−want +got):\n%s", notes, diff)
	}
}

func TestWhatAPrometheusRefuses(t *testing.T) {
	answers := func(status int, text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if status == http.StatusFound {
				w.Header().Set("Location", "http://elsewhere.example.com")
			}
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	closed := prometheus(t, &observe.Recording{}, "secret")
	for name, tc := range map[string]struct{ url, selector, want string }{
		"one that is down":                 {down.URL, "", "connection refused"},
		"one that wants a token":           {closed.URL, "", `it refuses with "401 Unauthorized": a bearer token`},
		"one that forbids":                 {answers(http.StatusForbidden, "no"), "", `it refuses with "403 Forbidden"`},
		"one that is too slow":             {slow.URL, "", "no answer in time"},
		"something else":                   {answers(http.StatusOK, "<html>"), "", "it does not answer as Prometheus does"},
		"an answer that is cut":            {answers(http.StatusOK, `{"status":"success","data":{"resultType":"matrix","resu`), "", "unexpected EOF"},
		"a faulty proxy":                   {answers(http.StatusBadGateway, "<html>"), "", `it answers "502 Bad Gateway"`},
		"a redirect":                       {answers(http.StatusFound, ""), "", `it answers "302 Found"`},
		"a query that it cannot parse":     {answers(http.StatusBadRequest, `{"status":"error","error":"parse error: unexpected end"}`), "x=", "it answers: parse error: unexpected end"},
		"an overloaded one without JSON":   {answers(http.StatusServiceUnavailable, "busy"), "", `it answers "503 Service Unavailable"`},
		"an answer to a query of a moment": {answers(http.StatusOK, `{"status":"success","data":{"resultType":"vector"}}`), "", "resultType must be matrix"},
	} {
		p, err := observe.NewPrometheus(tc.url, "", tc.selector, observe.NewClient(time.Second/4, nil))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, err = p.Ask(t.Context(), &stageOf(1).Window)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "ask the Prometheus at http://127.0.0.1") || strings.Contains(err.Error(), "__name__") {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
		}
	}
}

func TestAddressesOfPrometheus(t *testing.T) {
	for address, want := range map[string]string{
		"http://prometheus:9090":          "without TLS",
		"http://127.0.0.1:9090":           "",
		"http://[::1]:9090":               "",
		"http://localhost:9090":           "",
		"https://prometheus:9090/prom/":   "",
		"https://user:word@prometheus":    "must not hold a password",
		"https://prometheus?token=secret": "must not have a query",
		"prometheus:9090":                 "must be such as https://",
		"":                                "must be such as https://",
		"ftp://prometheus":                "must be such as https://",
	} {
		_, err := observe.NewPrometheus(address, "secret", "", http.DefaultClient)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", address, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "word@") {
			t.Errorf("%s: the error has the password: %v", address, err)
		}
	}
}
