// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/dashboard/dashboardtest"
)

func sourceOf(t *testing.T, objects ...client.Object) *cluster.Source {
	t.Helper()
	held := dashboardtest.Held(objects)
	return &cluster.Source{Objects: held, ConfigMaps: held.ConfigMap}
}

// pagesOf serves the pages of objects, and returns what reads one.
func pagesOf(t *testing.T, source dashboard.Source) func(path string) (status int, text string) {
	t.Helper()
	server := httptest.NewServer(dashboard.New(dashboard.Options{Source: source, Guard: dashboard.Everyone{}, Log: logr.Discard()}).Handler())
	t.Cleanup(server.Close)
	return func(path string) (int, string) {
		t.Helper()
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
}

var hrefs = regexp.MustCompile(`href="([^"]*)"`)

// firstLink is the first link of a page with a path that matches.
func firstLink(t *testing.T, text, pattern string) string {
	t.Helper()
	for _, link := range hrefs.FindAllStringSubmatch(text, -1) {
		if regexp.MustCompile(pattern).MatchString(link[1]) {
			return strings.ReplaceAll(link[1], "&amp;", "&")
		}
	}
	t.Fatalf("no link matches %s in\n%s", pattern, text)
	return ""
}

// From a gate that failed to the request that broke it: kubectl get says that the run does not pass, and
// then the dashboard's command and three clicks follow.
func TestAFailedGateLeadsToItsRequestInFourSteps(t *testing.T) {
	steps := 1 // windtunnel dashboard -n team, which shows the list
	show := pagesOf(t, sourceOf(t, dashboardtest.Run(t, "team", "slow", "1ms")...))
	_, text := show("/")
	for _, pattern := range []string{"/simulationruns/slow$", "/points/0/seeds/", "/requests/"} {
		status, next := show(firstLink(t, text, pattern))
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, next)
		}
		text = next
		steps++
	}
	if steps > 4 {
		t.Errorf("%d steps", steps)
	}
	for _, want := range []string{"scorer", "It went to llama/", "It completed: first token after"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of the request lacks %q:\n%s", want, text)
		}
	}
}

// A run has its report as a page and as files.
func TestTheReportOfARun(t *testing.T) {
	show := pagesOf(t, sourceOf(t, dashboardtest.Run(t, "team", "slow", "1ms")...))
	_, page := show("/namespaces/team/simulationruns/slow")
	for _, path := range []string{firstLink(t, page, "/slow/report$"), firstLink(t, page, "/slow/report.html$"), firstLink(t, page, "/slow/report.md$")} {
		if status, text := show(path); status != http.StatusOK || !strings.Contains(text, "slow-requests") {
			t.Errorf("%s: status %d:\n%s", path, status, text)
		}
	}
}

// A sweep leads to the manifest that explains any request of any point.
func TestASweepLeadsToTheManifestOfAPoint(t *testing.T) {
	show := pagesOf(t, sourceOf(t, dashboardtest.Sweep(t, "team", "routes", "1ms")...))
	_, list := show("/")
	_, report := show(firstLink(t, list, "/policysweeps/routes$"))
	for _, want := range []string{"</span> Fail</h1>", "What changes", "</html>"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	_, point := show(firstLink(t, report, "/policysweeps/routes/points/"))
	_, seed := show(firstLink(t, point, "/seeds/"))
	for _, want := range []string{"kubectl get configmap traces -n team", "--configmap traces.yaml --seed", "--explain REQUEST"} {
		if !strings.Contains(seed, want) {
			t.Errorf("the page of the seed lacks %q:\n%s", want, seed)
		}
	}
	status, manifest := show(firstLink(t, seed, "manifest.yaml$"))
	if status != http.StatusOK || !strings.Contains(manifest, "kind: SimulationRun") || strings.Contains(manifest, "status:") {
		t.Errorf("status %d, manifest\n%s", status, manifest)
	}
	for _, path := range []string{"/points", "/compare?a=0&b=1", "/rows.csv", "/rows.json", "/report.html", "/report.md", "/status"} {
		if status, text := show("/namespaces/team/policysweeps/routes" + path); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}
}

// What is wrong with results is said in a sentence, and the status is shown all the same.
func TestResultsThatAreNotWhole(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func([]client.Object)
		want  string
	}{
		"another spec": {func(o []client.Object) { o[0].SetGeneration(2) }, "the manager has not seen the present spec yet"},
		"another plan": {func(o []client.Object) { o[0].(*v1alpha1.PolicySweep).Spec.Search.Seed++ }, "There is no report. The results are those of another spec"},
		"no chunk":     {func(o []client.Object) { o[3].SetName("elsewhere") }, "There is no ConfigMap routes-chunk in namespace team"},
		"a cut chunk":  {func(o []client.Object) { o[3].(*corev1.ConfigMap).BinaryData = nil }, "but the index has"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := dashboardtest.Sweep(t, "team", "routes", "2s")
			test.spoil(objects)
			status, text := pagesOf(t, sourceOf(t, objects...))("/namespaces/team/policysweeps/routes")
			if status != http.StatusOK || !strings.Contains(text, test.want) {
				t.Errorf("status %d, want %q in\n%s", status, test.want, text)
			}
		})
	}
}

// A cache of some namespaces has nothing of others.
func TestASourceOfSomeNamespaces(t *testing.T) {
	source := sourceOf(t, dashboardtest.Run(t, "team", "slow", "1ms")...)
	source.Namespaces = []string{"other"}
	key := dashboard.Key{Resource: dashboard.Runs, Namespace: "team", Name: "slow"}
	if _, err := source.Get(context.Background(), key); !errors.Is(err, dashboard.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	source.Namespaces = nil
	object, err := source.Get(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	object.Status.Results = nil
	var fault archive.Fault
	if _, err := source.Results(context.Background(), object); !errors.As(err, &fault) {
		t.Errorf("results of a run without some: error %v", err)
	}
}

// A cache that never comes in sync, because its user may not list or watch, has words for that.
func TestACacheThatIsNotInSync(t *testing.T) {
	source := sourceOf(t)
	source.Objects = unsynced{source.Objects}
	show := pagesOf(t, source)
	for _, path := range []string{"/", "/namespaces/team/policysweeps/routes"} {
		if status, text := show(path); status != http.StatusConflict || !strings.Contains(text, "needs the rights to list and watch") {
			t.Errorf("%s: status %d:\n%s", path, status, text)
		}
	}
}

// unsynced answers as a cache that is not in sync.
type unsynced struct{ cluster.Objects }

func (unsynced) List(context.Context, dashboard.Resource, string) ([]metav1.Object, error) {
	return nil, apierrors.NewTimeoutError("failed waiting for the informer to sync", 0)
}

func (unsynced) Get(context.Context, dashboard.Key) (metav1.Object, error) {
	return nil, apierrors.NewTimeoutError("failed waiting for the informer to sync", 0)
}
