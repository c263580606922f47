// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

func TestFindingWords(t *testing.T) {
	finding := func(severity lint.Severity) experiment.Finding {
		return experiment.Finding{Rule: "rule", Severity: severity, Path: "spec", Message: "is odd"}
	}
	if words := findingsMessage([]experiment.Finding{finding(lint.Info)}); words != "" {
		t.Errorf("of what is worth knowing it says %q", words)
	}
	const one = "1 finding: spec: is odd [rule]; windtunnel lint explains each finding"
	if words := findingsMessage([]experiment.Finding{finding(lint.Info), finding(lint.Warning)}); words != one {
		t.Errorf("of one it says %q", words)
	}
	var many []experiment.Finding
	for range 8 {
		many = append(many, finding(lint.Error))
	}
	if words := findingsMessage(many); !strings.HasPrefix(words, "8 findings: ") || strings.Count(words, "is odd") != maxFindings || !strings.Contains(words, "; and 3 more; ") {
		t.Errorf("of many it says %q", words)
	}
}
