// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/autoscaling-manifests.md")

type documentedKind struct {
	Name, Version string
	Fields        []Field
}

func TestThePageOnManifests(t *testing.T) {
	var page struct {
		Kinds []documentedKind
	}
	for _, kind := range []Kind{HorizontalPodAutoscaler, ScaledObject, ConfigMap} {
		page.Kinds = append(page.Kinds, documentedKind{string(kind), kind.apiVersion(), kind.Fields()})
	}
	var want bytes.Buffer
	if err := template.Must(template.ParseFiles("testdata/autoscaling-manifests.md.tmpl")).Execute(&want, page); err != nil {
		t.Fatal(err)
	}
	const path = "../../../../docs/autoscaling-manifests.md"
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/autoscaling-manifests.md is not what the tables say; run go test ./pkg/policy/autoscaling/manifest -run TestThePageOnManifests -update\n(−want +got):\n%s", diff)
	}
}

// An approximation and a refusal say what they are about.
func TestTreatmentsHaveNotes(t *testing.T) {
	for _, kind := range []Kind{HorizontalPodAutoscaler, ScaledObject, ConfigMap} {
		seen := map[string]bool{}
		for _, f := range kind.Fields() {
			if seen[f.Path] {
				t.Errorf("%s: %s is there twice", kind, f.Path)
			}
			if seen[f.Path] = true; (f.Treatment == Approximated || f.Treatment == Refused) && f.Note == "" {
				t.Errorf("%s: %s has no note", kind, f.Path)
			}
		}
	}
}
