// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
)

// The bad example of a rule has a finding of this rule alone, the good one has none.
func TestRulesByTheirExamples(t *testing.T) {
	for _, r := range rules {
		for name, want := range map[string][]string{"bad": {r.ID}, "good": nil} {
			t.Run(r.ID+" "+name, func(t *testing.T) {
				var got []string
				for _, f := range Check(example(t, r, name), r.Context) {
					got = append(got, f.Rule)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("findings (−want +got):\n%s", diff)
				}
			})
		}
	}
}

// Rules that need what is not known are silent.
func TestRulesWithoutContext(t *testing.T) {
	for _, r := range rules {
		if found := Check(example(t, r, "bad"), Context{}); len(found) > 0 && (r.Context.Startup > 0 || r.Context.Places > 0 || r.Context.PrefixCaching) {
			t.Errorf("%s: %v", r.ID, found)
		}
	}
}

// Where a formula makes one metric of the triggers, their own targets count for nothing.
func TestRulesAboutTargetsPassOverFormulas(t *testing.T) {
	bad := averageOfAverage.example("bad")
	text := strings.NewReplacer("advanced:\n", "advanced:\n    scalingModifiers: {formula: a * 2, target: \"5\"}\n", "- type: prometheus\n", "- type: prometheus\n    name: a\n").Replace(bad)
	m, errs := manifest.Read(manifest.ScaledObject, []byte(text), nil)
	if text == bad || len(errs) > 0 {
		t.Fatal(errs, text)
	}
	if found := Check(m, Context{}); len(found) > 0 {
		t.Errorf("findings %v", found)
	}
}

func example(t *testing.T, r *Rule, name string) *manifest.Manifest {
	t.Helper()
	m, errs := manifest.Inspect(r.Kind, []byte(r.example(name)), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return m
}

func TestThePageListsTheRulesOfScalers(t *testing.T) {
	const path = "../../../../docs/lint.md"
	page := testfile.Read(t, path)
	before, rest, found := strings.Cut(string(page), "<!-- rules of scalers -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end of rules of scalers -->")
	if !found || !ended {
		t.Fatal("the page has no place for the rules")
	}
	var table strings.Builder
	table.WriteString("| rule | severity | finds | why | what to do |\n|---|---|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Severity, r.Summary, r.Why, r.Fix)
	}
	want := before + "<!-- rules of scalers -->\n" + table.String() + "<!-- end of rules of scalers -->" + after
	golden.Check(t, path, want)
}
