// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// headed is the n-th request, with a set of headers.
func headed(n int, headers int32) *policy.Request {
	r := request(n, 100)
	r.Headers = headers
	return r
}

const byHeader = `
plugins: [{type: header-profile-handler, parameters: {headerName: X-Stage, defaultProfile: second}}, {type: queue-scorer}, {type: kv-cache-utilization-scorer}]
schedulingProfiles: [{name: first, plugins: [{pluginRef: queue-scorer}]}, {name: second, plugins: [{pluginRef: kv-cache-utilization-scorer}]}]`

var stagesOfRequests = []map[string]string{{"x-stage": "first"}, {"X-STAGE": "second", "a": "b"}, {"x-stage": "third"}, {"other": "first"}}

// The header names the profile, in whatever case its name is; without it the default
// profile runs. What names no profile is turned away.
func TestHeaderNamesTheProfile(t *testing.T) {
	cluster := config.Cluster{Endpoints: 2, Headers: stagesOfRequests}
	c := mustLoad(t, byHeader)
	if errs := c.Check(&cluster, inline); len(errs) > 0 {
		t.Fatal(errs)
	}
	s := New(c, cluster, 1)
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 3, KVUsage: 0.1}, {KVUsage: 0.9}}}
	for headers, want := range []int{0, 1, 0, scheduler.None, 0} {
		to, err := s.Route(view, headed(headers, int32(headers)))
		if want == scheduler.None {
			if !errors.Is(err, policy.ErrNoEndpoint) {
				t.Errorf("headers %d: %v, %v", headers, to, err)
			}
			continue
		}
		if err != nil || to.Endpoint != want {
			t.Errorf("headers %d: endpoint %d (%v), want %d", headers, to.Endpoint, err, want)
		}
	}
}

// A profile that runs again knows of what has changed while others ran.
func TestProfilesInTurnSeeAllChanges(t *testing.T) {
	s := New(mustLoad(t, byHeader), config.Cluster{Endpoints: 2, Headers: stagesOfRequests}, 1)
	view := &policy.View{Scrapes: []policy.Scrape{{}, {Waiting: 5}}, Changed: []int32{}}
	if got := route(t, s, view, headed(0, 1)); got != 0 {
		t.Fatalf("endpoint %d", got)
	}
	view.Scrapes[0].Waiting, view.Changed = 9, []int32{0}
	route(t, s, view, headed(1, 2))
	view.Changed = []int32{}
	if got := route(t, s, view, headed(2, 1)); got != 1 {
		t.Errorf("endpoint %d, by an old queue", got)
	}
}

func TestExplanationOfTheProfileThatAHeaderNames(t *testing.T) {
	s := New(mustLoad(t, byHeader), config.Cluster{Endpoints: 2, Headers: stagesOfRequests}, 1)
	for headers, want := range []string{"second", "first", "second", "", "second"} {
		got := ""
		for _, run := range explained(t, s, idle(2), headed(headers, int32(headers))).Profiles {
			got += run.Profile
		}
		if got != want {
			t.Errorf("headers %d: profiles %q, want %q", headers, got, want)
		}
	}
}

// Without a header there is only the default profile, and where that is not there
// every request would fail.
func TestProfilesThatNoHeaderNames(t *testing.T) {
	c := mustLoad(t, byHeader)
	for _, r := range c.Report(&config.Cluster{Endpoints: 2}) {
		switch {
		case r.Type == headerProfileHandlerType && (r.Treatment != config.Exact || !strings.Contains(r.Note, "second")):
			t.Errorf("%+v", r)
		case r.Type == "queue-scorer" && r.Treatment != config.NoEffect:
			t.Errorf("%+v", r)
		}
	}
	lost := mustLoad(t, strings.ReplaceAll(byHeader, "defaultProfile: second", "defaultProfile: third"))
	if errs := lost.Check(&config.Cluster{Endpoints: 2}, inline); len(errs) != 1 || !strings.Contains(errs[0].Detail, "every request would fail") {
		t.Errorf("no default profile: %v", errs)
	}
	cluster := config.Cluster{Endpoints: 2, Headers: stagesOfRequests[:1]}
	if errs := lost.Check(&cluster, inline); len(errs) > 0 {
		t.Error(errs)
	}
	s := New(lost, cluster, 1)
	if _, err := s.Route(idle(2), headed(0, 0)); !errors.Is(err, policy.ErrNoEndpoint) {
		t.Errorf("a request without the header: %v", err)
	}
	route(t, s, idle(2), headed(1, 1))
}

// A request leaves with the first chunk where the profile named prefill sent it.
func TestInFlightLoadOfAProfileThatAHeaderNames(t *testing.T) {
	const body = `
plugins: [{type: header-profile-handler}, {type: active-request-scorer}]
schedulingProfiles: [{name: decode, plugins: [{pluginRef: active-request-scorer}]}, {name: prefill, plugins: [{pluginRef: active-request-scorer}]}]`
	cluster := config.Cluster{Endpoints: 1, Headers: []map[string]string{{"epp-profile": "prefill"}}}
	b := scheduler.NewBuilder(parts, mustLoad(t, body), cluster, 1)
	s := b.Scheduler(parts, mustLoad(t, body))
	counts := b.Load(config.InFlightLoadProducerType).Requests
	requests := []*policy.Request{headed(0, 0), headed(1, 1)}
	for _, r := range requests {
		route(t, s, idle(1), r)
	}
	told := []int64{counts[0]}
	for _, r := range requests {
		s.FirstToken(r, 0)
		told = append(told, counts[0])
	}
	for _, r := range requests {
		s.Finished(r, 0)
		told = append(told, counts[0])
	}
	if diff := cmp.Diff([]int64{2, 2, 1, 0, 0}, told); diff != "" {
		t.Errorf("requests in flight (-want +got):\n%s", diff)
	}
}

// The endpoint scores whose label says what the header of the request says, which
// may differ from request to request; what is pinned does not count then.
func TestHeaderLabelAffinity(t *testing.T) {
	c := mustLoad(t, "plugins: [{name: near, type: header-label-affinity-scorer, parameters: {headerName: X-Zone, labelKey: zone}}]")
	cluster := config.Cluster{
		Endpoints:  3,
		Labels:     []map[string]string{{"zone": "a"}, {"zone": "b"}, nil},
		Attributes: []map[string]float64{{"near": 1}, nil, {"near": 1}},
		Headers:    []map[string]string{{"x-zone": "a"}, {"x-zone": "b"}, {"x-zone": "c"}},
	}
	if errs := c.Check(&cluster, inline); len(errs) > 0 {
		t.Fatal(errs)
	}
	b := scheduler.NewBuilder(parts, c, cluster, 1)
	p := planted{b, b.Scheduler(parts, c)}
	for headers, want := range [][]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}} {
		if diff := cmp.Diff(want, p.Decide(idle(3), headed(headers, int32(headers))).Scores); diff != "" {
			t.Errorf("headers %d, scores (-want +got):\n%s", headers, diff)
		}
	}
}

// A header lists the endpoints that a filter for tests keeps: none without it, and
// none that does not go by that very name.
func TestHeaderListsEndpoints(t *testing.T) {
	cluster := config.Cluster{
		Endpoints: 3, Names: []string{"a/0", "a/1", "b/0"},
		Headers: []map[string]string{{"Test-EPP-Endpoint-Selection": "b/0, a/1 ,b/0"}, {"test-epp-endpoint-selection": "a, A/0"}},
	}
	c := mustLoad(t, "plugins: [{type: header-based-testing-filter}]")
	if errs := c.Check(&cluster, inline); len(errs) > 0 {
		t.Fatal(errs)
	}
	b := scheduler.NewBuilder(parts, c, cluster, 1)
	f := headerBasedTestingFilter.NewFilter(b, c.Plugin(headerBasedTestingFilterType))
	for headers, want := range [][]int{{}, {1, 2}, {}} {
		if got := f.Filter(&scheduler.Cycle{Headers: int32(headers)}, []int{0, 1, 2}); !cmp.Equal(want, got) {
			t.Errorf("headers %d keep %v, want %v", headers, got, want)
		}
	}
}
