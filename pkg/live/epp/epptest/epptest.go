// SPDX-License-Identifier: Apache-2.0

// Package epptest runs a real EPP in tests.
package epptest

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"testing"

	"windtunnel.dev/windtunnel/pkg/live/epp"
)

// BinaryVariable names the EPP that tests run: the program cmd/epp of llm-d-router.
const BinaryVariable = "EPP_BINARY"

// Binary is the EPP that tests run. Where there is none, the test is skipped.
func Binary(t *testing.T) string {
	t.Helper()
	binary := os.Getenv(BinaryVariable)
	if binary == "" {
		t.Skip("needs a real EPP: set " + BinaryVariable)
	}
	return binary
}

// Start starts the EPP with endpoints of a file.
func Start(t *testing.T, config string, endpoints []epp.Endpoint) *epp.Process {
	t.Helper()
	return Run(t, epp.Options{Config: []byte(config), Endpoints: endpoints})
}

// Run starts the EPP, which ends with the test, with a folder of its own unless it has one. A test that fails prints the end of its log.
func Run(t *testing.T, o epp.Options) *epp.Process {
	t.Helper()
	o.Binary, o.Folder = Binary(t), cmp.Or(o.Folder, t.TempDir())
	o.Args = epp.KnownFlags(t.Context(), o.Binary)
	p, err := epp.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("the end of the EPP's log:\n%s", p.Log())
		}
	})
	return p
}

// Metrics are what the EPP exports at an address, in the text format of Prometheus.
func Metrics(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
