// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const metricsPage = "../../docs/metrics.md"

// TestMetricsPage keeps the documentation of metrics equal to their declarations.
func TestMetricsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Metrics

A metric is a figure that Windtunnel computes from a simulation, such as the 99th percentile of
the time to first token. This page lists all metrics. A test generates it from the declarations
in ` + "`pkg/result`" + `.

The name of a metric has the form ` + "`name.statistic`" + `. It may select a class, a tenant, a pool or, with
several routers, a model: ` + "`ttft.p99{class=critical}`" + `. Rows and documents use base units: seconds, and shares from 0 to 1.
Tables for people print milliseconds and percent.

The column *needs* names the features that a scenario must have for the metric, such as flow
control, KV tiers or disruptions. Without these features the metric has no value, and results do
not contain it. Some metrics also need *something that names it*: a gate, an objective, a
constraint, a feature or a derived metric of the object. Results without it do not contain them.

The measured time of throughput ends with the last token, or other event, of a request that arrived
after the warm-up. So it is longer than the time of the arrivals by the drain, in which fewer
requests complete. For N users who think for Z, N ÷ throughput − Z is then a little more than the
mean latency: for the sample ` + "`simulationrun-closed-loop.yaml`" + `, whose 300 s of arrivals are 304 s of
measured time, by 1.6 %. A longer run makes the difference small.

With [speculative decoding](speculation.md) a step may give a request several tokens at once. ` + "`itl`" + ` then
has one value for each step of a request, as in vLLM's own metric and in the clients of benchmarks.

| metric | unit | better | what it is | needs |
|---|---|---|---|---|
`)
	for _, m := range RegisteredMetrics() {
		better := "less"
		if m.Direction() == Maximize {
			better = "more"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m, m.Unit(), better, m.Help(), list(m.Requirements()))
	}
	golden.Check(t, metricsPage, b.String())
}

// TestDocumentedMetricsExist finds metrics that the API's documentation, the pages
// and the samples name and that are not declared.
func TestDocumentedMetricsExist(t *testing.T) {
	named := regexp.MustCompile("(?:^|[^-/.A-Za-z0-9])(" + strings.Join(familyNames(), "|") + `)\.([A-Za-z0-9]+(?:\.[A-Za-z0-9]+)?)\b`)
	suffixes := []string{"md", "sh", "svg", "yaml"}
	files := 0
	for _, pattern := range []string{"../../api/*/*.go", "../../docs/*.md", "../../docs/studies/*.md", "../../config/samples/*.yaml", "../../README.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			files++
			raw := testfile.Read(t, path)
			for number, line := range strings.Split(string(raw), "\n") {
				for _, m := range named.FindAllStringSubmatch(line, -1) {
					first, _, _ := strings.Cut(m[2], ".")
					if f := findFamily(m[1]); !slices.Contains(suffixes, first) && f.hasStatistics() && f.find(m[2]) == nil && f.find(first) == nil {
						t.Errorf("%s:%d names %s.%s, which is not declared; %s has %s", path, number+1, m[1], m[2], m[1], list(f.statisticNames()))
					}
				}
			}
		}
	}
	if files < 20 {
		t.Errorf("only %d files were read", files)
	}
}
