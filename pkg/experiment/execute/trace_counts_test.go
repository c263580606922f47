// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Of 60 rows, one a second, each third is too long and each fifth has no output. Results count
// those that arrive before arrivals end.
func TestResultsCountTheRowsThatWereReplayed(t *testing.T) {
	var text strings.Builder
	text.WriteString("arrived_at,num_prefill_tokens,num_decode_tokens\n")
	for i := range 60 {
		input, output := 10, 5
		if i%3 == 2 {
			input = 5000
		}
		if i%5 == 4 {
			output = 0
		}
		fmt.Fprintf(&text, "%d,%d,%d\n", i, input, output)
	}
	for name, tc := range map[string]struct {
		horizon builder.ScenarioEdit
		trace   func(*v1alpha1.Trace)
		want    result.TraceProvenance
		note    string
	}{
		"all of the trace": {builder.Requests(1000), func(*v1alpha1.Trace) {}, result.TraceProvenance{Skipped: 16, SkippedZeroOutput: 12},
			", 16 requests left out for their length, 12 requests without output left out."},
		"until a time": {func(s *v1alpha1.Scenario) { s.Horizon = v1alpha1.Horizon{Duration: "10s"} }, func(*v1alpha1.Trace) {},
			result.TraceProvenance{Skipped: 3, SkippedZeroOutput: 2}, ", 3 requests left out for their length, 2 requests without output left out."},
		"until a time, twice as fast": {func(s *v1alpha1.Scenario) { s.Horizon = v1alpha1.Horizon{Duration: "10s"} },
			func(in *v1alpha1.Trace) { in.RateScale = "2" }, result.TraceProvenance{Skipped: 5, SkippedZeroOutput: 4, RateScale: 2}, ""},
		"until a number of requests": {builder.Requests(4), func(*v1alpha1.Trace) {}, result.TraceProvenance{Skipped: 2, SkippedZeroOutput: 1}, ""},
		"clipped and sent": {builder.Requests(4), func(in *v1alpha1.Trace) {
			in.TooLong.Action, in.ZeroOutput = v1alpha1.ClipTooLong, v1alpha1.PrefillOnlyZeroOutput
		}, result.TraceProvenance{Clipped: 1}, ""},
		"a slice and a sample": {builder.Requests(1000), func(in *v1alpha1.Trace) {
			in.Slice, in.Sample = &v1alpha1.TraceSlice{From: "10s", To: "40s"}, "0.999999"
		}, result.TraceProvenance{Skipped: 8, SkippedZeroOutput: 6, Slice: "from 10s to 40s", Sample: 0.999999},
			", slice from 10s to 40s, sample of 0.999999, 8 requests left out for their length, 6 requests without output left out."},
	} {
		t.Run(name, func(t *testing.T) {
			run := builder.MakeRun("counts", "ns").Scenario(builder.TraceFrom("Vidur", "traces", "day.csv"), tc.horizon).Seeds(1).Obj()
			in := run.Spec.Scenario.Workload.Trace
			in.RateScale, in.Arrivals = "1", "AsRecorded"
			in.TooLong, in.ZeroOutput = &v1alpha1.TooLong{MaxTokens: 100, Action: v1alpha1.SkipTooLong}, v1alpha1.SkipZeroOutput
			tc.trace(in)
			c, errs, err := compile.Run(t.Context(), run, experimenttest.Inputs{"traces/day.csv": []byte(text.String())})
			if err != nil || len(errs) > 0 {
				t.Fatalf("compile: %v, %v", errs, err)
			}
			_, documents := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experiment.Span{End: 1}))
			got := documents[0].Provenance.Workload.TraceProvenance
			want := tc.want
			want.TraceFormat, want.TraceSHA256, want.Arrivals = got.TraceFormat, got.TraceSHA256, got.Arrivals
			if want.RateScale == 0 {
				want.RateScale = 1
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("provenance (-want +got):\n%s", diff)
			}
			if table := fmt.Sprint(report.Run(documents)); !strings.Contains(table, tc.note) {
				t.Errorf("there is no %q in\n%s", tc.note, table)
			}
		})
	}
}
