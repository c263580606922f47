// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const metricsPage = "../../docs/metrics.md"

// TestMetricsPage keeps the documentation of metrics equal to the registry.
func TestMetricsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Metrics

A metric is named by ` + "`name.statistic`" + `, and may select a class, a tenant or a pool:
` + "`ttft.p99{class=critical}`" + `. Rows and documents hold base units (seconds, shares from 0
to 1); the tables for people print milliseconds and percent. A metric for which nothing
was measured is absent: those of tiers, links, hand-overs, stability, migrations, flow
control and the warm-up rule are in results of scenarios that have such things, and in no
others.

This page is generated from the registry of metrics.

| metric | unit | better | what it is |
|---|---|---|---|
`)
	for _, name := range MetricNames() {
		m := MustParseMetric(name)
		better := "less"
		if m.Direction() == Maximize {
			better = "more"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m, m.Unit(), better, m.Help())
	}
	if *update {
		if err := os.WriteFile(metricsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("docs/metrics.md is not what the registry says; run go test ./pkg/result -run TestMetricsPage -update\n(−want +got):\n%s", diff)
	}
}
