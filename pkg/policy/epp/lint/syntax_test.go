// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"
	"testing"
)

// TestFaultsOfTheSyntaxHaveTheirLine: a text that is no YAML has no fields to be
// found at. The finding and the verdicts name the line of the file, wherever in it
// the text stands.
func TestFaultsOfTheSyntaxHaveTheirLine(t *testing.T) {
	const head = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"
	const template = "a Helm template that was not rendered: use what helm template prints, or the values file"
	for name, tc := range map[string]struct {
		text, message string
		line          int
	}{
		"an open brace":                   {head + "- {type: x\nschedulingProfiles: []\n", "did not find expected ',' or '}'", 5},
		"an open brace before a comment":  {head + "- {type: x\n\n# y\nschedulingProfiles: []\n", "did not find expected ',' or '}'", 5},
		"a brace that has no comma":       {head + "- {type: x y: z}\n", "did not find expected ',' or '}'", 5},
		"too little indentation":          {head + "- type: a\n name: b\n- type: c\n", "did not find expected key", 6},
		"a key without colon":             {head + "schedulingProfiles\nkind: x\n", "could not find expected ':'", 5},
		"an open quote":                   {head + "- type: \"a\n- type: b\n- type: c\n", "found unexpected end of stream", 5},
		"two colons":                      {head + "- type: a: b\n- type: c\n", "mapping values are not allowed in this context", 5},
		"a tab":                           {head + "\t- type: a\n", "found a tab character that violates indentation", 5},
		"a template":                      {head + "{{- range .Values.scorers }}\n- type: {{ .type }}\n{{- end }}\n", template, 5},
		"a template that YAML can read":   {head + "- type: {{ .Values.scorer }}\n", template, 5},
		"a template in a comment is none": {head + "# {{ x }}\n- type: a: b\n", "mapping values are not allowed in this context", 6},
	} {
		t.Run(name, func(t *testing.T) {
			found := Check([]byte(tc.text), "router-v0.10", Context{})
			wantFault(t, found, tc.line, tc.message)

			inConfigMap := "kind: ConfigMap\nmetadata: {name: epp}\ndata:\n  epp.yaml: |\n    " + strings.ReplaceAll(tc.text, "\n", "\n    ")
			c := mustRead(t, inConfigMap, Options{}).Configs[0]
			wantFault(t, c.Findings, tc.line+4, tc.message)
		})
	}
}

func wantFault(t *testing.T, found []Finding, line int, message string) {
	t.Helper()
	if len(found) != 1 || found[0].Rule != syntaxRule.ID {
		t.Fatalf("findings %+v, want one of the syntax", found)
	}
	if f := found[0]; f.Line != line || f.Path != "" || f.Message != message {
		t.Errorf("line %d, path %q: %s; want line %d and %s", f.Line, f.Path, f.Message, line, message)
	}
}

// TestVerdictsOnTheSyntaxHaveTheLineOfTheFile: the row of the table says where.
func TestVerdictsOnTheSyntaxHaveTheLineOfTheFile(t *testing.T) {
	const text = "# one\n---\nkind: Service\n---\nkind: EndpointPickerConfig\nplugins:\n- type: a\n name: b\n- type: c\n"
	for _, v := range mustRead(t, text, Options{}).Configs[0].Verdicts {
		if want := "line 8: did not find expected key"; v.Reason != want {
			t.Errorf("%s: %s, want %s", v.Version, v.Reason, want)
		}
	}
}
