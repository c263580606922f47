// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// A neighbour is a tenant who applies one small run every second, and measures how
// long each one takes to get a status.
type neighbour struct {
	namespace namespace
	watch     *exec.Cmd
	watched   chan struct{} // closed when the watch has ended
	stopped   chan struct{}

	mu        sync.Mutex
	applied   map[string]time.Time
	firstSeen map[string]time.Time // when the run has its first condition
}

// newNeighbour starts the watch of a neighbour in a namespace of its own.
func newNeighbour(t *testing.T) *neighbour {
	t.Helper()
	ns := newNamespace(t)
	n := &neighbour{
		namespace: ns,
		watch:     exec.Command("kubectl", "-n", string(ns), "get", "simulationruns", "--watch", "-o", "json"),
		watched:   make(chan struct{}),
		stopped:   make(chan struct{}),
		applied:   map[string]time.Time{},
		firstSeen: map[string]time.Time{},
	}
	out, err := n.watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.watch.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(n.watched)
		for updates := json.NewDecoder(out); ; {
			var o object
			if updates.Decode(&o) != nil {
				return
			}
			n.see(&o)
		}
	}()
	t.Cleanup(func() {
		n.watch.Process.Kill()
		<-n.watched
		n.watch.Wait()
	})
	return n
}

// see notes when a run has a condition for the first time.
func (n *neighbour) see(o *object) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, seen := n.firstSeen[o.Metadata.Name]; !seen && len(o.Status.Conditions) > 0 {
		n.firstSeen[o.Metadata.Name] = time.Now()
	}
}

// applies applies so many runs, one every second.
func (n *neighbour) applies(t *testing.T, runs int) {
	t.Helper()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := range runs {
		<-tick.C
		name := fmt.Sprintf("small-%d", i)
		n.namespace.apply(t, smallRun(name))
		n.mu.Lock()
		n.applied[name] = time.Now() // without the time that kubectl takes to start
		n.mu.Unlock()
	}
}

// latencies are the times from apply to status, ascending. Runs that have no status
// after the patience of a test fail it.
func (n *neighbour) latencies(t *testing.T) []time.Duration {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		n.mu.Lock()
		var took []time.Duration
		for name, began := range n.applied {
			if seen, ok := n.firstSeen[name]; ok {
				took = append(took, max(0, seen.Sub(began)))
			}
		}
		missing := len(n.applied) - len(took)
		n.mu.Unlock()
		if missing == 0 {
			slices.Sort(took)
			return took
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of the neighbour's runs have no status", missing)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// percentile is the smallest of the ascending values that at least p percent of the
// values do not exceed.
func percentile(ascending []time.Duration, p int) time.Duration {
	return ascending[(len(ascending)*p+99)/100-1]
}

// smallRun is a run of few requests, which takes next to no CPU.
func smallRun(name string) []byte {
	return bytes.ReplaceAll([]byte(`
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: NAME}
spec:
  scenario:
    horizon: {requests: 20}
    pools: [{name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 1}]
    router: {endpointPickerConfig: {version: router-v0.10, inline: "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig"}}
    workload:
      clients:
      - name: chat
        arrivals: {rate: "10"}
        inputTokens: {distribution: Constant, mean: "100"}
        outputTokens: {distribution: Constant, mean: "10"}
  execution: {resources: {requests: {cpu: 10m, memory: 32Mi}}}
`), []byte("NAME"), []byte(name))
}
