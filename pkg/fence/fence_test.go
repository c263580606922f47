// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"encoding/base64"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

const bundleHead = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"

const signals = "signals: [prefix-affinity, queue-depth, kv-utilization]"

// starlarkText, treeText and moduleText are one policy: prefix 3, queue 2, KV 2.
const (
	starlarkText = "routing:\n  " + signals + `
  starlark:
    parameters: {prefix: 3, queue: 2, kv: 2}
    source: |
      def score(request, endpoints):
          p = parameters
          return [p.prefix * e.prefix_affinity + p.queue * e.queue_depth + p.kv * e.kv_utilization for e in endpoints]`
	treeText = "routing:\n  " + signals + `
  decisionTree: {root: {sum: [{field: endpoints.prefix_affinity, times: 3}, {field: endpoints.queue_depth, times: 2}, {field: endpoints.kv_utilization, times: 2}]}}`
)

func moduleText() string {
	l := sandbox.RoutingLayout(sandbox.Names{})
	first := l.Columns() // of prefix_affinity; prefix_affinity_tokens is next
	return inModule(wasmtest.Weighted(l.Function, l.Scalars(), first+4, map[int]float64{first: 3, first + 2: 2, first + 3: 2}))
}

// inModule is a routing by a module.
func inModule(m *wasmtest.Module) string {
	return "routing:\n  " + signals + "\n  wasm: {module: " + base64.StdEncoding.EncodeToString(m.Bytes()) + "}"
}

// bundled is a run that a bundle routes.
func bundled(t testing.TB, text string, edits ...func(*v1alpha1.SimulationRun)) *compile.Compiled {
	run := experimenttest.Run(t)
	run.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{
		Bundle: &v1alpha1.ManifestSource{Inline: new(bundleHead + text)},
	}}
	for _, edit := range edits {
		edit(run)
	}
	return experimenttest.MustCompileRun(t, run)
}

// few are limits of which programs reach each in little time.
var few = fence.Limits{MemoryBytes: 256 << 20, CPU: 10 * time.Second, Wall: 20 * time.Second, Cores: 1}

// simulate runs some simulations, behind a fence or without one.
func simulate(t testing.TB, c *compile.Compiled, f execute.Fence, which ...int) ([]experiment.Simulation, error) {
	t.Helper()
	return execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), which,
		execute.Options{Parallelism: 2, Fence: f, KeepDecisions: true, Series: c.Plan.Series})
}

// What a simulation gives does not depend on the process that it runs in.
func TestRowsAndDocumentsAreThoseOfOneProcess(t *testing.T) {
	for name, text := range map[string]string{"starlark": starlarkText, "a tree": treeText, "wasm": moduleText()} {
		t.Run(name, func(t *testing.T) {
			c := bundled(t, text, func(run *v1alpha1.SimulationRun) {
				run.Spec.Trace = v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace, Decisions: new(int32(20)), Series: &v1alpha1.SeriesTrace{}}
			})
			want, err := simulate(t, c, nil, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			got, err := simulate(t, c, &fence.Fence{Limits: few}, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("simulations (-one process +fence):\n%s", diff)
			}
		})
	}
}

// What Go's runtime printed when it had no more memory, and what it prints when code is wrong.
func TestComplaintsAboutMemory(t *testing.T) {
	for complaint, want := range map[string]bool{
		"fatal error: runtime: out of memory\n": true,
		"runtime: cannot map pages in arena address space\nfatal error: runtime: cannot map pages in arena address space\n":                            true,
		"runtime: failed to create new OS thread (have 9 already; errno=11)\n":                                                                         true,
		"SIGSEGV: segmentation violation\nPC=0x439b1d m=0 sigcode=1 addr=0x0\n\n":                                                                      true, // in runtime.(*spanQueue).tryDrain
		"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x5]\n": false,
		"fatal error: stack overflow\n":                                 false,
		"SIGXCPU: CPU time limit exceeded\nPC=0x439b1d m=0 sigcode=0\n": false,
		"": false,
	} {
		if got := fence.IsMemoryComplaint([]byte(complaint)); got != want {
			t.Errorf("%q is about memory: %t, want %t", complaint, got, want)
		}
	}
}
