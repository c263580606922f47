// SPDX-License-Identifier: Apache-2.0

package run

import (
	"strings"
	"testing"
)

func TestRunIsHeldAgainstWhatIsPossible(t *testing.T) {
	for sample, want := range map[string]string{
		"simulationrun-poisson.yaml":     "With 105244 KV blocks no router gets more than 52.4 %, and without a limit 52.4 %: the run reached 99.8 % of what is possible.",
		"simulationrun-closed-loop.yaml": "no ceiling is known, since the answers decide which requests come.",
		"simulationrun-tiers.yaml":       "Cache hits, seed 42:",
	} {
		t.Run(sample, func(t *testing.T) {
			if out := mustRun(t, "run", "-f", "../../config/samples/"+sample, "--ceiling"); !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		})
	}
}
