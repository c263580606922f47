// SPDX-License-Identifier: Apache-2.0

// Package operator_test tests the operator with a real API server. The manager and the
// worker pods are processes of the real binary, with the rights of their service
// accounts. A fake Job controller and kubelet (kubelet_test.go) replace the rest of the
// cluster. The garbage collector does not run; tests check owner references instead.
package operator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/go-logr/logr"

	"windtunnel.dev/windtunnel/controllers"
)

const assetsVar = "KUBEBUILDER_ASSETS"

// platform is an API server with the operator installed and running.
type platform struct {
	env    *envtest.Environment
	admin  *rest.Config
	client client.Client
	kube   kubernetes.Interface
	// manager is the configuration of the manager's user.
	manager *envtest.AuthenticatedUser
	kubelet *kubelet
	// binary is the built windtunnel.
	binary string
	// folder holds what the API server reads and writes of audits.
	folder string
	// auditLog is what the API server writes of the manager's requests.
	auditLog string
	// writes are those of the manager, by namespace.
	writes  writes
	context context.Context
	stop    context.CancelFunc
	ended   chan error
}

var (
	startOnce sync.Once
	started   *platform
	startErr  error
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	code := m.Run()
	if started != nil {
		if err := started.close(*audit); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// sharedPlatform returns the one platform of all tests, which the first one starts.
func sharedPlatform(t *testing.T) *platform {
	t.Helper()
	needAssets(t)
	startOnce.Do(func() { started, startErr = start() })
	if startErr != nil {
		t.Fatalf("start: %v", startErr)
	}
	return started
}

// needAssets skips a test where there is no API server to start.
func needAssets(t *testing.T) {
	t.Helper()
	for _, binary := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(os.Getenv(assetsVar), binary)); os.Getenv(assetsVar) == "" || err != nil {
			t.Skipf("no API server: set %s to a folder with etcd and kube-apiserver, such as hack/kube-assets.sh builds", assetsVar)
		}
	}
}

// newPlatform returns a platform of a test's own, on which no manager runs. Settings
// change how its API server and etcd run.
func newPlatform(t *testing.T, settings func(*envtest.ControlPlane)) *platform {
	t.Helper()
	needAssets(t)
	p, err := startBarePlatform(settings)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	p.ended <- nil
	t.Cleanup(func() {
		if err := p.close(false); err != nil {
			t.Error(err)
		}
	})
	return p
}

// start starts the platform of all tests.
func start() (*platform, error) {
	p, err := startBarePlatform(func(*envtest.ControlPlane) {})
	if err != nil {
		return nil, err
	}
	mgr, err := p.newManager(p.context)
	if err != nil {
		return nil, err
	}
	go func() { p.ended <- mgr.Start(p.context) }()
	return p, nil
}

// startBarePlatform starts a platform without a manager.
func startBarePlatform(settings func(*envtest.ControlPlane)) (*platform, error) {
	p := &platform{ended: make(chan error, 1)}
	var err error
	if p.binary, err = built(); err != nil {
		return nil, err
	}
	if p.folder, err = os.MkdirTemp("", "windtunnel-operator-test-"); err != nil {
		return nil, err
	}
	p.env = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	if err := p.audit(); err != nil {
		return nil, err
	}
	settings(&p.env.ControlPlane)
	if p.admin, err = p.env.Start(); err != nil {
		return nil, err
	}
	p.admin.QPS = -1
	if p.client, err = client.New(p.admin, client.Options{Scheme: controllers.Scheme()}); err != nil {
		return nil, err
	}
	if p.kube, err = kubernetes.NewForConfig(p.admin); err != nil {
		return nil, err
	}
	p.context, p.stop = context.WithCancel(context.Background())
	if err := p.install(p.context); err != nil {
		return nil, err
	}
	p.kubelet = newKubelet(p)
	go p.kubelet.run(p.context)
	return p, nil
}

// audit has the API server write down what the manager does.
func (p *platform) audit() error {
	p.auditLog = filepath.Join(p.folder, "audit.log")
	policy := filepath.Join(p.folder, "audit.yaml")
	p.env.ControlPlane.GetAPIServer().Configure().
		// Some clusters let nobody block a deletion who may not write finalizers.
		Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement").
		Set("audit-policy-file", policy).Set("audit-log-path", p.auditLog).Set("audit-log-mode", "blocking")
	return os.WriteFile(policy, fmt.Appendf(nil, auditPolicy, managerUser), 0o600)
}

// close ends what start began. It looks for rights that the manager does not need,
// where that is wanted.
func (p *platform) close(audited bool) error {
	p.stop()
	err := <-p.ended
	p.kubelet.wait()
	err = errors.Join(err, p.env.Stop())
	if audited && err == nil {
		var unused []string
		if unused, err = unusedRights(p.auditLog); len(unused) > 0 {
			err = fmt.Errorf("the manager's role has rights that it made no use of: %s", strings.Join(unused, ", "))
		}
	}
	return errors.Join(err, os.RemoveAll(p.folder))
}

// built builds the binary once, into the folder binaries.
var (
	built    = sync.OnceValues(build)
	binaries string
)

// build builds the binary of the workers and of the local verbs, and that of the manager beside it.
func build() (string, error) {
	folder, err := os.MkdirTemp("", "windtunnel-operator-test-")
	if err != nil {
		return "", err
	}
	binaries = folder
	binary := filepath.Join(folder, "windtunnel")
	out, err := exec.Command("go", "build", "-o", folder, "../../cmd/windtunnel", "../../cmd/windtunnel-manager").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build windtunnel: %w\n%s", err, out)
	}
	return binary, nil
}

// managerUser stands for the manager's service account, by whose name the admission
// policy knows it.
const managerUser = "system:serviceaccount:windtunnel-system:windtunnel-manager"

// install installs the shipped roles and policies, and gives the manager's user
// its role and nothing else.
func (p *platform) install(ctx context.Context) error {
	for _, file := range []string{
		"role.yaml", "manager_admission.yaml", "worker_role.yaml", "worker_admission.yaml",
		"simulationrun_editor_role.yaml", "policysweep_editor_role.yaml",
	} {
		if err := p.apply(ctx, filepath.Join("..", "..", "config", "rbac", file)); err != nil {
			return fmt.Errorf("install %s: %w", file, err)
		}
	}
	err := p.client.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: managerUser},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "windtunnel-manager"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: managerUser}},
	})
	if err != nil {
		return err
	}
	p.manager, err = p.env.AddUser(envtest.User{Name: managerUser}, nil)
	return err
}

// apply creates the objects of a file.
func (p *platform) apply(ctx context.Context, file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		var object unstructured.Unstructured
		if err := d.Decode(&object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(object.Object) == 0 {
			continue
		}
		if err := p.client.Create(ctx, &object); err != nil {
			return err
		}
	}
}

// newManager makes a manager as the verb does, without its servers.
func (p *platform) newManager(ctx context.Context) (ctrl.Manager, error) {
	config := rest.CopyConfig(p.manager.Config())
	// As the verb does it: the API server's own fairness limits are enough.
	config.QPS = -1
	config.Wrap(p.writes.count)
	options := ctrl.Options{
		Scheme:  controllers.Scheme(),
		Cache:   controllers.CacheOptions(),
		Metrics: metricsserver.Options{BindAddress: "0"},
	}
	options.Cache.DefaultFieldSelector = fields.AndSelectors(
		fields.OneTermNotEqualSelector("metadata.namespace", crashes), fields.OneTermNotEqualSelector("metadata.namespace", skewed))
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, err
	}
	return mgr, controllers.Setup(ctx, mgr, controllers.Options{Image: "windtunnel:test", Concurrency: 4})
}

// namespace makes a namespace of a test's own, which admits restricted pods
// only.
func (p *platform) namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "team-",
		Labels:       map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := p.client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return ns.Name
}
