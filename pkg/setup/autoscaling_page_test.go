// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// docs/autoscaling.md lists all policies and triggers with the parameters that they read.
func TestTheAutoscalingPage(t *testing.T) {
	const name = "../../docs/autoscaling.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var policies, triggers strings.Builder
	for _, d := range autoscaling.Describe() {
		describe(&policies, d.Name, d.Help, d.Parameters)
	}
	for _, d := range autoscaling.DescribeTriggers() {
		describe(&triggers, d.Name, d.Help, d.Parameters)
	}
	want := replaceTable(t, string(page), "<!-- policies", policies.String())
	want = replaceTable(t, want, "<!-- triggers", triggers.String())
	if *updatePage {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/autoscaling.md is not what the policies declare; run go test ./pkg/setup -run TestTheAutoscalingPage -update\n(−want +got):\n%s", diff)
	}
}
