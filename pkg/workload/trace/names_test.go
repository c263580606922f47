// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Names of a trace are printed with results: a terminal obeys nothing in them, and different ones
// stay different.
func TestNamesOfATraceArePrintable(t *testing.T) {
	rows := `{"windtunnel_trace": 1}
{"arrival_ns": 0, "input_tokens": 4, "output_tokens": 3, "tenant": "\u001b[2JPASS", "class": "a\nb", "model": "m\u202e", "adapter": "\u009b2J"}
{"arrival_ns": 1, "input_tokens": 4, "output_tokens": 3, "tenant": "` + strings.Repeat(`\u202e`, 80) + `", "class": "a  b"}
{"arrival_ns": 2, "input_tokens": 4, "output_tokens": 3, "tenant": "` + strings.Repeat(`\u202e`, 81) + `", "class": "a b"}
`
	read, err := trace.Read(trace.Windtunnel, strings.NewReader(rows), "t")
	if err != nil {
		t.Fatal(err)
	}
	labels := read.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1).Labels()
	if diff := cmp.Diff([]string{`a\nb`, "a  b", "a b"}, labels.Classes[1:]); diff != "" {
		t.Errorf("classes (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`m\u202e`}, labels.Models); diff != "" {
		t.Errorf("models (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`\u009b2J`}, labels.Adapters); diff != "" {
		t.Errorf("adapters (−want +got):\n%s", diff)
	}
	tenants := labels.Tenants[1:]
	if len(tenants) != 3 || tenants[0] != `\u001b[2JPASS` || len(tenants[1]) > 253 || len(tenants[2]) > 253 || tenants[1] == tenants[2] {
		t.Errorf("tenants %q", tenants)
	}
}
