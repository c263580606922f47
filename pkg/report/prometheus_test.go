// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestWriteStabilityLabelsItsSamples(t *testing.T) {
	document := func(seed int64) *result.Document {
		return &result.Document{Seed: seed, Stability: []result.ReplicaStability{
			{Pool: "large", Replica: 0, State: stability.State{Utilization: 0.8}},
			{Pool: "large", Replica: 1, State: stability.State{Utilization: 1.25}},
		}}
	}
	rho := func(docs ...*result.Document) []string {
		var b strings.Builder
		if err := WriteStability(&b, docs); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		return slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "queueing_rho") })
	}
	one := []string{`queueing_rho{pool="large",replica="0"} 0.8`, `queueing_rho{pool="large",replica="1"} 1.25`}
	if diff := cmp.Diff(one, rho(document(42))); diff != "" {
		t.Errorf("one seed (−want +got):\n%s", diff)
	}
	two := rho(document(43), document(42))
	if len(two) != 4 || two[0] != `queueing_rho{pool="large",replica="0",seed="42"} 0.8` {
		t.Errorf("two seeds: %q", two)
	}
	if got := rho(&result.Document{}); len(got) > 0 {
		t.Errorf("without controllers: %q", got)
	}
}
