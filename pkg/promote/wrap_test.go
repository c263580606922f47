// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

const bare = header + "plugins:\n- type: queue-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n    weight: 2 # twice\n"

// indented is the bare configuration so many columns further to the right.
func indented(columns int) string {
	return strings.TrimRight(edit.Indent("\n"+bare, columns, "\n"), "\n") + "\n"
}

var heavier = []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("5")}}

const oneLine = "-    weight: 2 # twice\n+    weight: 5 # twice\n"

func TestInKeepsTheFileThatTheConfigurationIsIn(t *testing.T) {
	shifted := func(columns int) string {
		return strings.ReplaceAll(oneLine, "    weight", strings.Repeat(" ", columns+4)+"weight")
	}
	for name, tc := range map[string]struct {
		file, diff string
		format     Format
	}{
		"a bare document":       {bare, oneLine, Source},
		"a ConfigMap":           {"kind: ConfigMap\nmetadata:\n  name: epp # ours\ndata:\n  other: x\n  epp.yaml: |" + indented(4), shifted(4), ConfigMap},
		"Helm values":           {"router:\n  epp:\n    pluginsCustomConfig:\n      epp.yaml: |" + indented(8) + "    # behind it\n", shifted(8), HelmValues},
		"a stream":              {"kind: Service\n---\n" + bare + "---\nkind: Pod\n", oneLine, Source},
		"an object in a values": {"epp:\n  config:" + indented(4), shifted(4), Source},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Rewrite([]byte(tc.file), wanted(t, []byte(bare), version, heavier), heavier)
			if err != nil {
				t.Fatal(err)
			}
			before, after, err := r.In(tc.format, Names{ConfigMap: "x", Key: "y"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.diff, changedLines(before, after)); diff != "" || before != tc.file {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

func TestInWraps(t *testing.T) {
	r, err := Rewrite([]byte(bare), wanted(t, []byte(bare), version, heavier), heavier)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(bare, "weight: 2", "weight: 5")
	for format, want := range map[Format]string{
		Document:  text,
		ConfigMap: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: epp\ndata:\n  epp.yaml: |" + strings.ReplaceAll(indented(4), "weight: 2", "weight: 5"),
		HelmValues: "router:\n  epp:\n    pluginsConfigFile: epp.yaml\n    pluginsCustomConfig:\n      epp.yaml: |" +
			strings.ReplaceAll(indented(8), "weight: 2", "weight: 5"),
	} {
		before, after, err := r.In(format, Names{ConfigMap: "epp", Key: "epp.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, after); diff != "" {
			t.Errorf("−want +got:\n%s", diff)
		}
		if changed := strings.Count(changedLines(before, after), "\n"); changed != 2 {
			t.Errorf("%d lines of a diff are changed, want 2", changed)
		}
	}
}

func TestInSaysWhereTheFileCannotBeEdited(t *testing.T) {
	file := "data:\n  epp.yaml: \"" + strings.ReplaceAll(bare, "\n", `\n`) + "\"\n"
	r, err := Rewrite([]byte(file), wanted(t, []byte(bare), version, heavier), heavier)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.In(Source, Names{}); !errors.Is(err, ErrNotPossible) {
		t.Errorf("error is %v", err)
	}
	if _, after, err := r.In(Document, Names{}); err != nil || !strings.Contains(after, "weight: 5 # twice") {
		t.Errorf("as a document: %v, %s", err, after)
	}
}
