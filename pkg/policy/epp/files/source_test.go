// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
)

const smallConfig = "kind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"

// indented puts blanks in front of each line.
func indented(text string, by int) string {
	blanks := strings.Repeat(" ", by)
	return blanks + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+blanks) + "\n"
}

func TestFind(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		want []Source
	}{
		"a bare configuration is the whole file": {
			"# mine\n" + smallConfig,
			[]Source{{Text: []byte("# mine\n" + smallConfig), Line: 1, Column: 1, InPlace: true}},
		},
		"one without a kind, which no EPP takes": {
			"plugins:\n- type: queue-scorer\n",
			[]Source{{Text: []byte("plugins:\n- type: queue-scorer\n"), Line: 1, Column: 1, InPlace: true}},
		},
		"one of a kind that is null": {
			"kind:\nplugins:\n- type: queue-scorer\n",
			[]Source{{Text: []byte("kind:\nplugins:\n- type: queue-scorer\n"), Line: 1, Column: 1, InPlace: true}},
		},
		"one that is no YAML": {
			"kind: EndpointPickerConfig\nplugins: [\n",
			[]Source{{Text: []byte("kind: EndpointPickerConfig\nplugins: [\n"), Line: 1, Column: 1, InPlace: true}},
		},
		"JSON with tabs": {
			"{\n\t\"kind\": \"EndpointPickerConfig\"\n}",
			[]Source{{Text: []byte("{\n\t\"kind\": \"EndpointPickerConfig\"\n}"), Line: 1, Column: 1, InPlace: true}},
		},
		"every key of a ConfigMap in a stream": {
			"kind: Service\nmetadata: {name: s}\n---\nkind: ConfigMap\nmetadata:\n  name: epp\ndata:\n  a.yaml: |\n" + indented(smallConfig, 4) +
				"  other: words\n  b.yaml: |-\n" + indented(smallConfig, 4),
			[]Source{
				{Name: "ConfigMap epp, data[a.yaml]", Text: []byte(smallConfig), Line: 9, Column: 5, Indent: 4, InPlace: true},
				{Name: "ConfigMap epp, data[b.yaml]", Text: []byte(strings.TrimSuffix(smallConfig, "\n")), Line: 14, Column: 5, Indent: 4, InPlace: true},
			},
		},
		"Helm values": {
			"router:\n  epp:\n    pluginsCustomConfig:\n      mine.yaml: |\n" + indented(smallConfig, 8),
			[]Source{{Name: "router.epp.pluginsCustomConfig[mine.yaml]", Text: []byte(smallConfig), Start: Start{By: "Helm values"}, Line: 5, Column: 9, Indent: 8, InPlace: true}},
		},
		"Helm values in an object's text": {
			"kind: Application\nmetadata: {name: app}\nspec:\n  values: |\n    inferenceExtension:\n      pluginsCustomConfig:\n        mine.yaml: |\n" + indented(smallConfig, 10),
			[]Source{{Name: "Application app, spec.values, inferenceExtension.pluginsCustomConfig[mine.yaml]", Text: []byte(smallConfig), Start: Start{By: "Helm values"}, Line: 8, Column: 11, Indent: 10, InPlace: true}},
		},
		"a quoted text with escapes has no lines of its own": {
			"data:\n  a: \"kind: EndpointPickerConfig\\nplugins: []\\n\"\n",
			[]Source{{Name: "data.a", Text: []byte("kind: EndpointPickerConfig\nplugins: []\n"), Line: 2, Column: 6}},
		},
		"a quoted text without escapes": {
			"data:\n  a: '{\"kind\": \"EndpointPickerConfig\"}'\n",
			[]Source{{Name: "data.a", Text: []byte(`{"kind": "EndpointPickerConfig"}`), Line: 2, Column: 7, InPlace: true}},
		},
		"a folded text": {
			"data:\n  a: >\n    kind: EndpointPickerConfig\n\n    plugins: []\n",
			[]Source{{Name: "data.a", Text: []byte("kind: EndpointPickerConfig\nplugins: []\n"), Line: 2, Column: 6}},
		},
		"an object within an object": {
			"spec:\n  items:\n  - kind: EndpointPickerConfig\n    plugins:\n    # why\n    - type: queue-scorer\n\n  - other\n",
			[]Source{{Name: "spec.items[0]", Text: []byte("kind: EndpointPickerConfig\nplugins:\n# why\n- type: queue-scorer\n\n"), Line: 3, Column: 5, Indent: 4, InPlace: true}},
		},
		"an object in JSON": {
			`{"spec": {"config": {"kind": "EndpointPickerConfig", "featureGates": ["}"]}}}`,
			[]Source{{Name: "spec.config", Text: []byte(`{"kind": "EndpointPickerConfig", "featureGates": ["}"]}`), Line: 1, Column: 21, InPlace: true}},
		},
		"an object with an alias": {
			"mine: &p [{type: queue-scorer}]\nconfig:\n  kind: EndpointPickerConfig\n  plugins: *p\n",
			[]Source{{Name: "config", Text: []byte("kind: EndpointPickerConfig\nplugins:\n    - type: queue-scorer\n"), Line: 3, Column: 3}},
		},
		"a manifest of Windtunnel with its version": {
			"kind: SimulationRun\nmetadata: {name: r}\nspec:\n  scenario:\n    router:\n      endpointPickerConfig:\n        version: router-v0.9\n        inline: |\n" + indented(smallConfig, 10),
			[]Source{{Name: "SimulationRun r, spec.scenario.router.endpointPickerConfig.inline", Version: "router-v0.9", Text: []byte(smallConfig), Line: 9, Column: 11, Indent: 10, InPlace: true}},
		},
		"binary data": {
			"kind: ConfigMap\nmetadata: {name: b}\nbinaryData:\n  a.yaml: " + base64.StdEncoding.EncodeToString([]byte(smallConfig)) + "\n",
			[]Source{{Name: "ConfigMap b, binaryData[a.yaml]", Text: []byte(smallConfig), Line: 4, Column: 11}},
		},
		"nothing": {"a: b\n", nil},
		"empty":   {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Find([]byte(tc.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("sources (−want +got):\n%s", diff)
			}
		})
	}
}

func TestFindGoesOnAfterABrokenDocument(t *testing.T) {
	got, err := Find([]byte("a: [\n---\n" + smallConfig))
	if len(got) != 1 || got[0].Line != 3 || got[0].Name != "document 2" {
		t.Errorf("found %+v", got)
	}
	if err == nil || err.Error() != "line 1: did not find expected node content" {
		t.Errorf("error is %v", err)
	}
}

func TestPositionsOfATextAreThoseOfTheFile(t *testing.T) {
	file := "data:\n  a.yaml: |\n" + indented(smallConfig, 6)
	sources, err := Find([]byte(file))
	if err != nil || len(sources) != 1 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	line, column := sources[0].Position(3, 3) // type: queue-scorer
	if got := strings.Split(file, "\n")[line-1][column-1:]; got != "type: queue-scorer" {
		t.Errorf("line %d, column %d is %q", line, column, got)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("data:\n  a: |\n    kind: EndpointPickerConfig\n")
	f.Add("a: {kind: EndpointPickerConfig, b: '}'}\r\n---\r\nkind: EndpointPickerConfig\r\n")
	f.Fuzz(func(t *testing.T, file string) {
		sources, _ := Find([]byte(file))
		lines := document.SplitLines(file)
		if strings.Join(lines, "") != file {
			t.Fatal("lines are not the text")
		}
		for _, s := range sources {
			if s.Line < 1 || s.Line > max(1, len(lines)) {
				t.Fatalf("line %d of %d", s.Line, len(lines))
			}
			if !s.InPlace {
				continue
			}
			for i, want := range document.SplitLines(string(s.Text)) {
				if document.WithoutBreak(want) == "" {
					continue
				}
				line, column := s.Position(i+1, 1)
				if line > len(lines) {
					t.Fatalf("line %d of %d", line, len(lines))
				}
				at, ok := byteOffset(lines[line-1], column)
				if !ok || !strings.HasPrefix(lines[line-1][at:], document.WithoutBreak(want)) && strings.TrimSpace(want) != "" {
					t.Fatalf("line %d, column %d is %q, want %q", line, column, lines[line-1], want)
				}
			}
		}
	})
}

// TestDocumentsThatAreNoYAML: the error has the file's line, and names templates.
func TestDocumentsThatAreNoYAML(t *testing.T) {
	const values = "kind: Values\n---\nrouter:\n  epp:\n"
	for name, tc := range map[string]struct{ text, want string }{
		"a fault":    {values + " replicas: 1\n", "line 5: did not find expected key"},
		"a template": {values + "    {{- toYaml .Values.epp | nindent 4 }}\n", "line 5: a Helm template that was not rendered: use what helm template prints, or the values file"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Find([]byte(tc.text)); err == nil || err.Error() != tc.want {
				t.Errorf("error is %v, want %s", err, tc.want)
			}
		})
	}
}
