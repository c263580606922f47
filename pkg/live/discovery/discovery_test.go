// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseService(t *testing.T) {
	if got, err := ParseService("llama=run-llama:8000"); err != nil || got != (Service{"llama", "run-llama", 8000}) {
		t.Errorf("it is %+v, %v", got, err)
	}
	for _, text := range []string{"", "llama", "llama=run-llama", "=run:1", "llama=:1", "llama=run:65536", "llama=run:-1"} {
		if got, err := ParseService(text); err == nil {
			t.Errorf("%q is %+v, want an error", text, got)
		}
	}
}

// TestServing has a replica that serves, one that does not yet, and one that is gone.
func TestServing(t *testing.T) {
	var open []net.Listener
	port := 0
	for i, status := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(i+1)), Port: port})
		if err != nil {
			t.Fatal(err)
		}
		port = l.Addr().(*net.TCPAddr).Port
		open = append(open, l)
		server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })}}
		server.Start()
		defer server.Close()
	}
	at := func(text string) netip.Addr { return netip.MustParseAddr(text) }
	known := map[string][]netip.Addr{"llama": {at("127.0.0.3"), at("127.0.0.2"), at("127.0.0.1"), at("127.0.0.1")}}
	f := Finder{Client: http.DefaultClient, Lookup: func(_ context.Context, _, host string) ([]netip.Addr, error) {
		if found, is := known[host]; is {
			return found, nil
		}
		return nil, &net.DNSError{IsNotFound: true}
	}}
	for host, want := range map[string][]netip.AddrPort{
		"llama": {netip.MustParseAddrPort(open[0].Addr().String())},
		"none":  nil,
	} {
		got, err := f.Serving(t.Context(), Service{"pool", host, uint16(port)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", host, diff)
		}
	}
	f.Lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return nil, &net.DNSError{IsTimeout: true}
	}
	if _, err := f.Serving(t.Context(), Service{"pool", "llama", 1}); err == nil {
		t.Error("no error of a name server that does not answer")
	}
}
