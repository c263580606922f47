// SPDX-License-Identifier: Apache-2.0

package folder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/folder"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Outputs of run -o json, as short as they can be.
const (
	oneRun = `{"kind":"SimulationRun","metadata":{"name":"chat","namespace":"team"},"status":{"progress":{"total":1,"completed":1},
"gates":[{"name":"g","verdict":"Fail"}],"metrics":[{"metric":"ttft.p99","mean":"0.5"}]},
"rows":[{"key":"k","point":0,"seed":1,"metrics":{"ttft.p99":0.5}}]}`
	twoRuns   = `{"kind":"List","items":[` + oneRun + `,{"kind":"SimulationRun","metadata":{"name":"code"},"rows":[]}]}`
	sweepless = `{"kind":"PolicySweep","metadata":{"name":"s"},"rows":[]}`
)

// written is a folder with files.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	at := t.TempDir()
	for name, text := range files {
		testfile.Write(t, filepath.Join(at, name), []byte(text))
	}
	return at
}

// names are the paths of all objects.
func names(t *testing.T, s *folder.Source, at string) []string {
	t.Helper()
	var all []string
	for _, resource := range []dashboard.Resource{dashboard.Sweeps, dashboard.Runs} {
		objects, err := s.List(context.Background(), resource, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			all = append(all, strings.ReplaceAll(string(o.Resource)+" "+o.Namespace+"/"+o.Name, at+"/", ""))
		}
	}
	slices.Sort(all)
	return all
}

func TestObjectsOfFiles(t *testing.T) {
	for name, test := range map[string]struct {
		files         map[string]string
		want, without []string
		fault         string
	}{
		"one run":               {files: map[string]string{"a.json": oneRun}, want: []string{"simulationruns team/chat"}},
		"a list":                {files: map[string]string{"a.json": twoRuns}, want: []string{"simulationruns default/code", "simulationruns team/chat"}},
		"a name that is twice":  {files: map[string]string{"a.json": oneRun, "b.json": oneRun}, want: []string{"simulationruns team/chat@a.json", "simulationruns team/chat@b.json"}},
		"files without results": {files: map[string]string{"a.json": sweepless, "b.json": "{", "c.json": "[]", "d.yaml": "kind: x"}, want: []string{"policysweeps default/s"}, without: []string{"b.json", "c.json"}},
		"no results":            {files: map[string]string{"a.json": "{}"}, without: []string{"a.json"}, fault: "there is no output of run -o json or sweep -o json"},
	} {
		t.Run(name, func(t *testing.T) {
			at := written(t, test.files)
			s := folder.New(clock.RealClock{}, at)
			without, err := s.Check()
			if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
				t.Errorf("error %v, want %q", err, test.fault)
			}
			for i := range without {
				without[i] = filepath.Base(without[i])
			}
			if diff := cmp.Diff(test.without, without); diff != "" {
				t.Errorf("files without results (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, names(t, s, at)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := folder.New(clock.RealClock{}, "none").Check(); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func TestResultsOfFiles(t *testing.T) {
	s := folder.New(clock.RealClock{}, written(t, map[string]string{"a.json": oneRun, "b.json": oneRun, "s.json": sweepless}))
	objects, err := s.List(t.Context(), dashboard.Runs, "team")
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	for i := range objects {
		o := &objects[i]
		if o.State() != "Complete" || o.Outcome() != verdict.Fail || !o.Ended() {
			t.Errorf("%s: state %s, verdict %s", o.Name, o.State(), o.Outcome())
		}
		r, err := s.Results(t.Context(), o)
		if err != nil || len(r.Rows) != 1 || r.Report != nil {
			t.Errorf("%s: %v, %v", o.Name, r, err)
		}
	}
	first, err := s.Get(t.Context(), dashboard.Key{Resource: dashboard.Runs, Namespace: "team", Name: "chat"})
	if err != nil || first.Key != objects[0].Key {
		t.Errorf("the name without a file is %v, %v; want that of the first file", first, err)
	}
	sweep, err := s.Get(t.Context(), dashboard.Key{Resource: dashboard.Sweeps, Namespace: "default", Name: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Results(t.Context(), sweep); err != nil || r.ReportFault == nil {
		t.Errorf("a sweep without a leaderboard: %v, %v", r, err)
	}
	if _, err := s.Get(t.Context(), dashboard.Key{Resource: dashboard.Runs, Namespace: "team", Name: "none"}); !errors.Is(err, dashboard.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

// The best point of a sweep in which none meets the constraints is marked.
func TestConstraintsThatNoPointMeets(t *testing.T) {
	for standing, want := range map[string]bool{"Feasible": false, "Infeasible": true, "Incomplete": false} {
		text := `{"kind":"PolicySweep","metadata":{"name":"s"},"rows":[],"leaderboard":{"candidates":[{"point":0,"standing":"` + standing + `"}]}}`
		o, err := folder.New(clock.RealClock{}, written(t, map[string]string{"s.json": text})).Get(t.Context(), dashboard.Key{Resource: dashboard.Sweeps, Namespace: "default", Name: "s"})
		if err != nil || o.Unmet != want {
			t.Errorf("%s: %+v, %v", standing, o, err)
		}
	}
}

func TestFilesThatChange(t *testing.T) {
	at := written(t, map[string]string{"a.json": oneRun})
	now := clocktesting.NewFakeClock(time.Unix(0, 0))
	s := folder.New(now, at)
	changed := make(chan dashboard.Key, 10)
	go func() { _ = s.Watch(t.Context(), func(k dashboard.Key) { changed <- k }) }()
	for !now.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // until the files were looked at
	for name, change := range map[string]func() error{
		"chat": func() error { return os.WriteFile(filepath.Join(at, "a.json"), []byte(oneRun+"\n"), 0o600) },
		"s":    func() error { return os.WriteFile(filepath.Join(at, "s.json"), []byte(sweepless), 0o600) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		now.Step(2 * time.Second)
		if got := <-changed; got.Name != name {
			t.Errorf("%s changed, want %s", got.Name, name)
		}
	}
	if err := os.Remove(filepath.Join(at, "s.json")); err != nil {
		t.Fatal(err)
	}
	now.Step(2 * time.Second)
	if got := <-changed; got.Name != "s" {
		t.Errorf("%s is gone, want s", got.Name)
	}
}
