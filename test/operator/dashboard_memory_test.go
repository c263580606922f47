// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

const (
	// mostForDashboard is what the dashboard may add to the memory of a manager.
	mostForDashboard = 30 << 20
	// manyRuns and manySweeps have finished.
	manyRuns, manySweeps = 1000, 20
	// pagesOfAKind are how many runs, and how many sweeps, a reader looks at.
	pagesOfAKind = 10
	// manyStreams are how many pages follow one sweep.
	manyStreams = 50
)

// TestTheDashboardNeedsLittleMemory starts a manager without and one with the dashboard, one
// after the other, beside the same finished objects. A reader opens pages of the second one.
func TestTheDashboardNeedsLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute to create a thousand objects and to reconcile them twice")
	}
	p := newPlatform(t, func(*envtest.ControlPlane) {})
	if err := p.apply(t.Context(), "../../config/dashboard/reader_role.yaml"); err != nil {
		t.Fatal(err)
	}
	ns := p.namespace(t)
	p.finishMany(t, ns)
	reader, scraper := p.readerOf(t, ns), p.scraper(t, ns)
	web := freeAddress(t)
	without := p.footprint(t, ns, scraper, func() {})
	with := p.footprint(t, ns, scraper, func() { readPages(t, "https://"+web, ns, reader) }, "--web-bind-address", web, "--dashboard")
	t.Logf("without the dashboard: %s", without)
	t.Logf("with the dashboard: %s", with)
	if more := with.resident - without.resident; more >= mostForDashboard {
		t.Errorf("the dashboard needs %d bytes of resident memory, want less than %d", more, mostForDashboard)
	}
	if more := with.live - without.live; more >= mostForDashboard {
		t.Errorf("the dashboard keeps %d bytes alive, want less than %d", more, mostForDashboard)
	}
	if n := len(p.jobs(t, ns)); n != 2 {
		t.Errorf("there are %d Jobs: a manager takes finished objects for new ones", n)
	}
}

// footprint is the memory of a manager, in bytes.
type footprint struct {
	// synced is resident before the manager is asked for pages, and resident after that.
	synced, resident, peak int64
	// live is what a garbage collection leaves of the heap.
	live int64
}

func (f footprint) String() string {
	mib := func(n int64) float64 { return float64(n) / (1 << 20) }
	return fmt.Sprintf("%.1f MiB resident with full caches, %.1f MiB in the end, %.1f MiB at most; %.1f MiB of the heap are live",
		mib(f.synced), mib(f.resident), mib(f.peak), mib(f.live))
}

// footprint is that of a manager that has reconciled all objects, and has been used then.
func (p *platform) footprint(t *testing.T, ns, scraper string, use func(), args ...string) (f footprint) {
	t.Helper()
	profiles := freeAddress(t)
	m := p.startManager(t, ns, append(args, "--pprof-bind-address", profiles)...)
	eventually(t, func() string {
		_, metrics := get(t, "https://"+m.metrics+"/metrics", scraper)
		return unreconciled(metrics)
	})
	f.synced, _ = m.memory(t)
	use()
	f.resident, f.peak = m.memory(t)
	f.live = liveHeap(t, profiles)
	if log := m.stop(t); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the manager logs errors:\n%s", log)
	}
	return f
}

// liveHeap has a process collect garbage, and returns the bytes of its heap.
func liveHeap(t *testing.T, profiles string) int64 {
	t.Helper()
	_, text := get(t, "http://"+profiles+"/debug/pprof/heap?gc=1&debug=1", "")
	_, after, _ := strings.Cut(text, "# HeapAlloc = ")
	figure, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseInt(figure, 10, 64)
	if err != nil {
		t.Fatalf("no figures of the heap: %.200s", text)
	}
	return n
}

// unreconciled says what of all objects is left, by the metrics of a manager.
func unreconciled(metrics string) string {
	var done, left float64
	for line := range strings.Lines(metrics) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name, _, _ := strings.Cut(series, "{"); name {
		case "controller_runtime_reconcile_total":
			done += n
		case "workqueue_depth", "controller_runtime_active_workers":
			left += n
		}
	}
	if done < manyRuns+manySweeps || left > 0 {
		return fmt.Sprintf("the manager has reconciled %v times, and %v are left", done, left)
	}
	return ""
}

// finishMany has a manager finish a run and a sweep, and copies both.
func (p *platform) finishMany(t *testing.T, ns string) {
	t.Helper()
	m := p.startManager(t, ns)
	run, sweep := p.watched(t, ns), weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, run, v1alpha1.ConditionComplete)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	m.stop(t)
	p.copies(t, run, manyRuns)
	p.copies(t, sweep, manySweeps)
}

// copies makes further finished objects of one, so that there are as many as wanted. Each has
// ConfigMaps of its own.
func (p *platform) copies(t *testing.T, of customResource, wanted int) {
	t.Helper()
	var list corev1.ConfigMapList
	if err := p.client.List(t.Context(), &list, client.InNamespace(of.GetNamespace())); err != nil {
		t.Fatal(err)
	}
	owned := slices.DeleteFunc(list.Items, func(cm corev1.ConfigMap) bool { return !metav1.IsControlledBy(&cm, of) })
	var group errgroup.Group
	group.SetLimit(16)
	for i := 1; i < wanted; i++ {
		group.Go(func() error { return p.copyFinished(t, of, owned, fmt.Sprintf("%s-%d", of.GetName(), i)) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// copyFinished makes a finished object of another one and of the ConfigMaps that it owns.
func (p *platform) copyFinished(t *testing.T, of customResource, owned []corev1.ConfigMap, name string) error {
	object := of.DeepCopyObject().(customResource)
	object.SetName(name)
	object.SetUID("")
	object.SetResourceVersion("")
	created := object.DeepCopyObject().(customResource)
	if err := p.client.Create(t.Context(), created); err != nil { // without its status
		return err
	}
	object.SetUID(created.GetUID())
	object.SetResourceVersion(created.GetResourceVersion())
	for i := range owned {
		cm := copyOfChild(&owned[i], of.GetName(), object)
		if err := p.client.Create(t.Context(), cm); err != nil {
			return err
		}
		if index, is := cm.Data[store.IndexKey]; is {
			results := statusOf(object).Results
			results.Index, results.SHA256 = cm.Name, experiment.Digest([]byte(index))
		}
	}
	return p.client.Status().Update(t.Context(), object)
}

// copyOfChild is the copy of a ConfigMap for another owner. Names of ConfigMaps begin with that
// of their owner, in the index of results too.
func copyOfChild(of *corev1.ConfigMap, formerOwner string, owner customResource) *corev1.ConfigMap {
	cm := of.DeepCopy()
	cm.UID, cm.ResourceVersion = "", ""
	cm.Name = owner.GetName() + strings.TrimPrefix(cm.Name, formerOwner)
	cm.OwnerReferences[0].Name, cm.OwnerReferences[0].UID = owner.GetName(), owner.GetUID()
	for key, text := range cm.Data {
		cm.Data[key] = strings.ReplaceAll(text, `"`+formerOwner+`-`, `"`+owner.GetName()+`-`)
	}
	return cm
}

// readPages opens lists, objects and a report of a dashboard, and then pages that follow a sweep.
func readPages(t *testing.T, url, ns, token string) {
	t.Helper()
	objects := url + "/namespaces/" + ns
	says := map[string]string{
		url + "/": "watched-999", url + "/?verdict=fail": "watched-999", url + "/?namespace=" + ns: "watched-999",
		objects + "/policysweeps/weights/report.html": "</html>",
	}
	for i := range pagesOfAKind {
		says[fmt.Sprintf("%s/simulationruns/watched-%d", objects, i+1)] = "slow-requests"
		says[fmt.Sprintf("%s/policysweeps/weights-%d", objects, i+1)] = "replicas=3"
	}
	for page, word := range says {
		if code, text := get(t, page, token); code != http.StatusOK || !strings.Contains(text, word) {
			t.Errorf("%s: status %d and %d bytes without %q", page, code, len(text), word)
		}
	}
	for range manyStreams {
		follow(t, objects+"/policysweeps/weights/events", token)
	}
}

// follow reads the first event of a stream, which stays open until the test ends.
func follow(t *testing.T, url, token string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if lines.Text() == "event: changed" {
			return
		}
	}
	t.Fatalf("the stream has status %d and ends before its first event", response.StatusCode)
}
