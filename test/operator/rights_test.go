// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
)

// worker is a client with the token of a namespace's worker account.
func (p *platform) worker(t *testing.T, namespace string) client.Client {
	t.Helper()
	token, err := p.kube.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), controllers.WorkerName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(p.admin)
	config.BearerToken = token.Status.Token
	c, err := client.New(config, client.Options{Scheme: controllers.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAWorkerMayCreateResultsAndNothingElse tries what a worker gone wrong might
// try, with its own account.
func TestAWorkerMayCreateResultsAndNothingElse(t *testing.T) {
	t.Parallel()
	p := the(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	c := p.worker(t, ns)
	original := p.configMaps(t, ns, controllers.ComponentResult)[0]
	result := func(change func(*corev1.ConfigMap)) *corev1.ConfigMap {
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: ns, Name: "weights-01234567-9-9-01234567",
				Labels: original.Labels, OwnerReferences: original.OwnerReferences,
			},
			Immutable: ptr.To(true),
		}
		change(cm)
		return cm
	}
	// An API server takes a moment to know its policies.
	eventually(t, func() string {
		if c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Immutable = nil }), client.DryRunAll) == nil {
			return "the admission policy is not in force"
		}
		return ""
	})
	for name, tc := range map[string]struct {
		do    func() error
		words string
	}{
		"another name": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Name = "profiles" }))
		}, "must bear the name of a result"},
		"no labels": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Labels = nil }))
		}, "must bear the labels of a result"},
		"the labels of a plan": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
				cm.Labels = map[string]string{}
				for key, value := range original.Labels {
					cm.Labels[key] = value
				}
				cm.Labels[controllers.LabelComponent] = controllers.ComponentPlan
			}))
		}, "must bear the labels of a result"},
		"one that can change": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Immutable = nil }))
		}, "must be immutable"},
		"one without an owner": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.OwnerReferences = nil }))
		}, "must be owned"},
		"one of another owner": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
				cm.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "a", UID: "b"}}
			}))
		}, "must be owned"},
		"another namespace": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Namespace = "default" }))
		}, "cannot create resource"},
		"reading": {func() error {
			return c.Get(t.Context(), client.ObjectKeyFromObject(&original), &corev1.ConfigMap{})
		}, "cannot get resource"},
		"listing": {func() error {
			return c.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(ns))
		}, "cannot list resource"},
		"deleting": {func() error { return c.Delete(t.Context(), &original) }, "cannot delete resource"},
		"labelling": {func() error {
			return c.Patch(t.Context(), original.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`)))
		}, "cannot patch resource"},
		"reading Secrets": {func() error {
			return c.List(t.Context(), &corev1.SecretList{}, client.InNamespace(ns))
		}, "cannot list resource"},
		"reading the sweep": {func() error {
			return c.Get(t.Context(), client.ObjectKeyFromObject(sweep), &v1alpha1.PolicySweep{})
		}, "cannot get resource"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.do()
			if (!apierrors.IsForbidden(err) && !apierrors.IsInvalid(err)) || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("got %v, want a refusal: %s", err, tc.words)
			}
		})
	}
	t.Run("a result", func(t *testing.T) {
		if err := c.Create(t.Context(), result(func(*corev1.ConfigMap) {})); err != nil {
			t.Errorf("a result is refused: %v", err)
		}
	})
}

// TestTheManagerMayNotDoMore looks for rights in the shipped role that nobody
// wants to give away.
func TestTheManagerMayNotDoMore(t *testing.T) {
	t.Parallel()
	p := the(t)
	c, err := client.New(p.manager.Config(), client.Options{Scheme: controllers.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	sweep := weights().Obj()
	sweep.Namespace = "default"
	for name, do := range map[string]func() error{
		"read Secrets":    func() error { return c.List(t.Context(), &corev1.SecretList{}) },
		"read namespaces": func() error { return c.List(t.Context(), &corev1.NamespaceList{}) },
		"list accounts":   func() error { return c.List(t.Context(), &corev1.ServiceAccountList{}) },
		"delete pods":     func() error { return c.Delete(t.Context(), pod) },
		"edit sweeps":     func() error { return c.Update(t.Context(), sweep) },
		"delete sweeps":   func() error { return c.Delete(t.Context(), sweep) },
		"bind other roles": func() error {
			return c.Create(t.Context(), &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			})
		},
	} {
		if err := do(); !apierrors.IsForbidden(err) {
			t.Errorf("it may %s: %v", name, err)
		}
	}
}
