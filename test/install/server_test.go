// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const assetsVar = "KUBEBUILDER_ASSETS"

// server is a real API server, without nodes and controllers.
type server struct {
	client     client.Client
	kubeconfig string
}

func startServer(t *testing.T) *server {
	t.Helper()
	assets := os.Getenv(assetsVar)
	if _, err := os.Stat(filepath.Join(assets, "kube-apiserver")); assets == "" || err != nil {
		t.Skipf("no API server: set %s to a folder with etcd and kube-apiserver, such as hack/kube-assets.sh builds", assetsVar)
	}
	env := &envtest.Environment{}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	if s.client, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.kubeconfig, env.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// helm runs helm against the server.
func (s *server) helm(t *testing.T, args ...string) {
	t.Helper()
	out, err := helm(t, append(args, "--kubeconfig", s.kubeconfig, "--namespace", namespace)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("helm %s\n%s", strings.Join(args, " "), out)
}

func (s *server) get(t *testing.T, namespace, name string, o client.Object) error {
	t.Helper()
	return s.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, o)
}

func (s *server) has(t *testing.T, namespace, name string, o client.Object) {
	t.Helper()
	if err := s.get(t, namespace, name, o); err != nil {
		t.Errorf("%T %s: %v", o, name, err)
	}
}

func (s *server) lacks(t *testing.T, namespace, name string, o client.Object) {
	t.Helper()
	if err := s.get(t, namespace, name, o); !apierrors.IsNotFound(err) {
		t.Errorf("%T %s is still there (%v)", o, name, err)
	}
}

// sweep is what a user has while the operator comes and goes.
func (s *server) sweep(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "config", "samples", "policysweep-random.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range decode(t, string(raw)) {
		if o.GetKind() == "PolicySweep" {
			o.SetNamespace("default")
			return o
		}
	}
	t.Fatal("the sample has no sweep")
	return nil
}

func blankSweep() *unstructured.Unstructured {
	var o unstructured.Unstructured
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: "sim.windtunnel.dev", Version: "v1alpha1", Kind: "PolicySweep"})
	return &o
}

// TestAReleaseComesAndGoes installs the chart, upgrades it and removes it with
// Helm, while a user has a sweep.
func TestAReleaseComesAndGoes(t *testing.T) {
	s := startServer(t)
	const definition = "policysweeps.sim.windtunnel.dev"
	s.helm(t, "install", "windtunnel", former(t), "--create-namespace")
	var d appsv1.Deployment
	s.has(t, namespace, "windtunnel-manager", &d)
	s.admitsRestricted(t, &d)
	s.has(t, "", "windtunnel-worker", &rbacv1.ClusterRole{})
	sweep := s.sweep(t)
	if err := s.client.Create(t.Context(), sweep); err != nil {
		t.Fatal(err)
	}

	s.helm(t, "upgrade", "windtunnel", chart, "--set", "manager.replicas=2")
	s.has(t, namespace, "windtunnel-manager", &d)
	if *d.Spec.Replicas != 2 {
		t.Errorf("%d replicas after the upgrade, want 2", *d.Spec.Replicas)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	s.has(t, "", definition, &crd)
	if got := crd.Spec.Versions[0].AdditionalPrinterColumns[0].Name; got != "State" {
		t.Errorf("the first column is %s: the upgrade leaves the definitions of the version before", got)
	}

	s.helm(t, "uninstall", "windtunnel")
	s.lacks(t, namespace, "windtunnel-manager", &d)
	s.lacks(t, "", "windtunnel-worker", &rbacv1.ClusterRole{})
	s.has(t, "", definition, &crd)
	s.has(t, "default", sweep.GetName(), blankSweep())

	s.helm(t, "install", "windtunnel", chart)
	s.has(t, "default", sweep.GetName(), blankSweep())
}

// former is a chart whose definitions are older: a column had another name.
func former(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "windtunnel")
	if err := os.CopyFS(folder, os.DirFS(chart)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "files", "crds.yaml")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	older := strings.ReplaceAll(string(raw), "name: State\n", "name: Phase\n")
	if older == string(raw) {
		t.Fatal("there is no column State")
	}
	if err := os.WriteFile(file, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// admitsRestricted asks the server's admission for the manager's pod in its
// namespace, when that is labelled as docs/install.md says.
func (s *server) admitsRestricted(t *testing.T, d *appsv1.Deployment) {
	t.Helper()
	var ns corev1.Namespace
	s.has(t, "", namespace, &ns)
	ns.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	if err := s.client.Update(t.Context(), &ns); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{Spec: d.Spec.Template.Spec}
	pod.Namespace, pod.Name = namespace, "manager"
	if err := s.client.Create(t.Context(), pod, client.DryRunAll); err != nil {
		t.Errorf("the manager's pod: %v", err)
	}
	pod.Spec.SecurityContext = nil
	if err := s.client.Create(t.Context(), pod, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("a pod as any user: got %v, want a refusal", err)
	}
}

// TestManifestsComeAndGo does with kubectl alone what docs/install.md says.
func TestManifestsComeAndGo(t *testing.T) {
	kubectlPath(t)
	s := startServer(t)
	s.kubectl(t, "apply", "-k", root+"/config/default")
	s.has(t, namespace, "windtunnel-manager", &appsv1.Deployment{})
	if again := s.kubectl(t, "apply", "-k", root+"/config/default"); strings.Contains(again, "configured") || strings.Contains(again, "created") {
		t.Errorf("a second apply changes something:\n%s", again)
	}
	// A sweep and its kind go at once; the namespace waits for a controller that is
	// not here.
	s.kubectl(t, "delete", "--wait=false", "-k", root+"/config/default")
	s.lacks(t, namespace, "windtunnel-manager", &appsv1.Deployment{})
	s.lacks(t, "", "windtunnel-manager", &rbacv1.ClusterRole{})
}
