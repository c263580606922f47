// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestShellsCompleteFlagValues: what a flag may be is offered, and the help says so.
func TestShellsCompleteFlagValues(t *testing.T) {
	for flag, want := range map[string][]string{
		"run -o":               {"table", "json", "yaml", "prometheus"},
		"results -o":           {"csv", "json", "parquet"},
		"evaluate --component": {"admission", "priority", "routing", "scheduler", "autoscale"},
		"lint --fail-on":       {"error", "warning", "info", "never"},
		"lint --epp-version":   {"auto", "router-v0.10.0"},
	} {
		out := mustRun(t, append(append([]string{"__complete"}, strings.Fields(flag)...), "")...)
		offered := strings.Split(out, "\n")
		for _, value := range want {
			if !slices.Contains(offered, value) {
				t.Errorf("%s offers no %s: %s", flag, value, out)
			}
		}
	}
	help := mustRun(t, "--help")
	for _, want := range []string{"source <(windtunnel completion bash)", "  completion "} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q:\n%s", want, help)
		}
	}
}
