// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
)

// decided is a run with stored decisions, and its gate.
func decided(verdict v1alpha1.GateOutcome) *shelf {
	o := sample(Runs, "a", "decided")
	o.Status.Gates[0].Verdict = verdict
	s := newShelf(o)
	s.decisions = []string{
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":1},"endpoint":0,"outcome":{"ended":"completed","ttftSeconds":1,"e2eSeconds":2,"outputTokens":3,"gpuTokens":5,"cpuTokens":7,"remoteTokens":11}}`,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":2},"endpoint":0,"outcome":{"ended":"completed","ttftSeconds":3,"e2eSeconds":4,"outputTokens":3}}`,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":3},"endpoint":0,"outcome":{"ended":"routed again","ttftSeconds":9}}`,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":3},"error":"no endpoint"}`,
		`{"seed":0,"names":["a/0"],"endpoints":[{}],"request":{"id":4},"endpoint":0,"outcome":{"ended":"completed","ttftSeconds":30}}`,
		`{"seed":1,"leftOut":17}`,
	}
	return s
}

var requestRows = regexp.MustCompile(`requests/(\d+)">\d+</a></th><td>([^<]*)</td>`)

// Requests are in the order of kubectl windtunnel explain: by what the gate judges that does not pass.
func TestTheWorstRequestsComeFirst(t *testing.T) {
	for verdict, want := range map[v1alpha1.GateOutcome][]string{
		v1alpha1.GateFail: {"3 failed", "2 completed", "1 completed"}, // of goodput, which needs requests to complete
		v1alpha1.GatePass: {"2 completed", "1 completed", "3 failed"},
	} {
		server, _ := serve(t, decided(verdict), everything())
		text := whole(t, ask(t, http.MethodGet, server.URL+"/namespaces/a/simulationruns/decided/points/0/seeds/1", "a"))
		var got []string
		for _, row := range requestRows.FindAllStringSubmatch(text, -1) {
			got = append(got, row[1]+" "+row[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("gate %s (-want +got):\n%s\n%s", verdict, diff, text)
		}
		if !strings.Contains(text, "3 of 3 requests") || !strings.Contains(text, "17 decisions had no room") {
			t.Errorf("the page does not count:\n%s", text)
		}
	}
}

// The page of a request has the story that run --explain tells.
func TestThePageOfARequestHasItsStory(t *testing.T) {
	s := decided(v1alpha1.GateFail)
	server, _ := serve(t, s, everything())
	var stored execute.Stored
	if err := stored.Add(zipped(s.decisions)); err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"1", "3"} {
		var want strings.Builder
		if err := stored.Story(1, int(request[0]-'0')).Table(&want); err != nil {
			t.Fatal(err)
		}
		text := html.UnescapeString(whole(t, ask(t, http.MethodGet, server.URL+"/namespaces/a/simulationruns/decided/points/0/seeds/1/requests/"+request, "a")))
		if !strings.Contains(text, want.String()) {
			t.Errorf("request %s: want\n%s\nin\n%s", request, want.String(), text)
		}
	}
}

func TestDamagedDecisionsAreAReason(t *testing.T) {
	s := decided(v1alpha1.GateFail)
	s.decisions = []string{"nope"}
	server, _ := serve(t, s, everything())
	response := ask(t, http.MethodGet, server.URL+"/namespaces/a/simulationruns/decided/points/0/seeds/1", "a")
	if text := whole(t, response); response.StatusCode != http.StatusConflict || !strings.Contains(text, "The stored decisions cannot be read") {
		t.Errorf("status %d:\n%s", response.StatusCode, text)
	}
}

// Results are remembered for the next page of the object, unless what they lack may come.
func TestResultsAreRemembered(t *testing.T) {
	for name, want := range map[string]int{"s": 1, "reportless": 1, "unanswered": 3} {
		s := newShelf(sample(Sweeps, "a", name))
		server, _ := serve(t, s, everything())
		for range 3 {
			ask(t, http.MethodGet, server.URL+"/namespaces/a/policysweeps/"+name+"/points", "a")
		}
		if s.results != want {
			t.Errorf("%s: the results are read %d times, want %d", name, s.results, want)
		}
	}
}
