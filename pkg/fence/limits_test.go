// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// A bundle bounds its process, and the candidate of a search has 30 s of CPU time unless its
// bundle says otherwise.
func TestABundleBoundsItsProcess(t *testing.T) {
	const program = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\nrouting: {signals: [queue-depth], starlark: {parameters: {low: 1}, source: \"def score(request, endpoints): return [parameters.low for e in endpoints]\"}}\n"
	run := func(text string) *compile.Compiled {
		r := experimenttest.Run(t)
		r.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{Bundle: &v1alpha1.ManifestSource{Inline: &text}}}
		return experimenttest.MustCompileRun(t, r)
	}
	sweep := func(text string) *compile.Compiled {
		return experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
			s.Spec.Scenario.Router.Policies.Bundle.Inline = &text
		}))
	}
	for name, tc := range map[string]struct {
		compiled *compile.Compiled
		cpu      time.Duration
		memory   int64
	}{
		"no limits":              {run(program), 10 * time.Minute, 1 << 30},
		"less time":              {run(program + "limits: {cpuSeconds: 7}"), 7 * time.Second, 1 << 30},
		"less memory":            {run(program + "limits: {memoryMiB: 100}"), 10 * time.Minute, 100 << 20},
		"a candidate":            {sweep(program), 30 * time.Second, 1 << 30},
		"a candidate with limit": {sweep(program + "limits: {cpuSeconds: 90}"), 90 * time.Second, 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			p := tc.compiled.Plan
			trial := experimenttest.FirstRound(t, p).Trials[0]
			got, err := defaultLimits(1).of(p, experiment.Case{Trial: &trial, Seed: 42})
			if err != nil {
				t.Fatal(err)
			}
			if got.CPU != tc.cpu || got.MemoryBytes != tc.memory || got.Wall < 2*got.CPU {
				t.Errorf("%+v, want %v of CPU time and %d bytes", got, tc.cpu, tc.memory)
			}
		})
	}
}
