// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// shelf is a source of made-up objects, each with two points under two seeds.
type shelf struct {
	mu      sync.Mutex
	objects map[Key]Object
	// watches are those that began, and changed tells them.
	watches int
	changed func(Key)
	ready   chan struct{}
	// results counts how often results are read.
	results int
	// decisions are lines of decisions of run "decided".
	decisions []string
}

func newShelf(objects ...Object) *shelf {
	s := &shelf{objects: map[Key]Object{}, ready: make(chan struct{}, 100)}
	for _, o := range objects {
		s.objects[o.Key] = o
	}
	return s
}

func (s *shelf) List(_ context.Context, resource Resource, _ string) ([]Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Object
	for _, o := range s.objects {
		if o.Resource == resource {
			list = append(list, o)
		}
	}
	return list, nil
}

func (s *shelf) Get(_ context.Context, key Key) (*Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[key]
	if !ok {
		return nil, ErrNotFound
	}
	return &o, nil
}

func (s *shelf) Results(_ context.Context, o *Object) (*Results, error) {
	s.mu.Lock()
	s.results++
	s.mu.Unlock()
	if o.Name == "broken" {
		return nil, errors.New("a secret of the server")
	}
	r := &Results{
		Parameters: map[int][]result.Assignment{0: {{Name: "weight", Value: "1"}}, 1: {{Name: "weight", Value: "2"}}},
		Deciding:   []result.Measure{result.Of(result.MustParseMetric("goodput"))},
		Run:        func(int) (*v1alpha1.SimulationRun, error) { return &v1alpha1.SimulationRun{}, nil },
	}
	switch o.Name {
	case "reportless":
		r.ReportFault = archive.NewFault(errors.New("no point has all of its results"))
	case "unanswered":
		r.ReportFault = errors.New("a secret of the server")
	case "printed", "printed@b.json", "-x":
		r.Run, r.Report = nil, &page.Sweep{Report: &report.Sweep{Board: &result.Leaderboard{Candidates: []result.Ranked{
			{Entry: result.Entry{Point: 1}, Standing: result.Feasible}, {Entry: result.Entry{Point: 0}, Standing: result.Dropped},
		}}}}
	case "decided":
		r.Decisions = [][]byte{zipped(s.decisions)}
	}
	for point := range 2 {
		for seed := range 2 {
			row := result.Row{Key: "k", Point: point, Seed: int64(seed), Share: 1}
			row.Metrics = result.NewMetrics(map[string]float64{"goodput": 0.9 - 0.1*float64(seed) - 0.01*float64(point), "ttft.p99": 0.5})
			r.Rows = append(r.Rows, row)
		}
	}
	return r, nil
}

// zipped are lines as a cluster stores them.
func zipped(lines []string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintln(z, strings.Join(lines, "\n"))
	_ = z.Close() // into memory
	return b.Bytes()
}

func (s *shelf) Watch(ctx context.Context, changed func(Key)) error {
	s.mu.Lock()
	s.watches++
	s.changed = changed
	s.mu.Unlock()
	s.ready <- struct{}{}
	<-ctx.Done()
	return nil
}

// change makes another version of an object.
func (s *shelf) change(key Key, version string) {
	s.mu.Lock()
	o := s.objects[key]
	o.Version = version
	s.objects[key] = o
	changed := s.changed
	s.mu.Unlock()
	changed(key)
}

// sample is an object whose work has ended.
func sample(resource Resource, namespace, name string) Object {
	return Object{
		Key: Key{resource, namespace, name}, Version: "1", Created: time.Unix(1e9, 0),
		Status: &v1alpha1.CommonStatus{
			Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonComplete},
				{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue},
				{Type: v1alpha1.ConditionPassed, Status: metav1.ConditionFalse},
			},
			Progress: &v1alpha1.ProgressStatus{Total: 4, Completed: 4, Failed: 1, Round: 2, Shards: 3},
			Results:  &v1alpha1.ResultsStatus{Rows: 4},
			Gates:    []v1alpha1.GateStatus{{Name: "served", Verdict: v1alpha1.GateFail, Message: "goodput is too low"}},
		},
		Best: &v1alpha1.PointStatus{Point: 1, Summary: "weight=2"}, Baseline: &v1alpha1.PointStatus{Point: 0},
	}
}

// rights are what readers may do, by name: "verb resource namespace", with * for all.
type rights struct {
	mu  sync.Mutex
	may map[string][]string
}

// Reader knows readers by a header.
func (g *rights) Reader(r *http.Request) (Reader, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := r.Header.Get("Reader")
	if _, known := g.may[name]; !known {
		return nil, ErrUnknownReader
	}
	return person{g, name}, nil
}

type person struct {
	rights *rights
	name   string
}

func (p person) Name() string { return p.name }

func (p person) May(_ context.Context, a Attributes) (bool, error) {
	p.rights.mu.Lock()
	defer p.rights.mu.Unlock()
	for _, right := range p.rights.may[p.name] {
		parts := strings.Fields(right)
		is := func(i int, what string) bool { return parts[i] == "*" || parts[i] == what }
		if is(0, a.Verb) && is(1, a.Resource) && is(2, a.Namespace) {
			return true, nil
		}
	}
	return false, nil
}

// everything is what the readers of tests may do.
func everything() *rights {
	return &rights{may: map[string][]string{
		"root":   {"* * *"},
		"a":      {"* policysweeps a", "* simulationruns a", "get configmaps a"},
		"a-rows": {"* policysweeps a", "* simulationruns a"},
		"a-one":  {"get policysweeps a", "get configmaps a"},
		"b":      {"* * b"},
		"nobody": nil,
	}}
}

// serve serves pages, with a clock that stands still.
func serve(t *testing.T, s *shelf, g Guard, change ...func(*Options)) (*httptest.Server, *clocktesting.FakeClock) {
	t.Helper()
	now := clocktesting.NewFakeClock(time.Unix(2e9, 0))
	o := Options{Source: s, Guard: g, Clock: now, Log: logr.Discard()}
	for _, c := range change {
		c(&o)
	}
	server := httptest.NewServer(New(o).Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server, now
}

// ask sends a request as a reader, and follows no redirect.
func ask(t *testing.T, method, url, reader string, change ...func(*http.Request)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Reader", reader)
	for _, c := range change {
		c(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}
