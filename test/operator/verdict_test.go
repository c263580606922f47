// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/gate"
)

// verdictReader installs the role and the account of config/gates in a namespace, and returns a
// token of the account. There is no controller that writes tokens into Secrets.
func (p *platform) verdictReader(t *testing.T, namespace string) string {
	t.Helper()
	raw := testfile.Read(t, "../../config/gates/rbac.yaml")
	d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		var o unstructured.Unstructured
		if d.Decode(&o) != nil {
			break
		}
		if subjects, ok := o.Object["subjects"].([]any); ok {
			subjects[0].(map[string]any)["namespace"] = namespace // kubectl -n and kustomize do so
		}
		if kind := o.GetKind(); kind == "Role" || kind == "RoleBinding" {
			p.create(t, namespace, &o)
		}
	}
	return p.tokenOf(t, namespace, "windtunnel-verdicts", false)
}

// A manager that waits for the leader's Lease serves verdicts, to those whom the cluster lets read
// them.
func TestWhoMayReadVerdicts(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns, other := p.namespace(t), p.namespace(t)
	sweep := p.applied(t, ns, "../../config/samples/policysweep-proposal.yaml")
	verdicts, neighbour := p.verdictReader(t, ns), p.verdictReader(t, other)
	stranger, former := p.tokenOf(t, ns, "stranger", false), p.tokenOf(t, ns, "former", false)
	if err := p.kube.CoreV1().ServiceAccounts(ns).Delete(t.Context(), "former", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	web, flagger := freeAddress(t), freeAddress(t)
	m := p.startManager(t, other, "--leader-elect", "--web-bind-address", web, "--flagger-bind-address", flagger)
	url := "https://" + web + "/apis/sim.windtunnel.dev/v1alpha1/namespaces/" + ns + "/policysweeps/proposal/verdict"
	eventually(t, func() string {
		code, text := get(t, url, verdicts)
		if code != http.StatusServiceUnavailable && code != http.StatusOK {
			return text
		}
		return ""
	})

	p.until(t, sweep, v1alpha1.ConditionComplete)
	proposed := digestOf(t, p, ns, "epp-proposed")
	for name, tc := range map[string]struct {
		token, url string
		code       int
		says       string
	}{
		"the verdict":                     {verdicts, url, http.StatusOK, `"result":"Pass"`},
		"the verdict on the file":         {verdicts, url + "?sha256=" + proposed, http.StatusOK, `"result":"Pass"`},
		"a verdict on the file before":    {verdicts, url + "?sha256=" + digestOf(t, p, ns, "epp-current"), http.StatusConflict, "not about the EPP file"},
		"no token":                        {"", url, http.StatusUnauthorized, "bearer token"},
		"a token of a deleted account":    {former, url, http.StatusUnauthorized, "bearer token"},
		"a token of no account":           {"x.y.z", url, http.StatusUnauthorized, "bearer token"},
		"a reader of another namespace":   {neighbour, url, http.StatusNotFound, "not found"},
		"an account without rights":       {stranger, url, http.StatusNotFound, "not found"},
		"what is not there":               {verdicts, strings.Replace(url, "/proposal/", "/other/", 1), http.StatusNotFound, "not found"},
		"a run of the same name":          {verdicts, strings.Replace(url, "policysweeps", "simulationruns", 1), http.StatusNotFound, "not found"},
		"a namespace that is not there":   {verdicts, strings.Replace(url, ns, "nowhere", 1), http.StatusNotFound, "not found"},
		"a path that the manager has not": {verdicts, "https://" + web + "/metrics", http.StatusNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if code, text := get(t, tc.url, tc.token); code != tc.code || !strings.Contains(text, tc.says) {
				t.Errorf("%d %s, want %d and %s", code, text, tc.code, tc.says)
			}
		})
	}
	p.theRightIsNoOther(t, ns, verdicts)
	p.flaggerIsToldWhatIsOpen(t, "http://"+flagger, sweep)
	p.aNewSpecHasNoVerdict(t, url, verdicts, sweep)
	if log := m.stop(t); strings.Contains(log, verdicts) {
		t.Error("the log has a token")
	}
}

// digestOf is that of the file in a ConfigMap.
func digestOf(t *testing.T, p *platform, namespace, name string) string {
	t.Helper()
	var cm corev1.ConfigMap
	if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &cm); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(cm.Data["epp.yaml"]))
	return hex.EncodeToString(sum[:])
}

// theRightIsNoOther checks that the API server gives a reader of verdicts nothing.
func (p *platform) theRightIsNoOther(t *testing.T, namespace, token string) {
	t.Helper()
	for _, path := range []string{"policysweeps/proposal", "policysweeps", "simulationruns", "policysweeps/proposal/verdict"} {
		code, text := get(t, "https://"+strings.TrimPrefix(p.admin.Host, "https://")+"/apis/sim.windtunnel.dev/v1alpha1/namespaces/"+namespace+"/"+path, token)
		if code != http.StatusForbidden && code != http.StatusNotFound {
			t.Errorf("%s: %d %.200s", path, code, text)
		}
	}
}

// flaggerIsToldWhatIsOpen asks as Flagger does, before and after the owner opens the verdict.
func (p *platform) flaggerIsToldWhatIsOpen(t *testing.T, url string, sweep *v1alpha1.PolicySweep) {
	t.Helper()
	body := `{"name": "epp", "namespace": "` + sweep.Namespace + `", "phase": "Waiting", "checksum": "1", "metadata": {"sweep": "proposal"}}`
	if code, text := ask(t, http.MethodPost, url+"/flagger/confirm-rollout", "", body); code != http.StatusNotFound {
		t.Errorf("a verdict that is not open: %d %s", code, text)
	}
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Annotations = map[string]string{gate.OpenAnnotation: "true"} })
	for _, hook := range []string{"confirm-rollout", "pre-rollout"} {
		if code, text := ask(t, http.MethodPost, url+"/flagger/"+hook, "", body); code != http.StatusOK {
			t.Errorf("%s: %d %s", hook, code, text)
		}
	}
}

// aNewSpecHasNoVerdict changes a spec and asks at once: no answer is about the spec before.
func (p *platform) aNewSpecHasNoVerdict(t *testing.T, url, token string, sweep *v1alpha1.PolicySweep) {
	t.Helper()
	var slowest time.Duration
	for seed := range int64(5) {
		edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seed = ptr.To(100 + seed) })
		begin := time.Now()
		code, text := get(t, url, token)
		slowest = max(slowest, time.Since(begin))
		v := jsontest.Decode[gate.Answer](t, []byte(text))
		if code == http.StatusOK && v.ObservedGeneration != sweep.Generation || code != http.StatusOK && code != http.StatusServiceUnavailable {
			t.Errorf("after generation %d: %d %s", sweep.Generation, code, text)
		}
	}
	t.Logf("the slowest answer took %s", slowest)
}

// The rights of roles that people have already are enough to read verdicts.
func TestAViewerMayReadVerdicts(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.create(t, ns, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reads"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"policysweeps"}, Verbs: []string{"get"}},
	}})
	p.create(t, ns, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "reads"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reads"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "viewer", Namespace: ns}},
	})
	web := freeAddress(t)
	p.startManager(t, p.namespace(t), "--web-bind-address", web)
	token := p.tokenOf(t, ns, "viewer", false)
	held := weights().Obj()
	held.Spec.Execution.Suspend = true
	p.create(t, ns, held)
	eventually(t, func() string {
		code, text := get(t, "https://"+web+"/apis/sim.windtunnel.dev/v1alpha1/namespaces/"+ns+"/policysweeps/weights/verdict", token)
		if code != http.StatusServiceUnavailable || !strings.Contains(text, "Suspended") {
			return text
		}
		return ""
	})
}
