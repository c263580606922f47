// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// TestAManagerThatLosesItsConnection has an API server that forgets fast what was. First the
// manager lists page by page, and what its second page is to go on from is gone; then it
// is cut off, while pods report and somebody edits a spec, for longer than the server
// remembers. It lists everything anew each time, and misses nothing.
func TestAManagerThatLosesItsConnection(t *testing.T) {
	t.Parallel()
	const remembered = 2 * time.Second
	p := newPlatform(t, func(c *envtest.ControlPlane) {
		c.GetAPIServer().Configure().Set("watch-cache", "false").Set("etcd-compaction-interval", remembered.String())
	})
	ns := p.namespace(t)
	want := p.runLocally(t, weights().Seeds(1, 2).Obj())
	for i := range 3 {
		p.create(t, ns, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%d", i)}})
	}
	line := &faultyConnection{patience: 3 * remembered}
	stop := p.manage(t, ns, line.transport, nil)
	p.kubelet.set(ns, faults{hold: true})
	reporting, edited := weights().Shards(2).Obj(), weights().Seeds(3).Obj()
	edited.Name = "edited"
	for _, sweep := range []*v1alpha1.PolicySweep{reporting, edited} {
		p.create(t, ns, sweep)
		p.until(t, sweep, v1alpha1.ConditionReconciling)
	}
	if pages := line.count("page is gone"); pages == 0 {
		t.Error("no page was gone")
	}

	line.cut()
	p.kubelet.set(ns, faults{})
	edit(t, p, edited, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{1, 2} })
	eventually(t, func() string {
		if pods := p.pods(t, ns); len(pods) == 0 || pods[0].Status.Phase != corev1.PodSucceeded {
			return "no pod has ended"
		}
		return ""
	})
	time.Sleep(3 * remembered)
	line.restore()
	for _, sweep := range []*v1alpha1.PolicySweep{reporting, edited} {
		p.until(t, sweep, v1alpha1.ConditionComplete)
		if got := p.rows(t, sweep); got != want.rows(t) {
			t.Errorf("%s: rows (-local +cluster):\n%s", sweep.Name, cmp.Diff(want.rows(t), got))
		}
	}
	if watches := line.count("watch is gone"); watches == 0 {
		t.Error("no watch was gone")
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages and %d watches were gone", line.count("page is gone"), line.count("watch is gone"))
}

// faultyConnection is a line to an API server that can be cut: watches end, and requests wait.
type faultyConnection struct {
	// patience is the delay before a request for the next page.
	patience time.Duration
	mu       sync.Mutex
	// restored is closed when the connection works again; nil while it is not cut.
	restored chan struct{}
	bodies   []io.Closer
	seen     map[string]int
}

func (b *faultyConnection) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.restored = make(chan struct{})
	for _, body := range b.bodies {
		_ = body.Close()
	}
	b.bodies = nil
}

func (b *faultyConnection) restore() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.restored)
	b.restored = nil
}

func (b *faultyConnection) wait() {
	b.mu.Lock()
	mended := b.restored
	b.mu.Unlock()
	if mended != nil {
		<-mended
	}
}

func (b *faultyConnection) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = map[string]int{}
	}
	b.seen[what]++
}

func (b *faultyConnection) count(what string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[what]
}

// transport is what its client's transport is wrapped in.
func (b *faultyConnection) transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		b.wait()
		query := r.URL.Query()
		switch {
		case query.Get("sendInitialEvents") == "true":
			// An older API server, which lists in pages.
			return refusal(r), nil
		case query.Get("continue") != "":
			time.Sleep(b.patience)
		}
		if query.Get("limit") != "" {
			r = r.Clone(r.Context())
			query.Set("limit", "1")
			r.URL.RawQuery = query.Encode()
		}
		response, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		switch {
		case query.Get("watch") == "true":
			response.Body = &watched{ReadCloser: response.Body, line: b}
			b.mu.Lock()
			b.bodies = append(b.bodies, response.Body)
			b.mu.Unlock()
		case response.StatusCode == http.StatusGone:
			b.note("page is gone")
		}
		if response.StatusCode == http.StatusGone && query.Get("watch") == "true" {
			b.note("watch is gone")
		}
		return response, nil
	})
}

// refusal is the answer of a server that knows nothing of a field.
func refusal(r *http.Request) *http.Response {
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"sendInitialEvents is unknown"}`
	return &http.Response{
		StatusCode: http.StatusUnprocessableEntity, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(status)),
	}
}

// watched is the body of a watch, in which a server says that it is over.
type watched struct {
	io.ReadCloser
	line *faultyConnection
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if bytes.Contains(p[:n], []byte("too old")) {
		w.line.note("watch is gone")
	}
	if err != nil {
		// As where a server or a load balancer ends a watch: the client goes on from
		// where it was.
		err = io.EOF
	}
	return n, err
}
