// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/page"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// docs/autoscaling-reference.md lists all policies and triggers with the parameters that they read.
func TestTheAutoscalingPage(t *testing.T) {
	var policies, triggers strings.Builder
	for _, d := range autoscaling.Describe() {
		describe(&policies, d.Name, d.Help, d.Parameters)
	}
	for _, d := range autoscaling.DescribeTriggers() {
		describe(&triggers, d.Name, d.Help, d.Parameters)
	}
	page.Check(t, "../../docs/autoscaling-reference.md", map[string]string{
		"policies": policies.String(),
		"triggers": triggers.String(),
	})
}
