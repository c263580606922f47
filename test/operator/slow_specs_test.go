// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

const (
	// slowSweeps are the sweeps of one tenant, of 10,000 points each.
	slowSweeps = 50
	// calmObjects is how many small objects neighbours apply before the attack, and neighbourObjects how
	// many during it.
	calmObjects, neighbourObjects = 12, 36
)

// Slow specs of one tenant, however often they are edited, leave no neighbour without a status: a spec has
// 1 s of processor time beside others, a namespace 10 s, and no neighbour waits for the slow lane. The manager is a
// process of its own, and nothing makes pods. The times depend on the machine, so the test logs them and
// asserts that each neighbour has a status within the patience of these tests.
//
//	KUBEBUILDER_ASSETS=$(hack/kube-assets.sh) go test ./test/operator -run SlowSpecs -v
func TestSlowSpecsLeaveNoNeighbourWithoutAStatus(t *testing.T) {
	p := newPlatform(t, func(*envtest.ControlPlane) {})
	attacker := p.namespace(t)
	p.kubelet.set(attacker, faults{noPods: true})
	m := p.startManager(t, "", "--state-dir", t.TempDir())
	m.untilReady(t)
	calm := p.waitsOfNeighbours(t, calmObjects)

	for i := range slowSweeps {
		p.create(t, attacker, slowSweep(i))
	}
	eventually(t, func() string {
		if p.slowIn(t, attacker) == 0 {
			return "no sweep waits in the slow lane"
		}
		return ""
	})
	ctx, stop := context.WithCancel(t.Context())
	edits := 0
	var group sync.WaitGroup
	group.Go(func() { edits = p.editSweeps(ctx, t, attacker) })
	attacked := p.waitsOfNeighbours(t, neighbourObjects)
	stop()
	group.Wait()

	t.Logf("without slow specs: %s", waitsOf(calm))
	t.Logf("beside %d sweeps of 10,000 points, edited %d times: %s", slowSweeps, edits, waitsOf(attacked))
	reasons := p.untilAllHaveAStatus(t, attacker, slowSweeps)
	t.Logf("the slow sweeps: %s", counts(reasons))
	for line := range strings.Lines(m.stop(t)) {
		if strings.Contains(line, `"level":"ERROR"`) {
			t.Errorf("the manager logs an error: %.1000s", line)
		}
	}
}

// slowSweep is a sweep of 100 × 100 points with eight rules, which takes seconds to compile.
func slowSweep(i int) *v1alpha1.PolicySweep {
	var values []string
	for v := range 100 {
		values = append(values, strconv.Itoa(v))
	}
	const weight = "router.endpointPickerConfig.schedulingProfiles[default].plugins[%s].weight"
	sweep := builder.MakeSweep(slowName(i), "").
		Values("queue", fmt.Sprintf(weight, "queue-scorer"), values...).
		Values("prefix", fmt.Sprintf(weight, "prefix-cache-scorer"), values...).Obj()
	sweep.Spec.Search.MaxTrials = 10_000
	for rule := range 8 {
		sweep.Spec.Rules = append(sweep.Spec.Rules, v1alpha1.ParameterRule{Expression: fmt.Sprintf("prefix + queue < %d.0", 1000+rule)})
	}
	return sweep
}

// editSweeps edits the sweeps of a namespace one after the other until the context ends, and returns how
// many edits there were.
func (p *platform) editSweeps(ctx context.Context, t *testing.T, ns string) (edits int) {
	for requests := int64(101); ; requests++ {
		for i := range slowSweeps {
			patch := fmt.Appendf(nil, `{"spec":{"scenario":{"horizon":{"requests":%d}}}}`, requests)
			sweep := &v1alpha1.PolicySweep{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: slowName(i)}}
			err := p.client.Patch(ctx, sweep, client.RawPatch("application/merge-patch+json", patch))
			if ctx.Err() != nil {
				return edits
			}
			if err != nil {
				t.Errorf("edit a slow sweep: %v", err)
				return edits
			}
			edits++
		}
	}
}

func slowName(i int) string { return "slow-" + strconv.Itoa(i) }

// waitsOfNeighbours applies small runs and sweeps one after the other, each in a namespace of its own, and
// returns how long each waits for a condition of its generation.
func (p *platform) waitsOfNeighbours(t *testing.T, objects int) (waits []time.Duration) {
	t.Helper()
	for i := range objects {
		ns := p.namespace(t)
		p.kubelet.set(ns, faults{noPods: true})
		var o customResource = builder.MakeRun("small", ns).Scenario(builder.Requests(5)).Obj()
		if i%2 == 1 {
			o = builder.MakeSweep("small", ns).Values("replicas", "pools[llama].replicas", "1", "2").Obj()
		}
		p.create(t, ns, o)
		began := time.Now()
		eventually(t, func() string {
			if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
				return err.Error()
			}
			ready := meta.FindStatusCondition(statusOf(o).Conditions, v1alpha1.ConditionReady)
			if ready == nil || ready.ObservedGeneration != o.GetGeneration() {
				return fmt.Sprintf("neighbour %d of %d has no status", i+1, objects)
			}
			return ""
		})
		waits = append(waits, time.Since(began))
	}
	return waits
}

// slowIn is how many sweeps of a namespace wait in the slow lane.
func (p *platform) slowIn(t *testing.T, ns string) (slow int) {
	t.Helper()
	var list v1alpha1.PolicySweepList
	if err := p.client.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		ready := meta.FindStatusCondition(list.Items[i].Status.Conditions, v1alpha1.ConditionReady)
		if ready != nil && strings.Contains(ready.Message, "takes long to compile") {
			slow++
		}
	}
	return slow
}

// waitsOf tells the median, the 99th percentile and the longest of some waits.
func waitsOf(waits []time.Duration) string {
	slices.Sort(waits)
	at := func(percent int) time.Duration { return waits[(len(waits)*percent+99)/100-1].Round(time.Millisecond) }
	return fmt.Sprintf("%d neighbours, p50 %s, p99 %s", len(waits), at(50), at(99))
}
