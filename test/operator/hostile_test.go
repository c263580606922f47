// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/hostile"
)

var hostileObjects = flag.Uint64("hostile", 200, "how many hostile objects a tenant applies")

const (
	// hostileSeed is that of the objects.
	hostileSeed = 16
	// hostilePatience bounds the wait for the statuses of all of them.
	hostilePatience = 10 * time.Minute
	// managerLimit is the memory limit of the shipped Deployment.
	managerLimit = 1 << 30
)

// TestEveryObjectGetsAStatus has a tenant apply hostile objects, and a neighbour small
// runs meanwhile. Nothing makes the pods of the tenant's Jobs, so that what is measured
// is the manager. The manager is a process of its own, whose peak of memory the test holds
// against the limit of the shipped Deployment.
//
//	KUBEBUILDER_ASSETS=$(hack/kube-assets.sh) go test ./test/operator -run EveryObject -v -hostile 1000
func TestEveryObjectGetsAStatus(t *testing.T) {
	p := newPlatform(t, func(*envtest.ControlPlane) {})
	tenant, neighbour := p.namespace(t), p.namespace(t)
	p.kubelet.set(tenant, faults{noPods: true})
	for _, cm := range hostile.Inputs() {
		p.create(t, tenant, cm)
	}
	m := p.startManager(t, "", "--state-dir", t.TempDir())
	m.untilReady(t)

	began := time.Now()
	ctx, stop := context.WithCancel(t.Context())
	var waits []time.Duration
	var group sync.WaitGroup
	group.Go(func() { waits = p.applySmallRuns(ctx, t, neighbour) })
	admitted := p.applyHostile(t, tenant)
	applied := time.Since(began)
	reasons := p.untilAllHaveAStatus(t, tenant, admitted)
	took := time.Since(began)
	stop()
	group.Wait()

	t.Logf("%d objects are admitted after %s, all with a status after %s: %s", admitted, applied.Round(time.Second), took.Round(time.Second), counts(reasons))
	slices.Sort(waits)
	if len(waits) == 0 {
		t.Fatal("the neighbour applied no run")
	}
	t.Logf("the neighbour's %d runs have a status after %s (median), %s (p99)",
		len(waits), waits[len(waits)/2].Round(time.Millisecond), waits[(len(waits)-1)*99/100].Round(time.Millisecond))
	now, peak := m.memory(t)
	t.Logf("the manager holds %d MiB, %d MiB at its peak", now>>20, peak>>20)
	if peak > managerLimit {
		t.Errorf("the manager took %d MiB, more than its limit of %d", peak>>20, managerLimit>>20)
	}
	for line := range strings.Lines(m.stop(t)) {
		if strings.Contains(line, `"level":"ERROR"`) {
			t.Errorf("the manager logs an error: %.1000s", line)
		}
	}
}

// applyHostile applies the objects and returns how many were admitted. It logs why the
// others were refused.
func (p *platform) applyHostile(t *testing.T, ns string) (admitted int) {
	t.Helper()
	refused, all := map[string]int{}, map[string]int{}
	for i := range *hostileObjects {
		family, o := hostile.Object(hostileSeed, i)
		o.SetNamespace(ns)
		err := p.client.Create(t.Context(), o)
		switch status := (apierrors.APIStatus)(nil); {
		case err == nil:
			admitted++
			all[family]++
		case errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500:
			refused[family+": "+firstCause(status.Status())]++
		default:
			t.Errorf("hostile object %d (%s): %v", i, family, err)
		}
	}
	for _, family := range hostile.Families() {
		if all[family] == 0 {
			t.Errorf("no object of family %s is admitted", family)
		}
	}
	t.Logf("admitted: %s", counts(all))
	t.Logf("refused: %s", counts(refused))
	return admitted
}

// wholeObject is the field of a cause that is about all of an object.
const wholeObject = "<nil>"

// firstCause is the first cause of a refusal, with its field.
func firstCause(status metav1.Status) string {
	if status.Details == nil || len(status.Details.Causes) == 0 {
		return fmt.Sprintf("%s (%.80s)", status.Reason, status.Message)
	}
	cause := status.Details.Causes[0]
	if cause.Field == wholeObject {
		return fmt.Sprintf("%s: %.80s", cause.Type, cause.Message)
	}
	return fmt.Sprintf("%s at %s", cause.Type, cause.Field)
}

// counts lists how often there is what, the most frequent first.
func counts(of map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		if of[a] != of[b] {
			return of[b] - of[a]
		}
		return strings.Compare(a, b)
	})
	var text []string
	for _, key := range keys {
		text = append(text, fmt.Sprintf("%d %s", of[key], key))
	}
	return strings.Join(text, ", ")
}

// untilAllHaveAStatus waits until each object's condition Ready is of its generation and
// says something, and returns how often it has which reason.
func (p *platform) untilAllHaveAStatus(t *testing.T, ns string, want int) map[string]int {
	t.Helper()
	deadline := time.Now().Add(hostilePatience)
	for {
		reasons, silent := p.reasons(t, ns)
		if len(silent) == 0 {
			found := 0
			for _, n := range reasons {
				found += n
			}
			if found < want {
				t.Errorf("%d objects are there, %d were admitted", found, want)
			}
			return reasons
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s, %d objects have no status: %s", hostilePatience, len(silent), strings.Join(silent, ", "))
		}
		time.Sleep(time.Second)
	}
}

// reasons counts the reasons of condition Ready, and names the objects without one.
func (p *platform) reasons(t *testing.T, ns string) (reasons map[string]int, silent []string) {
	t.Helper()
	reasons = map[string]int{}
	for _, kind := range []string{"SimulationRun", "PolicySweep"} {
		var list unstructured.UnstructuredList
		list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind + "List"))
		if err := p.client.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			if c := ready(t, &o); c == nil || c.ObservedGeneration != o.GetGeneration() || c.Reason == "" || c.Message == "" {
				silent = append(silent, kind+" "+o.GetName())
			} else {
				reasons[c.Reason]++
			}
		}
	}
	return reasons, silent
}

// ready is an object's condition Ready. Other fields of hostile objects may not fit the
// types of the kind.
func ready(t *testing.T, o *unstructured.Unstructured) *metav1.Condition {
	t.Helper()
	list, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range list {
		c := entry.(map[string]any)
		if c["type"] != v1alpha1.ConditionReady {
			continue
		}
		generation, _ := c["observedGeneration"].(int64)
		reason, _ := c["reason"].(string)
		message, _ := c["message"].(string)
		return &metav1.Condition{ObservedGeneration: generation, Reason: reason, Message: message}
	}
	return nil
}

// applySmallRuns applies a small run every second until the context ends, and returns how
// long each waited for its first condition.
func (p *platform) applySmallRuns(ctx context.Context, t *testing.T, ns string) (waits []time.Duration) {
	for i := 0; ctx.Err() == nil; i++ {
		run := builder.MakeRun(fmt.Sprintf("small-%d", i), ns).Scenario(builder.Requests(5)).Obj()
		began := time.Now()
		if err := p.client.Create(t.Context(), run); err != nil {
			t.Errorf("the neighbour's run: %v", err)
			return waits
		}
		for meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReady) == nil {
			if time.Since(began) > patience {
				t.Errorf("the neighbour's run %s has no status after %s", run.Name, patience)
				return waits
			}
			time.Sleep(20 * time.Millisecond)
			if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(run), run); err != nil {
				t.Errorf("the neighbour's run: %v", err)
				return waits
			}
		}
		waits = append(waits, time.Since(began))
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(began.Add(time.Second))):
		}
	}
	return waits
}

// memory is what the manager's process holds, and the most that it held, in bytes.
func (m *managerProcess) memory(t *testing.T) (now, peak int64) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		t.Skipf("no figures of a process: %v", err)
	}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kilobytes << 10
		case "VmHWM":
			peak = kilobytes << 10
		}
	}
	return now, peak
}
