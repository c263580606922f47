// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

func TestAReportFitsIntoATerminationMessage(t *testing.T) {
	for _, text := range []string{"x", "<nil>: ", "µ"} {
		raw, err := store.Report{Shard: 3, Error: strings.Repeat(text, store.MaxReportBytes)}.Encode()
		if err != nil || len(raw) > store.MaxReportBytes || !utf8.Valid(raw) {
			t.Fatalf("%d bytes, %v", len(raw), err)
		}
	}
	report := store.Report{PlanHash: strings.Repeat("a", 64), Shard: 1}
	report.Results = &store.Reference{Name: strings.Repeat("x", 253), Rows: 2, SHA256: strings.Repeat("a", 64)}
	raw, err := report.Encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := store.DecodeReport(string(raw))
	if diff := cmp.Diff(report, decoded); err != nil || diff != "" {
		t.Errorf("%v (−want +got):\n%s", err, diff)
	}
}
