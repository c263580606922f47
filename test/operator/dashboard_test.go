// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// watched is a run that keeps decisions, and whose gate fails.
func (p *platform) watched(t *testing.T, namespace string) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	run.Name = "watched"
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	run.Spec.Gates = []v1alpha1.RunGate{{Name: "slow-requests", Metric: "ttft.p99", Operator: "AtMost", Value: "1ms", Confidence: "0.95"}}
	p.create(t, namespace, run)
	return run
}

// readerOf is a token with the role of config/dashboard in a namespace.
func (p *platform) readerOf(t *testing.T, namespace string) string {
	t.Helper()
	p.create(t, namespace, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "windtunnel-dashboard-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "reader", Namespace: namespace}},
	})
	return p.tokenOf(t, namespace, "reader", false)
}

// A manager shows each reader what the cluster lets that reader see, on each route.
func TestWhoSeesTheDashboard(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	if err := p.apply(t.Context(), "../../config/dashboard/reader_role.yaml"); err != nil {
		t.Fatal(err)
	}
	ns, other := p.namespace(t), p.namespace(t)
	run := p.watched(t, ns)
	p.until(t, run, v1alpha1.ConditionComplete)
	reader, neighbour, powerless := p.readerOf(t, ns), p.readerOf(t, other), p.tokenOf(t, ns, "powerless", false)
	web := freeAddress(t)
	plain := p.startManager(t, ns, "--namespace", other)
	m := p.startManager(t, ns, "--namespace", other, "--web-bind-address", web, "--dashboard")
	plain.untilReady(t)
	m.untilReady(t)
	object := "https://" + web + "/namespaces/" + ns + "/simulationruns/watched"
	seed := object + "/points/0/seeds/42"
	eventually(t, func() string {
		if code, text := get(t, object, reader); code != http.StatusOK {
			return text
		}
		return ""
	})
	for path, says := range map[string]string{
		object: "slow-requests", object + "/status": "slow-requests", object + "/points": "point 0", object + "/points/0": "ttft.p99",
		object + "/points/0/manifest.yaml": "kind: SimulationRun", seed: "/requests/", seed + "/requests/3": "It went to llama/",
		object + "/rows.csv": "ttft.p99", object + "/rows.json": "ttft.p99",
	} {
		if code, text := get(t, path, reader); code != http.StatusOK || !strings.Contains(text, says) {
			t.Errorf("%s: %d %s, want %q", path, code, text, says)
		}
		for who, token := range map[string]string{"a reader of another namespace": neighbour, "an account without rights": powerless} {
			if code, text := get(t, path, token); code != http.StatusNotFound || strings.Contains(text, "slow-requests") {
				t.Errorf("%s: %s has %d %s", path, who, code, text)
			}
		}
		if code, _ := get(t, path, "x.y.z"); code != http.StatusUnauthorized {
			t.Errorf("%s: a token of no account has %d", path, code)
		}
	}
	if code, _ := get(t, object+"/events", neighbour); code != http.StatusNotFound {
		t.Errorf("the stream of events: a reader of another namespace has %d", code)
	}
	for who, token := range map[string]string{"the reader": reader, "a neighbour": neighbour, "a powerless": powerless} {
		_, list := get(t, "https://"+web+"/", token)
		if has, want := strings.Contains(list, "watched"), token == reader; has != want {
			t.Errorf("the list of %s has the run: %t", who, has)
		}
	}
	if _, text := get(t, object, ""); !strings.Contains(text, "<form method=\"post\" action=\"/login\">") {
		t.Errorf("no token: %s", text)
	}
	without, _ := plain.memory(t)
	with, _ := m.memory(t)
	t.Logf("resident memory: %d MiB with the dashboard, %d MiB without", with>>20, without>>20)
	plain.stop(t)
	if log := m.stop(t); strings.Contains(log, reader) {
		t.Error("the log has a token")
	}
}

// The command shows a namespace of the kubeconfig's cluster.
func TestTheDashboardOfAKubeconfig(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	run := p.watched(t, ns)
	p.until(t, run, v1alpha1.ConditionComplete)
	raw, err := p.manager.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	testfile.Write(t, kubeconfig, raw)
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), p.binary, "dashboard", "-n", ns, "--listen", address)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for path, says := range map[string]string{
		"/": "watched", "/namespaces/" + ns + "/simulationruns/watched/points/0/seeds/42/requests/3": "It went to llama/",
	} {
		eventually(t, func() string {
			if code, text := get(t, "http://"+address+path, ""); code != http.StatusOK || !strings.Contains(text, says) {
				return text
			}
			return ""
		})
	}
}

// watchCounter counts the watches of each resource that a client begins.
type watchCounter struct {
	mu      sync.Mutex
	watches map[string]int
}

func (c *watchCounter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("watch") == "true" {
			c.mu.Lock()
			c.watches[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]++
			c.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

// Fifty streams of events of one run cost the API server one watch.
func TestFiftyReadersAreOneWatch(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	run := experimenttest.Run(t)
	run.Name = "watched"
	run.Spec.Execution.Suspend = true
	p.create(t, ns, run)
	count := &watchCounter{watches: map[string]int{}}
	config := rest.CopyConfig(p.admin)
	config.Wrap(count.wrap)
	c, err := kube.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(dashboard.New(dashboard.Options{
		Source: &cluster.Source{Objects: cluster.Watch(t.Context(), c, ns), Namespaces: []string{ns}}, Guard: dashboard.Everyone{}, Log: logr.Discard(),
	}).Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	const readers = 50
	var opened, told sync.WaitGroup
	for range readers {
		opened.Add(1)
		told.Add(1)
		go func() {
			defer told.Done()
			response, err := http.Get(server.URL + "/namespaces/" + ns + "/simulationruns/watched/events")
			opened.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			events := 0
			for lines := bufio.NewScanner(response.Body); events < 2 && lines.Scan(); {
				if lines.Text() == "event: changed" {
					events++
				}
			}
			if events < 2 {
				t.Error("a stream ends before the change")
			}
		}()
	}
	opened.Wait()
	// A stream that begins late has the first of the changes in its first event.
	done := make(chan struct{})
	go func() {
		told.Wait()
		close(done)
	}()
	for n, all := 0, false; !all; n++ {
		edit(t, p, run, func(r *v1alpha1.SimulationRun) { r.Annotations = map[string]string{"edit": strconv.Itoa(n)} })
		select {
		case <-done:
			all = true
		case <-time.After(time.Second):
		}
	}
	count.mu.Lock()
	defer count.mu.Unlock()
	if count.watches["simulationruns"] != 1 || count.watches["policysweeps"] > 1 {
		t.Errorf("watches: %v", count.watches)
	}
}
