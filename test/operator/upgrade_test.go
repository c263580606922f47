// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/previous"
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
	p := sharedPlatform(t)
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
	p := sharedPlatform(t)
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

// define installs definitions over those that are there, and waits until they are in
// force: until a run is accepted, or refused.
func (p *platform) define(t *testing.T, definitions envtest.CRDInstallOptions, run *v1alpha1.SimulationRun, accepted bool) {
	t.Helper()
	if _, err := envtest.InstallCRDs(p.admin, definitions); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		err := p.client.Create(t.Context(), run.DeepCopy(), client.DryRunAll)
		if (err == nil) != accepted || err != nil && !apierrors.IsInvalid(err) {
			return fmt.Sprintf("the definitions are not in force: %v", err)
		}
		return ""
	})
}

// withoutRules takes the CEL rules out of a schema.
func withoutRules(s *apiextensionsv1.JSONSchemaProps) {
	s.XValidations = nil
	for name, child := range s.Properties {
		withoutRules(&child)
		s.Properties[name] = child
	}
	if s.Items != nil {
		withoutRules(s.Items.Schema)
	}
}

// TestObjectsOfThePreviousReleaseAreKept creates objects under the definitions of the
// release before, applies today's and starts a manager. What was valid is simulated;
// what is refused today says so, may still be edited, and goes on once it is mended.
// So that something is refused, the former definitions have no rules.
func TestObjectsOfThePreviousReleaseAreKept(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, func(*envtest.ControlPlane) {})
	ns := p.namespace(t)
	refused := builder.MakeRun("refused", ns).Scenario(builder.Requests(50), builder.TraceFrom(v1alpha1.MooncakeTrace, "../traces", "a.jsonl")).Obj()
	probe := refused.DeepCopy()
	probe.Name = "probe"
	former := slices.Collect(maps.Values(previous.Definitions(t)))
	for _, definition := range former {
		withoutRules(definition.Spec.Versions[0].Schema.OpenAPIV3Schema)
	}
	p.define(t, envtest.CRDInstallOptions{CRDs: former}, probe, true)
	sweep := weights().Obj()
	want := p.runLocally(t, sweep.DeepCopy())
	p.create(t, ns, sweep)
	p.create(t, ns, refused)

	p.define(t, envtest.CRDInstallOptions{Paths: p.env.CRDDirectoryPaths}, probe, false)
	m := p.startManager(t, ns)
	m.untilReady(t)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	const field = "spec.scenario.workload.trace.configMapRef.name"
	if stalled := p.until(t, refused, v1alpha1.ConditionStalled); stalled.Reason != v1alpha1.ReasonInvalid || !strings.Contains(stalled.Message, field) {
		t.Errorf("%s: %s, want Invalid because of %s", stalled.Reason, stalled.Message, field)
	}
	edit(t, p, refused, func(r *v1alpha1.SimulationRun) { r.Labels = map[string]string{"team": "a"} })
	edit(t, p, refused, func(r *v1alpha1.SimulationRun) { r.Spec.Scenario.Workload.Trace.ConfigMapRef.Name = "traces" })
	if stalled := p.until(t, refused, v1alpha1.ConditionStalled); stalled.Reason != v1alpha1.ReasonInputMissing {
		t.Errorf("once it is mended: %s: %s", stalled.Reason, stalled.Message)
	}
	if log := m.stop(t); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the manager logs errors:\n%s", log)
	}
}
