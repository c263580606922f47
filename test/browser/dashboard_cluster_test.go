// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/dashboard/dashboardtest"
)

// madeUp is a cluster in memory, which tells of changes when a test says so.
type madeUp struct {
	cluster.Source
	objects *replaceable
	changes chan dashboard.Key
}

// replaceable are objects of which a test replaces one while the server reads.
type replaceable struct {
	cluster.Objects // watches
	held            atomic.Pointer[dashboardtest.Held]
}

// List implements [cluster.Objects].
func (r *replaceable) List(ctx context.Context, resource dashboard.Resource, namespace string) ([]metav1.Object, error) {
	return r.held.Load().List(ctx, resource, namespace)
}

// Get implements [cluster.Objects].
func (r *replaceable) Get(ctx context.Context, key dashboard.Key) (metav1.Object, error) {
	return r.held.Load().Get(ctx, key)
}

// ConfigMap implements [archive.ConfigMaps].
func (r *replaceable) ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	return r.held.Load().ConfigMap(ctx, namespace, name)
}

// replace puts an object in the place of the first one, with another resource version.
func (r *replaceable) replace(first client.Object) {
	held := slices.Clone(*r.held.Load())
	version := held[0].GetResourceVersion() + "1"
	held[0] = first.DeepCopyObject().(client.Object)
	held[0].SetResourceVersion(version)
	r.held.Store(&held)
}

// List implements [dashboard.Source].
func (m *madeUp) List(ctx context.Context, resource dashboard.Resource, namespace string) ([]dashboard.Object, error) {
	return m.Source.List(ctx, resource, namespace)
}

// Get implements [dashboard.Source].
func (m *madeUp) Get(ctx context.Context, key dashboard.Key) (*dashboard.Object, error) {
	return m.Source.Get(ctx, key)
}

// Watch implements [dashboard.Source].
func (m *madeUp) Watch(ctx context.Context, changed func(dashboard.Key)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case key := <-m.changes:
			changed(key)
		}
	}
}

// showCluster serves the dashboard of objects.
func showCluster(t *testing.T, objects ...client.Object) (*madeUp, string) {
	t.Helper()
	held := dashboardtest.Held(objects)
	r := &replaceable{Objects: held}
	r.held.Store(&held)
	m := &madeUp{Source: cluster.Source{Objects: r, ConfigMaps: r.ConfigMap}, objects: r, changes: make(chan dashboard.Key)}
	server := httptest.NewServer(dashboard.New(dashboard.Options{Source: m, Guard: dashboard.Everyone{}, About: "namespace team of a cluster", Log: logr.Discard()}).Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return m, server.URL
}

// click clicks on the first link to a path with a part, and waits for the page.
func (b *tab) click(t *testing.T, part string) {
	t.Helper()
	before := eval[string](t, b, `location.href`)
	eval[any](t, b, fmt.Sprintf(`[...document.querySelectorAll("a")].find((a) => a.pathname.includes(%q)).click()`, part))
	b.until(t, fmt.Sprintf(`location.href !== %q && document.readyState === "complete"`, before))
}

// until waits until an expression is true, on this page or on one that comes in its place.
func (b *tab) until(t *testing.T, expression string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		// Between two pages there is nothing to ask.
		if is, err := chromedp.Run(b, chromedp.Evaluate[bool](expression)); err == nil && is {
			return
		}
	}
	t.Fatalf("it does not come about that %s in\n%s", expression, eval[string](t, b, `document.body.innerText`))
}

// TestFromAFailedGateToItsRequest goes the way of a person whom kubectl get shows that a run does not
// pass: the command that opens the dashboard, and clicks.
func TestFromAFailedGateToItsRequest(t *testing.T) {
	tab := openTab(t)
	_, server := showCluster(t, append(dashboardtest.Run(t, "team", "slow", "1ms"), dashboardtest.Sweep(t, "team", "routes", "1ms")...)...)
	tab.size(t, 1280, 900)
	tab.at(t, server+"/") // windtunnel dashboard -n team
	tab.shoot(t, "dashboard cluster list light")
	steps := 1
	for name, part := range []string{"/simulationruns/slow", "/seeds/", "/requests/"} {
		tab.click(t, part)
		checkAccessible(t, tab)
		tab.shoot(t, fmt.Sprintf("dashboard way %d light", name))
		steps++
	}
	if steps > 4 {
		t.Errorf("%d steps", steps)
	}
	text := eval[string](t, tab, `document.body.innerText`)
	for _, want := range []string{"It went to llama/", "It completed: first token after"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	tab.size(t, 360, 740)
	if eval[bool](t, tab, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		t.Error("the page is wider than a window of 360 pixels")
	}
	tab.shoot(t, "dashboard request 360")
	tab.checkQuietWithin(t, server)
}

// TestProgressComesByItself watches a sweep from its start to its report, without a reload by the reader.
func TestProgressComesByItself(t *testing.T) {
	tab := openTab(t)
	objects := dashboardtest.Sweep(t, "team", "routes", "2s")
	ended := objects[0].(*v1alpha1.PolicySweep)
	running := ended.DeepCopy()
	running.Status = v1alpha1.PolicySweepStatus{}
	running.Status.Progress = &v1alpha1.ProgressStatus{Total: 10, Completed: 3, Shards: 2, Round: 1, Underway: 2}
	objects[0] = running
	cluster, server := showCluster(t, objects...)
	key := dashboard.Key{Resource: dashboard.Sweeps, Namespace: "team", Name: "routes"}
	tab.size(t, 1280, 900)
	tab.at(t, server+"/namespaces/team/policysweeps/routes")
	tab.until(t, `document.getElementById("stream").textContent === "Follows changes." && document.body.innerText.includes("3 of 10 simulations, round 1, 2 shards, 2 finished in running shards")`)
	tab.shoot(t, "dashboard progress light")
	checkAccessible(t, tab)
	running.Status.Progress.Completed, running.Status.Best = 7, ended.Status.Best
	cluster.objects.replace(running)
	cluster.changes <- key
	tab.until(t, `document.body.innerText.includes("7 of 10 simulations") && document.body.innerText.includes("The best point so far")`)
	running.Status = ended.Status
	cluster.objects.replace(running)
	cluster.changes <- key
	tab.until(t, `document.body.innerText.includes("✖ Fail") && document.documentElement.dataset.ready === "1"`)
	tab.shoot(t, "dashboard report light")
	tab.checkQuietWithin(t, server)
}
