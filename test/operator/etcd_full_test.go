// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

var fullFor = flag.Duration("full", 12*time.Second, "how long etcd stays full in TestAFullEtcd; after half a minute workers give up and are tried again")

// TestAFullEtcd has a stranger fill etcd while one sweep's pods are about to start and
// another one is new. Every write is refused until somebody makes room. The manager
// lives through it, hardly works meanwhile and says why; then both sweeps end as if
// nothing had been. One that leads cannot keep its Lease, so that it starts anew and
// waits.
func TestAFullEtcd(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, func(c *envtest.ControlPlane) {
		c.Etcd = &envtest.Etcd{}
		c.Etcd.Configure().Set("quota-backend-bytes", strconv.Itoa(32<<20))
	})
	ns := p.namespace(t)
	want := p.runLocally(t, weights().Obj())
	m := p.startManager(t, ns)
	inFlight, fresh := weights().Shards(2).Obj(), weights().Obj()
	fresh.Name = "fresh"
	p.kubelet.set(ns, faults{hold: true})
	p.create(t, ns, inFlight)
	eventually(t, func() string {
		if len(p.pods(t, ns)) != 2 {
			return "there are no pods"
		}
		return ""
	})
	m.stop(t)
	p.create(t, ns, fresh)

	leaders := p.namespace(t)
	p.mayLead(t, leaders)
	leader := p.startManager(t, leaders, "--leader-elect")
	eventually(t, func() string {
		if p.leader(t, leaders) == "" {
			return "nobody leads"
		}
		return ""
	})
	first := p.leader(t, leaders)

	p.fill(t)
	m = p.startManager(t, ns, "-v", "0")
	m.untilReady(t)
	p.kubelet.set(ns, faults{})
	before := m.cpu(t)
	time.Sleep(*fullFor)
	if used := m.cpu(t) - before; used > *fullFor/10 {
		t.Errorf("in %s in which nothing can be written it works for %s", *fullFor, used)
	}
	if code, text := get(t, "http://"+m.probes+"/healthz", ""); code != http.StatusOK {
		t.Errorf("/healthz answers %d: %s", code, text)
	}
	// Whoever leads has to say so again and again; who cannot must give way.
	leader.fails(t, "leader election lost")
	leader = p.startManager(t, leaders, "--leader-elect")
	leader.untilReady(t)
	p.makeRoom(t)
	eventually(t, func() string {
		if now := p.leader(t, leaders); now == "" || now == first {
			return "nobody leads anew"
		}
		return ""
	})
	leader.stop(t)
	for _, sweep := range []*v1alpha1.PolicySweep{inFlight, fresh} {
		p.until(t, sweep, v1alpha1.ConditionComplete)
		if got := p.rows(t, sweep); got != want.rows(t) {
			t.Errorf("%s: rows (-local +cluster):\n%s", sweep.Name, cmp.Diff(want.rows(t), got))
		}
	}
	if inFlight.Status.Results.Digest != fresh.Status.Results.Digest {
		t.Errorf("digests %s and %s", inFlight.Status.Results.Digest, fresh.Status.Results.Digest)
	}
	log := m.stop(t)
	said := strings.Count(log, "database space exceeded")
	t.Logf("full for %s: %d lines of log, %d of them say that etcd is full", *fullFor, strings.Count(log, "\n"), said)
	if said == 0 || said > 60 || !strings.Contains(log, `"name":"fresh"`) {
		t.Errorf("the log does not say once and for all that etcd is full:\n%s", log)
	}
}

// fails waits for the manager's end, and expects words in its log.
func (m *managerProcess) fails(t *testing.T, words string) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- m.cmd.Wait() }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(m.log.String(), words) {
			t.Errorf("it ends with %v:\n%s", err, m.log)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
}

// fill has a stranger write ConfigMaps until etcd takes no more.
func (p *platform) fill(t *testing.T) {
	t.Helper()
	stranger := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fillerNamespace}}
	if err := p.client.Create(t.Context(), stranger); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 900<<10)
	for range 1000 {
		_, _ = rand.Read(raw) // never fails
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: fillerNamespace, GenerateName: "large-"},
			BinaryData: map[string][]byte{"raw": raw},
		}
		if err := p.client.Create(t.Context(), cm); err != nil {
			if !strings.Contains(err.Error(), "database space exceeded") {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("etcd takes whatever it gets")
}

// fillerNamespace is the namespace of who fills etcd.
const fillerNamespace = "strangers"

// makeRoom does what an administrator does about a full etcd.
func (p *platform) makeRoom(t *testing.T) {
	t.Helper()
	if err := p.client.DeleteAllOf(t.Context(), &corev1.ConfigMap{}, client.InNamespace(fillerNamespace)); err != nil {
		t.Fatal(err)
	}
	var at struct {
		Header struct{ Revision string }
	}
	p.etcd(t, "kv/range", map[string]any{"key": "AA=="}, &at)
	p.etcd(t, "kv/compaction", map[string]any{"revision": at.Header.Revision, "physical": true}, nil)
	p.etcd(t, "maintenance/defragment", map[string]any{}, nil)
	var alarms struct {
		Alarms []struct{ MemberID string }
	}
	p.etcd(t, "maintenance/alarm", map[string]any{"action": "GET"}, &alarms)
	if len(alarms.Alarms) == 0 {
		t.Error("etcd raised no alarm")
	}
	for _, a := range alarms.Alarms {
		p.etcd(t, "maintenance/alarm", map[string]any{"action": "DEACTIVATE", "alarm": "NOSPACE", "memberID": a.MemberID}, nil)
	}
}

// etcd asks the platform's etcd.
func (p *platform) etcd(t *testing.T, what string, request, answer any) {
	t.Helper()
	raw := jsontest.Encode(t, request)
	response, err := http.Post(p.env.ControlPlane.Etcd.URL.JoinPath("v3", what).String(), "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("etcd answers %s to %s", response.Status, what)
	}
	if answer == nil {
		return
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
}

// cpu is how long the manager has worked so far.
func (m *managerProcess) cpu(t *testing.T) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		t.Skipf("no way to tell how much a process works: %v", err)
	}
	// The fields after the name; ticks are a hundredth of a second on Linux.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		t.Fatalf("%s", raw)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
