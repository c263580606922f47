// SPDX-License-Identifier: Apache-2.0

package ports

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOpen(t *testing.T) {
	free, err := Open(t.Context(), []string{"127.0.0.1"}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	port := free[0].Addr().(*net.TCPAddr).Port
	several := []string{"127.0.0.2", "127.0.0.3"}
	open, err := Open(t.Context(), several, port, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range open {
		got = append(got, l.Addr().(*net.TCPAddr).IP.String())
	}
	if diff := cmp.Diff(several, got); diff != "" {
		t.Errorf("addresses (−want +got):\n%s", diff)
	}
	Close(open)

	// The second replica's port is taken, so that the first one's closes again.
	if _, err = Open(t.Context(), []string{"127.0.0.1"}, port-1, 2); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("a port that is taken: %v", err)
	}
	Close(free)
	if open, err = Open(t.Context(), []string{"127.0.0.1"}, port-1, 2); err != nil {
		t.Errorf("the port before one that was taken: %v", err)
	}
	Close(open)

	if _, err = Open(t.Context(), several, 0, 3); err == nil || !strings.Contains(err.Error(), "2 addresses for 3 replicas") {
		t.Error(err)
	}
}

func TestServeClosesAllPorts(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	open, err := Open(ctx, []string{"127.0.0.1"}, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	waits := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-r.Context().Done()
	})
	ended := make(chan error, 1)
	limits := Limits{Connections: 4, HeadTimeout: time.Minute, IdleTimeout: time.Minute}
	go func() { ended <- Serve(ctx, open, []http.Handler{waits, waits}, limits) }()
	answer, err := http.Get("http://" + open[1].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	<-begun
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(answer.Body); err == nil {
		t.Error("the answer under way ends as if it were whole")
	}
	for _, l := range open {
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			t.Errorf("%s is open", l.Addr())
			_ = c.Close()
		}
	}
}
