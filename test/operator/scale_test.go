// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"flag"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

var large = flag.Bool("large", false, "run a sweep of 14,500 points, which takes minutes")

// writes counts the requests by which something is written, by namespace. Events
// are writes too. It may be used concurrently; the zero value is ready.
type writes struct {
	mu          sync.Mutex
	byNamespace map[string][]string
}

// count is what a client's transport is wrapped in.
func (w *writes) count(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if _, path, ok := strings.Cut(r.URL.Path, "/namespaces/"); ok && r.Method != http.MethodGet {
			namespace, what, _ := strings.Cut(path, "/")
			w.mu.Lock()
			if w.byNamespace == nil {
				w.byNamespace = map[string][]string{}
			}
			w.byNamespace[namespace] = append(w.byNamespace[namespace], r.Method+" "+what)
			w.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

func (w *writes) of(namespace string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byNamespace[namespace]
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestALargeGridTakesFewWrites runs a grid to its end and holds it against what a
// status and the API server can take:
//
//	KUBEBUILDER_ASSETS=$(hack/kube-assets.sh) go test ./test/operator -run LargeGrid -v -large
func TestALargeGridTakesFewWrites(t *testing.T) {
	points, high := 640, "64"
	if *large {
		points, high = 14500, "1450"
	}
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := builder.MakeSweep("grid", "").Scenario(builder.Requests(20), builder.Replicas(1)).
		Grid("sequences", "pools[llama].engine.maxNumSeqs", "1", high, "1").
		Grid("tokens", "pools[llama].engine.maxNumBatchedTokens", "2048", "20480", "2048").
		Seeds(1).Shards(32).MaxTrials(14500).Obj()
	began := time.Now()
	p.create(t, ns, sweep)
	deadline := 4 * patience
	for time.Since(began) < deadline && !strings.Contains(statusMessage(statusOf(p.read(t, sweep))), "Complete=True") {
		time.Sleep(200 * time.Millisecond)
	}
	p.until(t, sweep, v1alpha1.ConditionComplete)
	took := time.Since(began)
	raw := jsontest.Encode(t, sweep.Status)
	made := p.writes.of(ns)
	t.Logf("%d points in %s: a status of %d bytes, %d writes, %d chunks, digest %s",
		points, took.Round(time.Millisecond), len(raw), len(made), sweep.Status.Results.Chunks, sweep.Status.Results.Digest)
	if got := sweep.Status.Progress.Completed; got != int64(points) || sweep.Status.Results.Rows != got {
		t.Errorf("%d simulations are done, and %d rows there; want %d", got, sweep.Status.Results.Rows, points)
	}
	if len(raw) > 16<<10 {
		t.Errorf("the status has %d bytes", len(raw))
	}
	// Pods write what they found, one ConfigMap for each of the 32 shards, and nothing else.
	if chunks := len(p.configMaps(t, ns, controllers.ComponentResult)); len(made)+chunks > 70 || chunks != 32 && !*large {
		t.Errorf("%d ConfigMaps with results, and %d writes of the manager:\n%s", chunks, len(made), strings.Join(made, "\n"))
	}
}

// read reads a sweep as it is now.
func (p *platform) read(t *testing.T, sweep *v1alpha1.PolicySweep) *v1alpha1.PolicySweep {
	t.Helper()
	var now v1alpha1.PolicySweep
	if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), &now); err != nil {
		t.Fatal(err)
	}
	return &now
}
