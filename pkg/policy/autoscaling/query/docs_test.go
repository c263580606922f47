// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/page"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

func TestThePageOnMetricsOfAutoscalers(t *testing.T) {
	var b strings.Builder
	b.WriteString("| metric | type | what it is | labels | difference from the real metric |\n|---|---|---|---|---|\n")
	for _, m := range Metrics() {
		var names []string
		for _, n := range m.Names {
			name := "`" + n.Text + "`"
			if in := n.In.String(); in != "" {
				name += " (" + in + ")"
			}
			names = append(names, name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s |\n", strings.Join(names, ", "), m.Type, m.Help, strings.Join(m.Labels(), "`, `"), m.Difference)
	}
	page.Check(t, "../../../../docs/autoscaling-reference.md", map[string]string{
		"metrics":   b.String(),
		"functions": "`" + strings.Join(functions(), "`, `") + "`",
	})
}

// aVersionOf returns the newest version that exports a metric under a name.
func aVersionOf(n Name) version.Dialect {
	for _, d := range slices.Backward(version.All) {
		if n.In.Has(d.Framework) {
			return d
		}
	}
	panic("no version exports " + n.Text)
}

// Each metric can be read under each name, and the page says of no metric twice.
func TestEachNameIsThatOfOneMetric(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		for _, n := range m.Names {
			name := n.Text
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
			all, problem := compiledFor(t, name, with(aVersionOf(n))).Series(&gauges().view)
			if problem != None || len(all) == 0 {
				t.Errorf("%s: %v series (%v)", name, len(all), problem)
			}
		}
	}
}
