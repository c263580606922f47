// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/sweep"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
)

// reportedSamples are scenarios of many kinds: open and closed loops, conversations, a
// trace, two models, prefill and decode, tiers, scalers, disruptions.
var reportedSamples = []string{
	"poisson", "closed-loop", "sessions", "disaggregated", "tiers", "two-models", "hpa", "azure", "tenants", "adaptive",
}

func readReport(t *testing.T, text string) *benchmark.Report {
	t.Helper()
	r, errs := benchmark.Read([]byte(text))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return r
}

func TestReportsOfSamplesMeetTheSchemaAndTheUnits(t *testing.T) {
	uids := map[string]bool{}
	for _, sample := range reportedSamples {
		t.Run(sample, func(t *testing.T) {
			text := mustRun(t, "run", "-f", "../../config/samples/simulationrun-"+sample+".yaml", "-o", "benchmark-report")
			r := readReport(t, text)
			if again, err := r.Encode(); err != nil || string(again) != text {
				t.Errorf("written again, the bytes are others (%v):\n%s", err, cmp.Diff(text, string(again)))
			}
			if uids[r.Run.UID] || !r.IsSimulated() || !strings.Contains(r.Run.Description, "simulated by windtunnel") {
				t.Errorf("uid %s, description %s", r.Run.UID, r.Run.Description)
			}
			uids[r.Run.UID] = true
			for _, absent := range []string{"gpu_utilization", "gpu_memory_usage", "power_consumption", "cpu_utilization", "user:"} {
				if strings.Contains(text, absent) {
					t.Errorf("the report has %s, which is not simulated", absent)
				}
			}
			if faults := faultsOf(t, reportSchema(t), text); len(faults) > 0 {
				t.Errorf("the published schema refuses it: %v", faults)
			}
		})
	}
}

// Under one seed a report is about the same requests as the result.
func TestAReportHasTheFiguresOfTheResult(t *testing.T) {
	manifest := cmdtest.Edited(t, "testdata/run.yaml", "count: 2", "count: 1")
	out := jsontest.Decode[Output](t, []byte(mustRun(t, "run", "-f", manifest, "-o", "json")))
	r := readReport(t, mustRun(t, "run", "-f", manifest, "-o", "benchmark-report"))
	metrics := r.Metrics()
	compared := 0
	for name, want := range out.Rows[0].Metrics.All() {
		got, has := metrics[name]
		if !has {
			continue
		}
		compared++
		// TPOT and the result's quantiles are of whole nanoseconds, too.
		if diff := got - want; diff > 1e-3*want+1e-9 || diff < -1e-3*want-1e-9 {
			t.Errorf("%s is %v, and %v in the result", name, got, want)
		}
	}
	if compared < 25 {
		t.Errorf("only %d metrics are in both", compared)
	}
	requests, overall := r.Results.RequestPerformance.Aggregate.Requests, &out.Results[0].Overall.Requests
	if requests.Total != overall.Arrived || *requests.Failures != overall.Rejected+overall.TimedOut+overall.Failed || *requests.Incomplete != overall.Unfinished {
		t.Errorf("requests %+v, and %+v in the result", requests, overall)
	}
}

func TestReportsHaveTheSameBytesAtAnyParallelism(t *testing.T) {
	args := []string{"run", "-f", "testdata/run.yaml", "-o", "benchmark-report", "--parallelism"}
	if diff := cmp.Diff(mustRun(t, append(args, "1")...), mustRun(t, append(args, "2")...)); diff != "" {
		t.Errorf("parallelism 1 and 2 differ:\n%s", diff)
	}
}

func TestAReportHasSessionsWhereTheWorkloadHas(t *testing.T) {
	for sample, want := range map[string]bool{"sessions": true, "poisson": false} {
		r := readReport(t, mustRun(t, "run", "-f", "../../config/samples/simulationrun-"+sample+".yaml", "-o", "benchmark-report"))
		if got := r.Results.SessionPerformance != nil; got != want {
			t.Errorf("%s has sessions: %v", sample, got)
		}
		if l := r.Scenario.Load.Standardized; (l.MultiTurn != nil) != want {
			t.Errorf("%s has turns: %v", sample, l.MultiTurn)
		}
	}
}

func TestASweepWritesAReportOfEachCandidate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "reports")
	mustRun(t, "sweep", "-f", cmdtest.GatesSample(t), "--benchmark-report", folder, "--top", "0")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("files %v (%v)", files, err)
	}
	eids, uids, labels := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, file := range files {
		if name := filepath.Base(file); !strings.HasPrefix(name, "benchmark_report_v0.2_gates-point-") || !strings.HasSuffix(name, ".yaml") {
			t.Errorf("a file is called %s", name)
		}
		raw := cmdtest.TextOf(t, file)
		r := readReport(t, raw)
		eids[r.Run.EID], uids[r.Run.UID], labels[r.Run.Description] = true, true, true
		for _, want := range []string{"verdict:", "plan_sha256:", "seeds:", "rank:", "low:"} {
			if !strings.Contains(raw, want) {
				t.Errorf("%s does not say %s", file, want)
			}
		}
	}
	if len(eids) != 1 || len(uids) != len(files) || len(labels) != len(files) {
		t.Errorf("%d files have %d experiments, %d uids and %d labels", len(files), len(eids), len(uids), len(labels))
	}
}

// A sweep's rows are those of the candidates that are simulated again for the reports.
func TestReportsOfASweepAreOfItsRows(t *testing.T) {
	folder := t.TempDir()
	out := jsontest.Decode[sweep.Output](t, []byte(mustRun(t, "sweep", "-f", cmdtest.GatesSample(t), "--benchmark-report", folder, "-o", "json")))
	raw := cmdtest.TextOf(t, filepath.Join(folder, "benchmark_report_v0.2_gates-point-0.yaml"))
	sum, n := 0.0, 0
	for i := range out.Rows {
		if value, ok := out.Rows[i].Metrics.Get("ttft.p99"); ok && out.Rows[i].Point == 0 {
			sum, n = sum+value, n+1
		}
	}
	own := readReport(t, raw).Results.Profiling.(map[string]any)["windtunnel"].(map[string]any)
	got := own["metrics"].(map[string]any)["ttft.p99"].(map[string]any)
	if mean := got["mean"].(float64); got["seeds"] != n || mean > sum/float64(n)*(1+1e-12) || mean < sum/float64(n)*(1-1e-12) {
		t.Errorf("the report has %v, and the rows %v over %d seeds", got, sum/float64(n), n)
	}
}

func TestReportsThatCannotBeWritten(t *testing.T) {
	sweeps := "../../config/samples/policysweep-workloads.yaml"
	file := cmdtest.TempFile(t, "file", "")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"two runs":             {[]string{"run", "-f", "testdata/run.yaml", "-f", "../../config/samples/simulationrun-tiers.yaml", "-o", "benchmark-report"}, "-o benchmark-report needs one SimulationRun, but there are 2"},
		"an explained request": {[]string{"run", "-f", "testdata/run.yaml", "-o", "benchmark-report", "--explain", "1"}, "--explain prints one decision: use it without -o benchmark-report"},
		"a summary":            {[]string{"run", "-f", "testdata/run.yaml", "-o", "benchmark-report", "--reflect", "issue_focused"}, "--reflect prints a summary of one simulation: use it without -o benchmark-report"},
		"nothing simulated":    {[]string{"run", "-f", "testdata/run.yaml", "-o", "benchmark-report", "--dry-run"}, "--dry-run simulates nothing"},
		"a ceiling":            {[]string{"run", "-f", "testdata/run.yaml", "-o", "benchmark-report", "--ceiling"}, "use it without --ceiling"},
		"several workloads":    {[]string{"sweep", "-f", sweeps, "--benchmark-report", t.TempDir()}, "a report has one load, and PolicySweep workloads has 3 workloads"},
		"a file for a folder":  {[]string{"sweep", "-f", cmdtest.GatesSample(t), "--benchmark-report", file}, "is no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, tc.args...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("exit code %d, %v, output %q; want %s", cli.ExitCode(err), err, out, tc.want)
			}
		})
	}
}

func TestAReportGoesWithRequests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests.parquet")
	with := mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "benchmark-report", "--requests", file)
	if with != mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "benchmark-report") {
		t.Error("--requests changes the report")
	}
	raw := testfile.Read(t, file)
	if rows := cmdtest.ReadRequests(t, raw); len(rows) != 240 {
		t.Errorf("%d requests in the file", len(rows))
	}
}
