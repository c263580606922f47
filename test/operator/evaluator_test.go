// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bufio"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// evaluatorUser stands for the evaluator's service account.
const evaluatorUser = "system:serviceaccount:windtunnel-evaluator:windtunnel-evaluator"

// startEvaluator starts the verb serve with the shipped role of the evaluator and the shipped
// scenarios, and returns its URL.
func (p *platform) startEvaluator(t *testing.T) string {
	t.Helper()
	for _, file := range []string{"namespace.yaml", "rbac.yaml"} {
		if err := p.apply(t.Context(), filepath.Join("..", "..", "config", "evaluator", file)); err != nil {
			t.Fatal(err)
		}
	}
	user, err := p.env.AddUser(envtest.User{Name: evaluatorUser, Groups: []string{"system:serviceaccounts"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := user.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	testfile.Write(t, kubeconfig, raw)
	serve := exec.Command(p.binary, "serve", "--scenario", "../../config/evaluator/scenarios", "--listen", "127.0.0.1:0", "--authentication", "kubernetes")
	serve.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + t.TempDir()}
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		if err := serve.Wait(); err != nil {
			t.Errorf("serve ends with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, is := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !is || !strings.HasPrefix(url, "https://") {
		t.Fatalf("%q %v", line, err)
	}
	return url
}

// tokenOf returns the token of an account, with the shipped role of a client if it may ask.
func (p *platform) tokenOf(t *testing.T, namespace, name string, may bool) string {
	t.Helper()
	objects := []client.Object{&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}}
	if may {
		objects = append(objects, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name + "-" + namespace},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "windtunnel-evaluator-client"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: namespace}},
		})
	}
	for _, o := range objects {
		if err := p.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	token, err := p.kube.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// The cluster says who may ask the evaluator, which has no other rights than to ask that.
func TestWhoMayAskTheEvaluator(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	url := p.startEvaluator(t)
	client, other := p.tokenOf(t, ns, "search", true), p.tokenOf(t, ns, "other", false)
	for name, tc := range map[string]struct {
		token, method, path, body string
		code                      int
	}{
		"no token":                {path: "/v1/status", method: http.MethodGet, code: http.StatusUnauthorized},
		"no token for a program":  {path: "/v1/evaluate", method: http.MethodPost, body: leastBusy, code: http.StatusUnauthorized},
		"a token of no account":   {token: "x.y.z", path: "/v1/status", method: http.MethodGet, code: http.StatusUnauthorized},
		"without the right":       {token: other, path: "/v1/evaluate", method: http.MethodPost, body: leastBusy, code: http.StatusForbidden},
		"with the right":          {token: client, path: "/v1/status", method: http.MethodGet, code: http.StatusOK},
		"a program":               {token: client, path: "/v1/evaluate", method: http.MethodPost, body: leastBusy, code: http.StatusOK},
		"another verb of a right": {token: client, path: "/v1/evaluate", method: http.MethodGet, code: http.StatusForbidden},
		"a path of no right":      {token: client, path: "/metrics", method: http.MethodGet, code: http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			code, text := ask(t, tc.method, url+tc.path, tc.token, tc.body)
			if code != tc.code || tc.body != "" && code == http.StatusOK && !strings.Contains(text, `"ok":true`) {
				t.Errorf("%d %.300s, want %d", code, text, tc.code)
			}
		})
	}
}

const leastBusy = `{"language": "starlark", "policy": "def score(request, endpoints):\n  return [-e.waiting for e in endpoints]\n"}`
