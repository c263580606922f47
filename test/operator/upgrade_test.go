// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
)

// formerPlan is a hash that no plan of this version has.
var formerPlan = strings.Repeat("4", 64)

// age makes a sweep look as a manager with an older engine left it.
func age(t *testing.T, p *platform, sweep *v1alpha1.PolicySweep) {
	t.Helper()
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), sweep); err != nil {
			return err.Error()
		}
		sweep.Status.PlanHash, sweep.Status.EngineVersion = formerPlan, "4"
		if err := p.client.Status().Update(t.Context(), sweep); err != nil {
			return err.Error()
		}
		return ""
	})
}

// TestAnUpgradeStartsAnewWhatIsInFlight meets a sweep whose Job simulates what the
// engine before planned: its rows would not be this engine's.
func TestAnUpgradeStartsAnewWhatIsInFlight(t *testing.T) {
	t.Parallel()
	p := the(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{hold: true})
	want := p.runLocally(t, weights().Obj())
	sweep := weights().Shards(2).Obj()
	p.create(t, ns, sweep)
	eventually(t, func() string {
		if len(p.jobs(t, ns)) == 0 {
			return "there is no Job yet"
		}
		return ""
	})
	original := p.jobs(t, ns)[0]
	former := ownJob(&original, func(job *batchv1.Job) {
		job.Labels = with(original.Labels, controllers.LabelPlan, formerPlan[:16])
		job.Annotations = original.Annotations
	})
	former.Name = "weights-44444444"
	if err := p.client.Create(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	age(t, p, sweep)
	eventually(t, func() string {
		err := p.client.Get(t.Context(), client.ObjectKeyFromObject(former), &batchv1.Job{})
		if !apierrors.IsNotFound(err) {
			return fmt.Sprintf("the Job of the version before is still there (%v)", err)
		}
		return ""
	})
	p.kubelet.set(ns, faults{})
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	if sweep.Status.PlanHash == formerPlan || sweep.Status.EngineVersion == "4" {
		t.Errorf("the status is of engine %s", sweep.Status.EngineVersion)
	}
}

// TestAnUpgradeLeavesWhatIsComplete meets a sweep whose results are of the engine
// before. They stay what they are, and say so.
func TestAnUpgradeLeavesWhatIsComplete(t *testing.T) {
	t.Parallel()
	p := the(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	jobs := len(p.jobs(t, ns))
	age(t, p, sweep)
	want := sweep.Status.DeepCopy()
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Labels = map[string]string{"seen": "by-the-new-version"} })
	// Another sweep's whole life is time enough for the manager to act on this one.
	other := weights().Obj()
	other.Name = "other"
	p.create(t, ns, other)
	p.until(t, other, v1alpha1.ConditionComplete)
	if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), sweep); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &sweep.Status); diff != "" {
		t.Errorf("the status (-before +after):\n%s", diff)
	}
	if got := len(p.jobs(t, ns)); got > jobs+1 {
		t.Errorf("%d Jobs, want those that there were and the other sweep's", got)
	}
}
