// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// managerProcess is the built manager as a process of its own.
type managerProcess struct {
	cmd             *exec.Cmd
	probes, metrics string
	log             *bytes.Buffer
}

// startManager starts the verb manager for one namespace, as the manager's user.
func (p *platform) startManager(t *testing.T, namespace string, args ...string) *managerProcess {
	t.Helper()
	raw, err := p.manager.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	testfile.Write(t, kubeconfig, raw)
	m := &managerProcess{probes: freeAddress(t), metrics: freeAddress(t), log: &bytes.Buffer{}}
	m.cmd = exec.CommandContext(t.Context(), p.binary, append([]string{
		"manager", "--image", "windtunnel:test", "--namespace", namespace, "-v", "4",
		"--health-probe-bind-address", m.probes, "--metrics-bind-address", m.metrics,
	}, args...)...)
	m.cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "POD_NAMESPACE=" + namespace, "HOME=" + t.TempDir(), "GOMEMLIMIT=1GiB"} // as in the Deployment
	m.cmd.Stdout, m.cmd.Stderr = m.log, m.log
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.cmd.Process.Kill(); _ = m.cmd.Wait() })
	return m
}

// stop asks the manager to end, and returns its log.
func (m *managerProcess) stop(t *testing.T) string {
	t.Helper()
	if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := m.cmd.Wait(); err != nil {
		t.Fatalf("the manager ends with %v:\n%s", err, m.log)
	}
	return m.log.String()
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// get asks a server, and returns the status and the text.
func get(t *testing.T, url, token string) (int, string) {
	t.Helper()
	return ask(t, http.MethodGet, url, token, "")
}

func ask(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	// The manager signs its own certificate where it is given none.
	c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := c.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.ProtoMajor != 1 {
		t.Errorf("%s answers in %s, want HTTP/1.1", url, response.Proto)
	}
	return response.StatusCode, string(text)
}

func (m *managerProcess) untilReady(t *testing.T) {
	t.Helper()
	eventually(t, func() string {
		if code, text := get(t, "http://"+m.probes+"/readyz", ""); code != http.StatusOK {
			return fmt.Sprintf("/readyz answers %d: %s", code, text)
		}
		return ""
	})
}

func TestTheManagersServers(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	m := p.startManager(t, ns)
	m.untilReady(t)
	if code, text := get(t, "http://"+m.probes+"/healthz", ""); code != http.StatusOK {
		t.Errorf("/healthz answers %d: %s", code, text)
	}
	eventually(t, func() string {
		if code, text := get(t, "https://"+m.metrics+"/metrics", ""); code != http.StatusUnauthorized {
			return fmt.Sprintf("/metrics answers %d to a stranger, want %d: %s", code, http.StatusUnauthorized, text)
		}
		return ""
	})
	// Some metrics are there once there was something to count.
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	var named []string
	for _, file := range []string{"prometheus/alerts.yaml", "dashboards/windtunnel.json"} {
		raw := testfile.Read(t, filepath.Join("../../config", file))
		for _, name := range libraryMetric.FindAllString(string(raw), -1) {
			if name != leaderMetric {
				named = append(named, name)
			}
		}
	}
	token := p.scraper(t, ns)
	// The manager of the other tests may end the sweep before this manager has
	// ended its first reconciliation.
	eventually(t, func() string {
		code, text := get(t, "https://"+m.metrics+"/metrics", token)
		if code != http.StatusOK {
			return fmt.Sprintf("/metrics answers %d to an account that may read it:\n%.200s", code, text)
		}
		for _, name := range named {
			if !strings.Contains(text, name) {
				return fmt.Sprintf("an alert or the dashboard names %s, which the manager does not export", name)
			}
		}
		return ""
	})
	m.stop(t)
}

// leaderMetric is there where managers compete for a Lease.
const leaderMetric = "leader_election_master_status"

// libraryMetric is a metric that the manager has of a library.
var libraryMetric = regexp.MustCompile(`\b(controller_runtime|workqueue|rest_client|leader_election|process)_[a-z_]+`)

// scraper returns the token of an account that may read metrics.
func (p *platform) scraper(t *testing.T, namespace string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "scraper"}}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "scraper-" + namespace},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}},
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "scraper-" + namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: namespace}},
	}
	for _, o := range []client.Object{account, role, binding} {
		if err := p.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	token, err := p.kube.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// TestTwoManagersAtOnce runs a second manager beside the one of all tests, as
// when a Lease was lost and the old leader still writes.
func TestTwoManagersAtOnce(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	m := p.startManager(t, ns)
	m.untilReady(t)
	want := p.runLocally(t, weights().Obj())
	sweep := weights().Seeds(3).Shards(3).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionReconciling)
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{1, 2} })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if got := p.rows(t, sweep); got != want.rows(t) {
		t.Errorf("rows (-local +cluster):\n%s", cmp.Diff(want.rows(t), got))
	}
	eventually(t, func() string {
		if jobs := p.jobs(t, ns); len(jobs) != 1 {
			return fmt.Sprintf("there are %d Jobs, want one", len(jobs))
		}
		return ""
	})
	if log := m.stop(t); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the manager logs errors:\n%s", log)
	}
}

// TestDeletingANamespaceIsNoError has a manager of a test's own work in a namespace that
// is deleted under it: it logs no error, and no event is refused.
func TestDeletingANamespaceIsNoError(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, func(*envtest.ControlPlane) {})
	ns := p.namespace(t)
	m := p.startManager(t, ns)
	m.untilReady(t)
	p.kubelet.set(ns, faults{hold: true})
	const objects = 20
	for i := range objects {
		run := builder.MakeRun(fmt.Sprint("run-", i), ns).Scenario(builder.Requests(20)).Obj()
		p.create(t, ns, run)
	}
	eventually(t, func() string {
		if jobs := p.jobs(t, ns); len(jobs) < objects {
			return fmt.Sprintf("there are %d Jobs, want %d", len(jobs), objects)
		}
		return ""
	})
	if err := p.kube.CoreV1().Namespaces().Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	// The namespace controller would do that, which does not run here.
	for _, job := range p.jobs(t, ns) {
		if err := p.client.Delete(t.Context(), &job, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
	refused := regexp.MustCompile(`"verb":"create","[^\n]*"resource":"jobs","namespace":"` + ns + `"[^\n]*"code":403`)
	eventually(t, func() string {
		raw, err := os.ReadFile(p.auditLog)
		if n := len(refused.FindAll(raw, -1)); err != nil || n < objects {
			return fmt.Sprintf("%d creates of Jobs were refused, want %d: %v", n, objects, err)
		}
		return ""
	})
	if log := m.stop(t); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the manager logs errors:\n%s", log)
	}
}

// mayLead lets managers compete for a Lease in a namespace.
func (p *platform) mayLead(t *testing.T, ns string) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "leader-election"},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}},
			{APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "leader-election"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: managerUser}},
	}
	for _, o := range []client.Object{role, binding} {
		if err := p.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// leader is who holds the Lease in a namespace, if anybody does.
func (p *platform) leader(t *testing.T, ns string) string {
	t.Helper()
	var lease coordinationv1.Lease
	err := p.client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "manager.windtunnel.dev"}, &lease)
	if err != nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// TestALeaderHandsOver starts two managers that compete for a Lease, and stops
// the leader.
func TestALeaderHandsOver(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.mayLead(t, ns)
	holder := func() string { return p.leader(t, ns) }
	first := p.startManager(t, ns, "--leader-elect")
	eventually(t, func() string {
		if holder() == "" {
			return "nobody leads"
		}
		return ""
	})
	leader := holder()
	second := p.startManager(t, ns, "--leader-elect")
	second.untilReady(t)
	if holder() != leader {
		t.Errorf("the second manager leads while the first one lives")
	}
	first.stop(t)
	eventually(t, func() string {
		if h := holder(); h == "" || h == leader {
			return "the second manager does not lead"
		}
		return ""
	})
	second.stop(t)
}

func TestAManagerWithoutAnImageIsRefused(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	cmd := exec.CommandContext(t.Context(), p.binary, "manager")
	cmd.Env = []string{}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "--image") {
		t.Errorf("got %v: %s", err, out)
	}
}
