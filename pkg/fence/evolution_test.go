// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/fence"
)

// A program whose parameters evolve fails for some of them. Those points have failed, the
// sweep goes on, and its rows are those of one process.
func TestProgramsEvolveBehindTheFence(t *testing.T) {
	const text = `routing: {signals: [queue-depth], starlark: {parameters: {low: 1}, source: "def score(request, endpoints):\n  return [e.queue_depth for e in endpoints] if parameters.low < 1.3 else 1\n"}}`
	var rows []string
	for _, outside := range []execute.Fence{nil, &fence.Fence{Limits: few}} {
		c := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
			s.Spec.Scenario.Router.Policies.Bundle.Inline = new(bundleHead + text)
			s.Spec.Search.MaxTrials = 12
		}))
		conducted := experimenttest.MustRunLocally(t, c, execute.Options{Fence: outside})
		failed := 0
		for _, row := range conducted.Rows() {
			if strings.Contains(row.Error, "type fault") || strings.Contains(row.Error, "fault of a program") {
				failed++
			}
		}
		if failed == 0 || failed == len(conducted.Rows()) {
			t.Errorf("%d of %d simulations failed", failed, len(conducted.Rows()))
		}
		var text strings.Builder
		for _, row := range conducted.Rows() {
			text.WriteString(row.Key + " " + row.Error + "\n")
		}
		rows = append(rows, text.String())
	}
	if rows[0] != rows[1] {
		t.Errorf("rows of one process:\n%s\nand behind the fence:\n%s", rows[0], rows[1])
	}
}
