// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"maps"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
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
	p := sharedPlatform(t)
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
				cm.Labels = with(original.Labels, controllers.LabelComponent, controllers.ComponentPlan)
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
		"a label that another program obeys": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Labels = with(original.Labels, "grafana_dashboard", "1") }))
		}, "no other labels"},
		"an annotation": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Annotations = map[string]string{"replicate-to": "*"} }))
		}, "no annotations"},
		"a finalizer": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/never"} }))
		}, "no finalizers"},
		"another name in its labels than its owner's": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
				cm.Labels = with(original.Labels, controllers.LabelName, "somebody")
			}))
		}, "must name in its labels"},
		"another kind in its labels than its owner's": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
				cm.Labels = with(original.Labels, controllers.LabelKind, "SimulationRun")
			}))
		}, "must name in its labels"},
		"a key that is no result's": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.Data = map[string]string{"Corefile": "."} }))
		}, "must hold the keys of a result"},
		"a binary key that is no result's": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"tool": {1}} }))
		}, "must hold the keys of a result"},
		"too much": {func() error {
			return c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
				cm.BinaryData = map[string][]byte{store.RowsKey: make([]byte, store.MaxChunkBytes-1000)}
				cm.Data = map[string]string{store.DocumentsKey: strings.Repeat("a", 1010)}
			}))
		}, "at most 768 KiB"},
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
	t.Run("progress", func(t *testing.T) {
		err := c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
			cm.Name = "weights-01234567-progress-0-1-01234567"
			cm.Labels = with(original.Labels, controllers.LabelComponent, controllers.ComponentProgress)
		}))
		if err != nil {
			t.Errorf("progress is refused: %v", err)
		}
	})
	t.Run("a result of the largest size", func(t *testing.T) {
		err := c.Create(t.Context(), result(func(cm *corev1.ConfigMap) {
			cm.BinaryData = map[string][]byte{store.RowsKey: make([]byte, store.MaxChunkBytes-1000)}
			cm.Data = map[string]string{store.DocumentsKey: strings.Repeat("a", 1000)}
		}))
		if err != nil {
			t.Errorf("a result is refused: %v", err)
		}
	})
}

// with returns labels with one changed.
func with(labels map[string]string, key, value string) map[string]string {
	changed := maps.Clone(labels)
	changed[key] = value
	return changed
}

// TestTheManagerMayNotDoMore looks for rights in the shipped role that nobody
// wants to give away.
func TestTheManagerMayNotDoMore(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	c, err := client.New(p.manager.Config(), client.Options{Scheme: controllers.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	sweep := weights().Obj()
	sweep.Namespace = "default"
	for name, do := range map[string]func() error{
		"read Secrets":    func() error { return c.List(t.Context(), &corev1.SecretList{}) },
		"list namespaces": func() error { return c.List(t.Context(), &corev1.NamespaceList{}) },
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

// TestTheManagerIsHeldToItsWork tries what its role allows and nobody wants of it.
func TestTheManagerIsHeldToItsWork(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "coredns", Labels: p.configMaps(t, ns, controllers.ComponentResult)[0].Labels}}
	if err := p.client.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	foreignRun := weightedRun(ns)
	if err := p.client.Create(t.Context(), foreignRun); err != nil {
		t.Fatal(err)
	}
	original := p.jobs(t, ns)[0]
	foreignJob := ownJob(&original, func(job *batchv1.Job) { job.OwnerReferences = nil })
	foreignJob.Name = "foreign"
	foreignJob.Spec.Suspend = ptr.To(true)
	if err := p.client.Create(t.Context(), foreignJob); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(p.manager.Config(), client.Options{Scheme: controllers.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	create := func(change func(*batchv1.Job)) func() error {
		return func() error { return c.Create(t.Context(), ownJob(&original, change), client.DryRunAll) }
	}
	pod := func(change func(*corev1.PodSpec)) func() error {
		return create(func(job *batchv1.Job) { change(&job.Spec.Template.Spec) })
	}
	replicas := func(change func(*corev1.PodSpec)) func() error {
		labels := map[string]string{"app": "replica"}
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "a", OwnerReferences: original.OwnerReferences}}
		d.Spec.Selector, d.Spec.Template.Labels = &metav1.LabelSelector{MatchLabels: labels}, labels
		original.Spec.Template.Spec.DeepCopyInto(&d.Spec.Template.Spec)
		spec := &d.Spec.Template.Spec
		spec.RestartPolicy, spec.ServiceAccountName, spec.DeprecatedServiceAccount = corev1.RestartPolicyAlways, "", ""
		spec.AutomountServiceAccountToken = ptr.To(false)
		change(spec)
		return func() error { return c.Create(t.Context(), d, client.DryRunAll) }
	}
	eventually(t, func() string {
		if c.Delete(t.Context(), foreign, client.DryRunAll) == nil {
			return "the admission policy is not in force"
		}
		return ""
	})
	for name, tc := range map[string]struct {
		do    func() error
		words string
	}{
		"delete somebody's ConfigMap": {func() error { return c.Delete(t.Context(), foreign) }, "only what a run or a sweep owns"},
		"delete somebody's run":       {func() error { return c.Delete(t.Context(), foreignRun) }, "only what a run or a sweep owns"},
		"delete somebody's Job":       {func() error { return c.Delete(t.Context(), foreignJob) }, "only what a run or a sweep owns"},
		"resume somebody's Job, and own it": {func() error {
			owned := foreignJob.DeepCopy()
			owned.OwnerReferences, owned.Spec.Suspend = original.OwnerReferences, ptr.To(false)
			return c.Patch(t.Context(), owned, client.MergeFrom(foreignJob))
		}, "only what a run or a sweep owns"},
		"create a ConfigMap of its own": {func() error {
			return c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "profiles"}})
		}, "only what a run or a sweep owns"},
		"create a Job of its own": {create(func(job *batchv1.Job) { job.OwnerReferences = nil }), "only what a run or a sweep owns"},
		"create an account": {func() error {
			return c.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "deployer"}})
		}, "no account and no binding but the workers'"},
		"bind the workers' role to everybody": {func() error {
			return c.Create(t.Context(), &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: controllers.WorkerName},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: controllers.WorkerName},
				Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:authenticated"}},
			})
		}, "the workers' account of the same namespace only"},
		"run as another account": {pod(func(s *corev1.PodSpec) { s.ServiceAccountName = "default" }), "run as the workers' account"},
		"mount a Secret": {pod(func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "a"}}
		}), "may mount ConfigMaps"},
		"mount a Secret whose name begins as that of a proposer": {pod(func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "windtunnel-proposers"}}
		}), "may mount ConfigMaps"},
		"mount a folder of the host": {pod(func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
		}), "may mount ConfigMaps"},
		"read a Secret into the environment": {pod(func(s *corev1.PodSpec) {
			s.Containers[0].Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "a"}, Key: "a"}}}}
		}), "read no Secret"},
		"be privileged": {pod(func(s *corev1.PodSpec) {
			s.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: ptr.To(true)}
		}), "must be unprivileged"},
		"add a capability": {pod(func(s *corev1.PodSpec) {
			s.Containers[0].SecurityContext.Capabilities.Add = []corev1.Capability{"NET_ADMIN"}
		}), "add no capability"},
		"run another container": {pod(func(s *corev1.PodSpec) {
			second := s.Containers[0].DeepCopy()
			second.Name = "second"
			s.Containers = append(s.Containers, *second)
		}), "one container"},
		"run four containers first": {pod(func(s *corev1.PodSpec) {
			for _, name := range []string{"a", "b", "c", "d"} {
				first := s.Containers[0].DeepCopy()
				first.Name = name
				s.InitContainers = append(s.InitContainers, *first)
			}
		}), "at most three initial containers"},
		"be privileged at first": {pod(func(s *corev1.PodSpec) {
			first := s.Containers[0].DeepCopy()
			first.Name, first.SecurityContext = "first", nil
			s.InitContainers = []corev1.Container{*first}
		}), "must be unprivileged"},
		"run replicas with a token":       {replicas(func(s *corev1.PodSpec) { s.AutomountServiceAccountToken = ptr.To(true) }), "without a token"},
		"run replicas as another account": {replicas(func(s *corev1.PodSpec) { s.ServiceAccountName = "windtunnel-worker" }), "without a token"},
		"give replicas a port of the host": {replicas(func(s *corev1.PodSpec) {
			s.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		}), "nothing of their host"},
		"make a Service of other pods": {func() error {
			return c.Create(t.Context(), &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "a", OwnerReferences: original.OwnerReferences},
				Spec:       corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"app": "database"}, Ports: []corev1.ServicePort{{Port: 80}}},
			}, client.DryRunAll)
		}, "must be headless"},
		"open other pods": {func() error {
			return c.Create(t.Context(), &networkingv1.NetworkPolicy{
				ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "a", OwnerReferences: original.OwnerReferences},
				Spec:       networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}}},
			}, client.DryRunAll)
		}, "must select the pods of a live run"},
		"take a port of the host": {pod(func(s *corev1.PodSpec) {
			s.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		}), "no ports"},
		"share the host's network": {pod(func(s *corev1.PodSpec) { s.HostNetwork = true }), "nothing of their host"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.do(); (!apierrors.IsForbidden(err) && !apierrors.IsInvalid(err)) || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("got %v, want a refusal: %s", err, tc.words)
			}
		})
	}
	if err := create(func(*batchv1.Job) {})(); err != nil {
		t.Errorf("a Job as it makes them is refused: %v", err)
	}
	if err := replicas(func(*corev1.PodSpec) {})(); err != nil {
		t.Errorf("replicas as it makes them are refused: %v", err)
	}
}

// weightedRun is a run that is somebody's own.
func weightedRun(namespace string) *v1alpha1.SimulationRun {
	return builder.MakeRun("own", namespace).Scenario(builder.Requests(20)).Obj()
}

// ownJob returns a Job as the manager would create it anew, changed.
func ownJob(original *batchv1.Job, change func(*batchv1.Job)) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: original.Namespace, Name: "another", OwnerReferences: original.OwnerReferences,
	}}
	original.Spec.DeepCopyInto(&job.Spec)
	job.Spec.Selector, job.Spec.Template.Labels = nil, nil
	change(job)
	return job
}
