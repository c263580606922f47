// SPDX-License-Identifier: Apache-2.0

package lint

import "testing"

// TestFaultsOfTheSyntaxHaveTheirLine: a text that is no YAML has no fields to be
// found at.
func TestFaultsOfTheSyntaxHaveTheirLine(t *testing.T) {
	const head = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"
	for name, tc := range map[string]struct {
		text, message string
		line          int
	}{
		"an open brace": {head + "- {type: x\nschedulingProfiles: []\n", "Invalid value: yaml: line 5: did not find expected ',' or '}'", 5},
		"a template":    {head + "{{- range .Values.scorers }}\n- type: {{ .type }}\n{{- end }}\n", "a Helm template that was not rendered: lint what helm template prints, or the values file", 5},
	} {
		t.Run(name, func(t *testing.T) {
			found := Check([]byte(tc.text), "router-v0.10", Context{})
			if len(found) != 1 || found[0].Rule != syntaxRule.ID {
				t.Fatalf("findings %+v, want one of the syntax", found)
			}
			if f := found[0]; f.Line != tc.line || f.Path != "" || f.Message != tc.message {
				t.Errorf("line %d, path %q: %s; want line %d and %s", f.Line, f.Path, f.Message, tc.line, tc.message)
			}
		})
	}
}
