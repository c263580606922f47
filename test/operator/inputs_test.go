// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

// profile is the key of ConfigMap profiles that holds a configuration.
const profile = "default.yaml"

// configured is a sweep whose configuration lies in a ConfigMap, and that
// ConfigMap.
func configured() (*v1alpha1.PolicySweep, *corev1.ConfigMap) {
	cm := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "profiles"},
		Data:       map[string]string{profile: builder.DefaultPickerConfig},
	}
	return weights().Shards(2).Scenario(builder.Requests(50), builder.PickerConfigFrom(cm.Name, profile)).Obj(), cm
}

// TestAnEditedInputIsReported edits the configuration of a sweep while its pods run,
// back again, and after they have ended; then it is deleted. The sweep says so
// each time, and is what it was begun with.
func TestAnEditedInputIsReported(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep, cm := configured()
	want := p.runLocally(t, sweep, cm)
	p.kubelet.set(ns, faults{hold: true})
	p.create(t, ns, cm)
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionReconciling)
	write := func(text string) {
		t.Helper()
		edit(t, p, cm, func(cm *corev1.ConfigMap) { cm.Data[profile] = text })
	}

	write(builder.RandomPickerConfig)
	p.untilInputChanged(t, sweep, "ConfigMap profiles key default.yaml changed: sha256 ")
	write(builder.DefaultPickerConfig)
	p.untilInputUnchanged(t, sweep)
	write(builder.RandomPickerConfig)
	p.untilInputChanged(t, sweep, " changed: sha256 ")

	p.kubelet.set(ns, faults{})
	p.until(t, sweep, v1alpha1.ConditionComplete)
	p.untilInputChanged(t, sweep, "the results use the former content")
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-of the configuration that it was begun with +cluster):\n%s", diff)
	}
	jobs := len(p.jobs(t, ns))

	write(builder.DefaultPickerConfig)
	p.untilInputUnchanged(t, sweep)
	if err := p.client.Delete(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	p.untilInputChanged(t, sweep, "ConfigMap profiles key default.yaml was deleted")
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if got := len(p.jobs(t, ns)); got != jobs {
		t.Errorf("%d Jobs, want %d: what became of an input starts nothing", got, jobs)
	}
	p.untilEvent(t, ns, v1alpha1.ReasonInputsChanged)
}

// TestAnEditTakesUpTheInputThatIsThere edits the spec of a complete sweep whose
// configuration has changed: now it counts.
func TestAnEditTakesUpTheInputThatIsThere(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep, cm := configured()
	p.create(t, ns, cm)
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	before := sweep.Status.PlanHash
	edit(t, p, cm, func(cm *corev1.ConfigMap) { cm.Data[profile] = builder.RandomPickerConfig })
	p.untilInputChanged(t, sweep, " changed: sha256 ")
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Shards = 1 })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	p.untilInputUnchanged(t, sweep)
	want := p.runLocally(t, sweep, cm)
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-of the configuration that is there +cluster):\n%s", diff)
	}
	if sweep.Status.PlanHash == before {
		t.Errorf("the plan is still %s", before)
	}
}

// untilInputChanged waits until the sweep names an input that has changed.
func (p *platform) untilInputChanged(t *testing.T, sweep *v1alpha1.PolicySweep, change string) {
	t.Helper()
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), sweep); err != nil {
			return err.Error()
		}
		c := meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionInputsChanged)
		if c == nil || c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, change) {
			return "it does not say that " + change + ": " + statusMessage(&sweep.Status.CommonStatus)
		}
		return ""
	})
}

// untilInputUnchanged waits until the sweep names no such input.
func (p *platform) untilInputUnchanged(t *testing.T, sweep *v1alpha1.PolicySweep) {
	t.Helper()
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), sweep); err != nil {
			return err.Error()
		}
		if meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionInputsChanged) != nil {
			return "an input is still named: " + statusMessage(&sweep.Status.CommonStatus)
		}
		return ""
	})
}

// untilEvent waits for an event of the reason.
func (p *platform) untilEvent(t *testing.T, namespace, reason string) {
	t.Helper()
	eventually(t, func() string {
		list, err := p.kube.EventsV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		for _, e := range list.Items {
			if e.Reason == reason {
				return ""
			}
		}
		return "no event " + reason
	})
}
