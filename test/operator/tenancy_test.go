// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// tenant returns a client of somebody who may edit in one namespace and nowhere
// else.
func (p *platform) tenant(t *testing.T, namespace string) client.Client {
	t.Helper()
	user := "tenant-of-" + namespace
	// What a controller that is not here adds up in ClusterRole edit.
	for _, role := range []string{
		"system:aggregate-to-view", "system:aggregate-to-edit",
		"windtunnel-policysweep-editor", "windtunnel-simulationrun-editor",
	} {
		err := p.client.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user + "-" + strings.TrimPrefix(role, "system:")},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	added, err := p.env.AddUser(envtest.User{Name: user}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(added.Config(), client.Options{Scheme: controllers.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// neighbours are a namespace with a complete sweep, and another one with a tenant
// who wants something of it.
type neighbours struct {
	*platform
	// victim is the sweep in the one, attacker the other namespace and its tenant.
	victim   *v1alpha1.PolicySweep
	attacker string
	tenant   client.Client
}

func (p *platform) neighbours(t *testing.T) *neighbours {
	t.Helper()
	n := &neighbours{platform: p, victim: weights().Shards(2).Obj(), attacker: p.namespace(t)}
	p.create(t, p.namespace(t), n.victim)
	p.until(t, n.victim, v1alpha1.ConditionComplete)
	n.tenant = p.tenant(t, n.attacker)
	return n
}

// holdings are what the victim has: its children and its status.
func (n *neighbours) holdings(t *testing.T) map[string]string {
	t.Helper()
	var sweep v1alpha1.PolicySweep
	if err := n.client.Get(t.Context(), client.ObjectKeyFromObject(n.victim), &sweep); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"PolicySweep": sweep.ResourceVersion}
	for _, list := range []client.ObjectList{&batchv1.JobList{}, &corev1.ConfigMapList{}, &corev1.PodList{}} {
		if err := n.client.List(t.Context(), list, client.InNamespace(n.victim.Namespace)); err != nil {
			t.Fatal(err)
		}
		items := jsontest.Decode[metav1.PartialObjectMetadataList](t, jsontest.Encode(t, list))
		for _, item := range items.Items {
			all[item.Name] = string(item.UID) + " " + item.ResourceVersion
		}
	}
	return all
}

// TestATenantHasNoRightsInOtherNamespaces checks the rights that the API server grants.
func TestATenantHasNoRightsInOtherNamespaces(t *testing.T) {
	t.Parallel()
	n := sharedPlatform(t).neighbours(t)
	index := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: n.victim.Namespace, Name: n.victim.Status.Results.Index}}
	there := weights().Obj()
	there.Name, there.Namespace = "intruder", n.victim.Namespace
	here := weights().Obj()
	here.Namespace = n.attacker
	if err := n.tenant.Create(t.Context(), here); err != nil {
		t.Fatalf("a tenant may not even create a sweep at home: %v", err)
	}
	status := client.RawPatch("application/merge-patch+json", []byte(`{"status":{"planHash":"`+strings.Repeat("0", 64)+`"}}`))
	for name, do := range map[string]func() error{
		"read a sweep": func() error {
			return n.tenant.Get(t.Context(), client.ObjectKeyFromObject(n.victim), &v1alpha1.PolicySweep{})
		},
		"read results":                 func() error { return n.tenant.Get(t.Context(), client.ObjectKeyFromObject(index), &corev1.ConfigMap{}) },
		"list sweeps":                  func() error { return n.tenant.List(t.Context(), &v1alpha1.PolicySweepList{}) },
		"create there":                 func() error { return n.tenant.Create(t.Context(), there) },
		"delete there":                 func() error { return n.tenant.Delete(t.Context(), n.victim.DeepCopy()) },
		"delete a Job":                 func() error { return n.tenant.Delete(t.Context(), &n.jobs(t, n.victim.Namespace)[0]) },
		"delete a row":                 func() error { return n.tenant.Delete(t.Context(), index) },
		"write a status, even at home": func() error { return n.tenant.Status().Patch(t.Context(), here, status) },
		"hand out the workers' role": func() error {
			return n.tenant.Create(t.Context(), &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: n.attacker, Name: "mine"},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: controllers.WorkerName},
				Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "me"}},
			})
		},
	} {
		if err := do(); !apierrors.IsForbidden(err) {
			t.Errorf("a tenant may %s: %v", name, err)
		}
	}
}

// TestASpecReachesNoOtherNamespace has the manager, which may read everywhere,
// asked to do so for a tenant.
func TestASpecReachesNoOtherNamespace(t *testing.T) {
	t.Parallel()
	n := sharedPlatform(t).neighbours(t)
	run, trace := n.traced(t)
	n.create(t, n.victim.Namespace, trace)

	run.Namespace = n.attacker
	if err := n.tenant.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	stalled := n.until(t, run, v1alpha1.ConditionStalled)
	if stalled.Reason != v1alpha1.ReasonInputMissing || !strings.Contains(stalled.Message, "there is no ConfigMap traces in namespace "+n.attacker) {
		t.Errorf("a trace next door: %s: %s", stalled.Reason, stalled.Message)
	}

	sweep := weights().Obj()
	sweep.Name, sweep.Namespace, sweep.Spec.ReuseFrom = "by-name", n.attacker, []string{n.victim.Name}
	if err := n.tenant.Create(t.Context(), sweep); err != nil {
		t.Fatal(err)
	}
	stalled = n.until(t, sweep, v1alpha1.ConditionStalled)
	if stalled.Reason != v1alpha1.ReasonInputMissing || !strings.Contains(stalled.Message, "in namespace "+n.attacker) {
		t.Errorf("results next door by name: %s: %s", stalled.Reason, stalled.Message)
	}

	byPath := weights().Obj()
	byPath.Name, byPath.Namespace, byPath.Spec.ReuseFrom = "by-path", n.attacker, []string{n.victim.Namespace + "/" + n.victim.Name}
	if err := n.tenant.Create(t.Context(), byPath); !apierrors.IsInvalid(err) {
		t.Errorf("results next door by path are not refused: %v", err)
	}
}

// TestNoReferenceHasANamespace gives one to each reference of a spec.
func TestNoReferenceHasANamespace(t *testing.T) {
	t.Parallel()
	n := sharedPlatform(t).neighbours(t)
	run, _ := n.traced(t)
	o := unstructured.Unstructured{Object: jsontest.Decode[map[string]any](t, jsontest.Encode(t, run))}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SimulationRun"))
	o.SetNamespace(n.attacker)
	path := []string{"spec", "scenario", "workload", "trace", "configMapRef", "namespace"}
	if err := unstructured.SetNestedField(o.Object, n.victim.Namespace, path...); err != nil {
		t.Fatal(err)
	}
	err := n.tenant.Create(t.Context(), &o, client.FieldValidation(metav1.FieldValidationStrict))
	if err == nil || !strings.Contains(err.Error(), "configMapRef.namespace") {
		t.Errorf("got %v, want a refusal of the field", err)
	}
}

// TestForgedChildrenAreIgnoredInOtherNamespaces has a tenant make, in its own namespace,
// what looks like children of somebody else's sweep.
func TestForgedChildrenAreIgnoredInOtherNamespaces(t *testing.T) {
	t.Parallel()
	n := sharedPlatform(t).neighbours(t)
	before := n.holdings(t)
	var forged []client.Object
	for _, component := range []string{controllers.ComponentResult, controllers.ComponentIndex, controllers.ComponentPlan} {
		original := n.configMaps(t, n.victim.Namespace, component)[0]
		// A tenant may not block what it cannot set finalizers on.
		original.OwnerReferences[0].BlockOwnerDeletion = nil
		forged = append(forged, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: n.attacker, Name: original.Name, Labels: original.Labels, OwnerReferences: original.OwnerReferences},
			Data:       map[string]string{"rows": "forged"}, Immutable: ptr.To(true),
		})
	}
	original := n.jobs(t, n.victim.Namespace)[0]
	original.OwnerReferences[0].BlockOwnerDeletion = nil
	job := ownJob(&original, func(job *batchv1.Job) { job.Namespace, job.Labels = n.attacker, original.Labels })
	job.Name, job.Spec.Suspend = original.Name, ptr.To(true)
	for _, o := range append(forged, job) {
		if err := n.tenant.Create(t.Context(), o); err != nil {
			t.Fatalf("%T %s: %v", o, o.GetName(), err)
		}
	}

	// The tenant's own sweep of that name makes the manager look at all of them.
	own := weights().Obj()
	own.Namespace = n.attacker
	if err := n.tenant.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	n.until(t, own, v1alpha1.ConditionComplete)
	if diff := cmp.Diff(n.rows(t, n.victim), n.rows(t, own)); diff != "" {
		t.Errorf("the tenant's sweep has other rows (-victim +own):\n%s", diff)
	}
	if diff := cmp.Diff(before, n.holdings(t)); diff != "" {
		t.Errorf("something changed next door (-before +after):\n%s", diff)
	}
	for _, o := range append(forged, job) {
		if err := n.client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Errorf("the manager took %s for its own: %v", o.GetName(), err)
		}
	}
}

// TestASweepUsesItsOwnNamespaceOnly looks for anything that a tenant's sweep leaves elsewhere.
func TestASweepUsesItsOwnNamespaceOnly(t *testing.T) {
	t.Parallel()
	n := sharedPlatform(t).neighbours(t)
	before := n.holdings(t)
	sweep := weights().Shards(3).Obj()
	sweep.Namespace = n.attacker
	if err := n.tenant.Create(t.Context(), sweep); err != nil {
		t.Fatal(err)
	}
	n.until(t, sweep, v1alpha1.ConditionComplete)
	if got := len(n.pods(t, n.attacker)); got != 3 {
		t.Errorf("%d pods at home, want 3", got)
	}
	if diff := cmp.Diff(before, n.holdings(t)); diff != "" {
		t.Errorf("something changed next door (-before +after):\n%s", diff)
	}
}
