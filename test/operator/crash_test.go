// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
)

// Namespaces that the manager of all tests does not look at: in crashes managers are
// killed, and in skewed their clocks are off.
const (
	crashes = "crashes"
	skewed  = "skewed"
)

// manage has a manager of this process work in one namespace, with its client's
// transport wrapped and a clock, each of which may be nil. What it returns ends it.
func (p *platform) manage(t *testing.T, namespace string, wrap transport.WrapperFunc, now clock.PassiveClock) (stop func() error) {
	t.Helper()
	restConfig := rest.CopyConfig(p.manager.Config())
	restConfig.QPS = -1
	if wrap != nil {
		restConfig.Wrap(wrap)
	}
	options := ctrl.Options{
		Scheme:     controllers.Scheme(),
		Cache:      controllers.CacheOptions(),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	}
	options.Cache.DefaultNamespaces = map[string]cache.Config{namespace: {}}
	mgr, err := ctrl.NewManager(restConfig, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := controllers.Setup(ctx, mgr, controllers.Options{Image: "windtunnel:test", Concurrency: 4, Clock: now}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// createNamespace makes a namespace of a name.
func (p *platform) createNamespace(t *testing.T, name string) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if err := p.client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
}

// crashingManager is a manager that dies at one of its writes: that one never reaches the
// API server, nor does any request after it.
type crashingManager struct {
	mu sync.Mutex
	// left is how many writes it has left; below 0 it does not die.
	left int
	made []string
	dead chan struct{}
}

var errCrashed = errors.New("this manager is dead")

// transport is what its client's transport is wrapped in.
func (m *crashingManager) transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if !m.survives(r) {
			return nil, errCrashed
		}
		return next.RoundTrip(r)
	})
}

// survives counts a request, and reports whether the manager outlives it. Events are
// no writes that anything depends on.
func (m *crashingManager) survives(r *http.Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.dead:
		return false
	default:
	}
	_, path, ok := strings.Cut(r.URL.Path, "/namespaces/"+crashes+"/")
	if !ok || r.Method == http.MethodGet || strings.HasPrefix(path, "events") {
		return true
	}
	if m.left == 0 {
		close(m.dead)
		return false
	}
	m.left--
	m.made = append(m.made, r.Method+" "+path)
	return true
}

// work has a manager work in the namespace of crashes until it dies, or until the
// sweep is complete. It returns its writes.
func (p *platform) work(t *testing.T, sweep *v1alpha1.PolicySweep, writes int) []string {
	t.Helper()
	m := &crashingManager{left: writes, dead: make(chan struct{})}
	stop := p.manage(t, crashes, m.transport, nil)
	eventually(t, func() string {
		select {
		case <-m.dead:
			return ""
		default:
		}
		if st := p.read(t, sweep).Status; len(st.Conditions) == 0 || !strings.Contains(statusMessage(&st.CommonStatus), "Complete=True") {
			return "neither is the manager dead nor the sweep complete: " + statusMessage(&st.CommonStatus)
		}
		return ""
	})
	_ = stop() // whatever a dead manager says
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.made
}

// TestAManagerKilledAtAnyWrite kills a manager at its n-th write, for every n, and
// has another one go on. What is there in the end is what there is without a kill.
func TestAManagerKilledAtAnyWrite(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	p.createNamespace(t, crashes)
	end := func(writes int) (string, int) {
		sweep := weights().Seeds(1).Shards(2).Obj()
		sweep.Name = fmt.Sprintf("killed-%d", writes+1)
		p.create(t, crashes, sweep)
		n := len(p.work(t, sweep, writes))
		if writes >= 0 {
			p.work(t, sweep, -1)
		}
		p.until(t, sweep, v1alpha1.ConditionComplete)
		return p.childSummary(t, sweep), n
	}
	// The first one makes the workers' account too.
	_, first := end(-1)
	want, _ := end(first)
	for n := range first {
		if got, _ := end(n); got != want {
			t.Errorf("killed at write %d (-want +got):\n%s", n, cmp.Diff(want, got))
		}
	}
	t.Logf("%d kills; each ends in\n%s", first, want)
}

// childSummary tells of what a sweep has come to, without names.
func (p *platform) childSummary(t *testing.T, sweep *v1alpha1.PolicySweep) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "digest %s of %d simulations\n", sweep.Status.Results.Digest, sweep.Status.Progress.Completed)
	jobs := 0
	for _, job := range p.jobs(t, crashes) {
		if metav1.IsControlledBy(&job, sweep) {
			jobs++
		}
	}
	fmt.Fprintf(&text, "%d Jobs\n", jobs)
	var list corev1.ConfigMapList
	if err := p.client.List(t.Context(), &list, client.InNamespace(crashes)); err != nil {
		t.Fatal(err)
	}
	components := map[string]int{}
	for _, cm := range list.Items {
		if metav1.IsControlledBy(&cm, sweep) {
			components[cm.Labels[controllers.LabelComponent]]++
		}
	}
	for _, component := range []string{controllers.ComponentPlan, controllers.ComponentRound, controllers.ComponentResult, controllers.ComponentLeaderboard} {
		fmt.Fprintf(&text, "%d %s\n", components[component], component)
	}
	return text.String()
}

// TestASearchPromotesAndFollows runs a search of several rounds with a gate, and
// looks at what comes of its best points.
func TestASearchPromotesAndFollows(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Shards(2).Obj()
	sweep.Spec.Parameters[0].Values = []string{"1", "2", "3", "4", "5", "6"}
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.TPESearch, MaxTrials: 6, Seed: 1, GenerationSize: ptr.To[int32](3)}
	sweep.Spec.Replications.Seeds = []int64{1, 2, 3}
	sweep.Spec.Objectives = []v1alpha1.Objective{{Metric: "ttft.mean", Direction: v1alpha1.Minimize}} // in which the baseline has no equal
	sweep.Spec.Gates = []v1alpha1.Gate{{Name: "quick", Metric: "ttft.mean", Operator: v1alpha1.AtMost, Value: "1h", Confidence: "0.95"}}
	sweep.Spec.Promote = &v1alpha1.Promotion{Format: v1alpha1.SourceFormat, When: v1alpha1.PromoteWhenPassed}
	sweep.Spec.Follow = &v1alpha1.Follow{Best: 2}
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	p.until(t, sweep, v1alpha1.ConditionPassed)
	if len(sweep.Status.Followed) != 2 || sweep.Status.Promoted == "" || sweep.Status.Progress.Completed < 18 {
		t.Fatalf("followed %v, promoted %q, progress %+v", sweep.Status.Followed, sweep.Status.Promoted, sweep.Status.Progress)
	}
	var promoted corev1.ConfigMap
	if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: sweep.Status.Promoted}, &promoted); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(promoted.Data["report.md"], "PolicySweep weights") || len(promoted.Data) != 2 {
		t.Errorf("promoted: %v", promoted.Data)
	}
	for _, name := range sweep.Status.Followed {
		run := &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
		p.until(t, run, v1alpha1.ConditionComplete)
		if !metav1.IsControlledBy(run, sweep) || run.Spec.Trace.Level != v1alpha1.DecisionsTrace {
			t.Errorf("run %s belongs to %v and traces %q", name, run.OwnerReferences, run.Spec.Trace.Level)
		}
	}
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Follow.Best = 1 })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	eventually(t, func() string {
		var runs v1alpha1.SimulationRunList
		if err := p.client.List(t.Context(), &runs, client.InNamespace(ns)); err != nil {
			return err.Error()
		}
		if len(runs.Items) != 1 {
			return fmt.Sprintf("%d runs follow, want one", len(runs.Items))
		}
		return ""
	})
}
