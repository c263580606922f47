// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// loopedRun is a run of 300 requests of a trace, which has 100.
func loopedRun(t *testing.T, fields string) string {
	t.Helper()
	folder := t.TempDir()
	mustRun(t, "trace", "generate", "--requests", "100", "-o", filepath.Join(folder, "trace.jsonl"))
	return cmdtest.TempFile(t, "run.yaml", fmt.Sprintf(`apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: looped}
spec:
  scenario:
    horizon: {requests: 300}
    pools:
    - {name: a, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}
    router: {policies: {routing: {policy: round-robin}}}
    workload:
      trace: {format: Mooncake, file: %s/trace.jsonl%s}
`, folder, fields))
}

func TestATraceThatLoops(t *testing.T) {
	hits := map[string]string{}
	for name, fields := range map[string]string{
		"once": "", "same": ", loop: SamePrefixes", "fresh": ", loop: FreshPrefixes, tooLong: {maxTokens: 3000, action: Skip}",
	} {
		said := mustRun(t, "run", "-f", loopedRun(t, fields))
		for _, line := range strings.Split(said, "\n") {
			if strings.HasPrefix(line, "arrived ") || strings.HasPrefix(line, "cacheHit.gpu") || strings.HasPrefix(line, "Workload") {
				hits[name] += strings.Join(strings.Fields(line), " ") + "\n"
			}
		}
	}
	for name, want := range map[string][]string{
		"once":  {"arrived 100\n"},
		"same":  {"arrived 300\n", "repeated with SamePrefixes"},
		"fresh": {"arrived 300\n", "repeated with FreshPrefixes, 237 requests left out for their length"},
	} {
		for _, text := range want {
			if !strings.Contains(hits[name], text) {
				t.Errorf("%s: %q is not in:\n%s", name, text, hits[name])
			}
		}
	}
}

func TestALoopThatCannotBe(t *testing.T) {
	for fields, want := range map[string]string{
		", concurrentSessions: 2":                 "spec.scenario.workload.trace.concurrentSessions: Forbidden: no request of the trace waits for an answer: its sessions begin and go on as recorded",
		", loop: FreshPrefixes, slice: {to: 1s}":  "spec.scenario.workload.trace.loop: Invalid value: \"FreshPrefixes\": needs a trace with two timestamps or more",
		", tooLong: {maxTokens: 1, action: Skip}": "spec.scenario.workload.trace.tooLong.maxTokens",
		", tooLong: {maxTokens: 9}":               "spec.scenario.workload.trace.tooLong.action",
		", blockTokens: 16":                       "row 1: hash_ids: must have",
		", tooLong: {maxTokens: 2, action: Skip}": "a trace without requests",
		", loop: Again":                           "spec.scenario.workload.trace.loop: Unsupported value",
	} {
		if _, err := windtunnel(t, "run", "-f", loopedRun(t, fields)); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", fields, err, want)
		}
	}
}
