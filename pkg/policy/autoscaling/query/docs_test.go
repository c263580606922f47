// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

var update = flag.Bool("update", false, "rewrite docs/autoscaling-metrics.md")

func TestThePageOnMetricsOfAutoscalers(t *testing.T) {
	page := struct {
		Metrics   []Metric
		Functions []string
	}{Metrics(), Functions()}
	var want bytes.Buffer
	if err := template.Must(template.ParseFiles("testdata/autoscaling-metrics.md.tmpl")).Execute(&want, page); err != nil {
		t.Fatal(err)
	}
	const path = "../../../../docs/autoscaling-metrics.md"
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
		t.Errorf("docs/autoscaling-metrics.md is not what the catalogue says; run go test ./pkg/policy/autoscaling/query -run TestThePage -update\n(−want +got):\n%s", diff)
	}
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
