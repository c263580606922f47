// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// objectRoutes are all paths below an object.
var objectRoutes = []string{
	"", "/status", "/events", "/points", "/points/1", "/points/1/manifest.yaml", "/points/1/seeds/0", "/points/1/seeds/0/requests/0",
	"/compare?a=0&b=1", "/rows.json", "/rows.csv", "/report", "/report.html", "/report.md",
}

// whole reads a whole answer. Streams are read as headers only.
func whole(t *testing.T, r *http.Response) string {
	t.Helper()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A reader of one namespace gets nothing of another, by any route: the answers are those for objects that
// are not there, to the byte.
func TestReadersSeeTheirNamespacesOnly(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "secret-sweep"), sample(Runs, "a", "secret-run"), sample(Sweeps, "b", "open-sweep"))
	server, _ := serve(t, s, everything())
	for _, object := range []Key{{Sweeps, "a", "secret-sweep"}, {Runs, "a", "secret-run"}} {
		missing := object
		missing.Name = "none"
		for _, route := range objectRoutes {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				forbidden := ask(t, method, server.URL+object.path()+route, "b")
				absent := ask(t, method, server.URL+missing.path()+route, "root")
				if forbidden.StatusCode != http.StatusNotFound || absent.StatusCode != http.StatusNotFound {
					t.Errorf("%s %s: status %d, and %d of an object that is not there", method, object.path()+route, forbidden.StatusCode, absent.StatusCode)
				}
				for _, r := range []*http.Response{forbidden, absent} {
					r.Header.Del("Date")
				}
				if diff := cmp.Diff(absent.Header, forbidden.Header); diff != "" {
					t.Errorf("%s %s: headers (-absent +forbidden):\n%s", method, route, diff)
				}
				if diff := cmp.Diff(whole(t, absent), whole(t, forbidden)); diff != "" && method == http.MethodGet {
					t.Errorf("%s: text (-absent +forbidden):\n%s", route, strings.ReplaceAll(diff, "root", "READER"))
				}
			}
		}
	}
	for reader, want := range map[string][]string{
		"root": {"open-sweep", "secret-run", "secret-sweep"}, "a": {"secret-run", "secret-sweep"}, "a-rows": {"secret-run", "secret-sweep"},
		"a-one": nil, "b": {"open-sweep"}, "nobody": nil,
	} {
		text := whole(t, ask(t, http.MethodGet, server.URL+"/", reader))
		var got []string
		for _, name := range []string{"open-sweep", "secret-run", "secret-sweep"} {
			if strings.Contains(text, name) {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the list of %s (-want +got):\n%s", reader, diff)
		}
		if strings.Contains(text, `"a"`) && !slices.Contains(want, "secret-run") {
			t.Errorf("the list of %s names namespace a", reader)
		}
	}
}

// What needs results needs the right to read ConfigMaps.
func TestResultsNeedTheRightToConfigMaps(t *testing.T) {
	server, _ := serve(t, newShelf(sample(Sweeps, "a", "s")), everything())
	for _, route := range objectRoutes {
		if route == "/events" {
			continue
		}
		want := http.StatusForbidden
		if route == "" || route == "/status" {
			want = http.StatusOK
		}
		response := ask(t, http.MethodGet, server.URL+"/namespaces/a/policysweeps/s"+route, "a-rows")
		if text := whole(t, response); response.StatusCode != want || strings.Contains(text, "weight") && want != http.StatusOK {
			t.Errorf("%s: status %d, want %d", route, response.StatusCode, want)
		}
	}
	if text := whole(t, ask(t, http.MethodGet, server.URL+"/namespaces/a/policysweeps/s", "a-rows")); !strings.Contains(text, "right to get configmaps in namespace a") {
		t.Errorf("the page does not say what is missing:\n%s", text)
	}
}

func TestAnswers(t *testing.T) {
	const object = "/namespaces/a/policysweeps/s"
	large := sample(Sweeps, "a", "large")
	large.Status.Results = &v1alpha1.ResultsStatus{Rows: 1000}
	large.Status.Conditions[2].Message = "Gate served fails: goodput is too low"
	running := sample(Sweeps, "a", "running")
	running.Status.Conditions = nil
	s := newShelf(sample(Sweeps, "a", "s"), large, running, sample(Sweeps, "a", "broken"), sample(Runs, "a", "run"),
		sample(Sweeps, "a", "reportless"), sample(Sweeps, "a", "unanswered"))
	server, _ := serve(t, s, everything(), func(o *Options) { o.MostRows, o.Hosts = 100, []string{"127.0.0.1", "localhost"} })
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for name, test := range map[string]struct {
		method, path, reader string
		change               func(*http.Request)
		status               int
		want                 string
	}{
		"the list":                                {path: "/", want: "<a href=\"/namespaces/a/policysweeps/s\">"},
		"a filter":                                {path: "/?verdict=pass", want: "No run and no sweep passes the filter"},
		"another filter":                          {path: "/?namespace=a&state=Complete&verdict=fail", want: "policysweeps/s"},
		"progress":                                {path: object + "/status", want: "4 of 4 simulations, round 2, 3 shards, 1 failed"},
		"work under way":                          {path: "/namespaces/a/policysweeps/running", want: `data-events="/namespaces/a/policysweeps/running/events"`},
		"points without a report":                 {path: object + "/points", want: `<a href="` + object + `/points/1">weight=2</a>`},
		"points to compare, by their names":       {path: object + "/points", want: `<option value="1">weight=2</option>`},
		"a point, the worst seed first":           {path: object + "/points/1", want: "the worst goodput first"},
		"a point by its name":                     {path: object + "/points/1", want: "<h1>weight=2 in s</h1>"},
		"two points by their names":               {path: object + "/compare?a=0&b=1", want: "<h1>weight=1 and weight=2 in s</h1>"},
		"the dates of the list":                   {path: "/", want: `<td class="number" data-title="date">2001-09-09`},
		"the sentence of a verdict in the list":   {path: "/", want: "Gate served fails: goodput is too low"},
		"a seed":                                  {path: object + "/points/1/seeds/1", want: "s-point-1.yaml --seed 1 --explain REQUEST"},
		"a comparison":                            {path: object + "/compare?a=0&b=1", want: "Difference is B − A"},
		"a run":                                   {path: "/namespaces/a/simulationruns/run", want: "the worst goodput first"},
		"a comparison with no point":              {path: object + "/compare?a=0&b=7", status: 404, want: "must be numbers of points"},
		"a point that is not there":               {path: object + "/points/7", status: 404},
		"a seed that is not there":                {path: object + "/points/1/seeds/7", status: 404},
		"a request that is not stored":            {path: object + "/points/1/seeds/1/requests/0", status: 404},
		"a point that is no number":               {path: object + "/points/x", status: 404},
		"a kind that is none":                     {path: "/namespaces/a/secrets/s", status: 404},
		"a sweep without a report":                {path: object + "/report.html", status: 404},
		"a report that cannot be":                 {path: "/namespaces/a/policysweeps/reportless/report.html", status: 409, want: "No point has all of its results."},
		"and its page":                            {path: "/namespaces/a/policysweeps/reportless", want: "There is no report. No point has all of its results."},
		"a report that fails":                     {path: "/namespaces/a/policysweeps/unanswered/report.md", status: 500, want: "The server&#39;s log has the reason"},
		"and the page of that":                    {path: "/namespaces/a/policysweeps/unanswered", want: "There is no report. The server&#39;s log has the reason."},
		"a run and its report":                    {path: "/namespaces/a/simulationruns/run", want: "<a href=\"/namespaces/a/simulationruns/run/report\">Report</a>"},
		"too many rows":                           {path: "/namespaces/a/policysweeps/large/points", status: 409, want: "at most 100"},
		"an error of the server":                  {path: "/namespaces/a/policysweeps/broken/points", status: 500, want: "The server&#39;s log has the reason"},
		"and the page of its object":              {path: "/namespaces/a/policysweeps/broken", want: "The results cannot be read; the server&#39;s log has the reason."},
		"a script":                                {path: "/assets/dashboard.js", want: "EventSource"},
		"a style":                                 {path: "/assets/dashboard.css", want: "prefers-color-scheme"},
		"an asset that is not there":              {path: "/assets/..%2fserver.go", status: 404},
		"a post":                                  {method: http.MethodPost, path: "/", status: 405},
		"a delete":                                {method: http.MethodDelete, path: object, status: 405},
		"a reader that the cluster does not know": {path: object, reader: "unknown", status: 401},
		"another name of the machine":             {path: "/", change: host("localhost:1234"), want: "policysweeps/s"},
		"a name that somebody has point":          {path: "/", change: host("evil.example"), status: 421},
		"a name that only begins like it":         {path: "/", change: host("localhost.evil.example:80"), status: 421},
	} {
		t.Run(name, func(t *testing.T) {
			if test.method == "" {
				test.method = http.MethodGet
			}
			if test.reader == "" {
				test.reader = "root"
			}
			if test.status == 0 {
				test.status = http.StatusOK
			}
			var changes []func(*http.Request)
			if test.change != nil {
				changes = append(changes, test.change)
			}
			response := ask(t, test.method, server.URL+test.path, test.reader, changes...)
			text := whole(t, response)
			if response.StatusCode != test.status || !strings.Contains(text, test.want) {
				t.Errorf("status %d, want %d with %q in\n%s", response.StatusCode, test.status, test.want, text)
			}
			if strings.Contains(text, "a secret of the server") {
				t.Error("the page has an error of the server")
			}
			for header, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
				"Content-Security-Policy": pagePolicy,
			} {
				if got := response.Header.Get(header); got != want {
					t.Errorf("%s: %q, want %q", header, got, want)
				}
			}
		})
	}
}
