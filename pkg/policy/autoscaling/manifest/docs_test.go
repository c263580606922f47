// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/page"
)

func TestThePageOnManifests(t *testing.T) {
	var b strings.Builder
	for _, kind := range []Kind{HorizontalPodAutoscaler, ScaledObject, PodAutoscaler, ConfigMap} {
		fmt.Fprintf(&b, "### %s of %s\n\n| field | treatment | note |\n|---|---|---|\n", kind, kind.apiVersion())
		for _, f := range kind.Fields() {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Path, f.Treatment, f.Note)
		}
		b.WriteString("\n")
	}
	page.Check(t, "../../../../docs/autoscaling-reference.md", map[string]string{"manifests": b.String()})
}

// An approximation and a refusal say what they are about.
func TestTreatmentsHaveNotes(t *testing.T) {
	for _, kind := range []Kind{HorizontalPodAutoscaler, ScaledObject, PodAutoscaler, ConfigMap} {
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
