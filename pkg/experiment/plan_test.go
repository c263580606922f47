// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// fakeInputs holds ConfigMap keys as name/key.
type fakeInputs map[string][]byte

func (f fakeInputs) ConfigMapKey(_ context.Context, name, key string) ([]byte, error) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, BinaryData: map[string][]byte{}}
	for path, raw := range f {
		if in, key, _ := strings.Cut(path, "/"); in == name {
			cm.BinaryData[key] = raw
		}
	}
	return compile.ConfigMapKey(cm, key)
}

func (fakeInputs) File(string) ([]byte, error) { return nil, compile.ErrNoFiles }

func (f fakeInputs) VolumeFile(volume, path string) ([]byte, error) {
	if raw, ok := f[volume+"/"+path]; ok {
		return raw, nil
	}
	return nil, compile.ErrOnlyPods
}

func (fakeInputs) ParsesTraces() bool { return true }

// clusterInputs are inputs as a manager reads them.
type clusterInputs struct{ fakeInputs }

func (clusterInputs) ParsesTraces() bool { return false }

func traceInputs(t testing.TB) fakeInputs {
	t.Helper()
	var b bytes.Buffer
	if err := workload.WriteMooncake(&b, 60, 1); err != nil {
		t.Fatal(err)
	}
	return fakeInputs{"traces/small.jsonl": b.Bytes()}
}

func readSet(t testing.TB, name string) *manifest.Set {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := manifest.Read(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func testSweep(t testing.TB) *v1alpha1.PolicySweep {
	return readSet(t, "testdata/sweep.yaml").Sweeps[0]
}

func testRun(t testing.TB) *v1alpha1.SimulationRun {
	return readSet(t, "testdata/run.yaml").Runs[0]
}

func mustCompileSweep(t testing.TB, sweep *v1alpha1.PolicySweep) *compile.Compiled {
	t.Helper()
	c, errs, err := compile.Sweep(t.Context(), sweep, traceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileSweep: %v, %v", errs, err)
	}
	return c
}

func mustSimulate(t testing.TB, c *compile.Compiled, span experiment.Span) []experiment.Simulation {
	t.Helper()
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Trace, firstRound(t, c.Plan), span.Indices(), execute.Options{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	return simulations
}

func firstRound(t testing.TB, p *experiment.Plan) *experiment.Round {
	t.Helper()
	one, err := study.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return one.Round()
}

func all(t testing.TB, p *experiment.Plan) experiment.Span {
	t.Helper()
	return firstRound(t, p).All()
}

// split returns the rows and the documents of simulations.
func split(simulations []experiment.Simulation) ([]result.Row, []*result.Document) {
	rows := make([]result.Row, len(simulations))
	var documents []*result.Document
	for i, s := range simulations {
		rows[i] = s.Row
		if s.Document != nil {
			documents = append(documents, s.Document)
		}
	}
	return rows, documents
}

func encodeRows(t testing.TB, simulations []experiment.Simulation) string {
	t.Helper()
	rows, _ := split(simulations)
	var b bytes.Buffer
	if err := result.WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPlanSurvivesItsEncoding(t *testing.T) {
	c := mustCompileSweep(t, testSweep(t))
	decoded, err := experiment.DecodePlan(c.Plan.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if c.Plan.Hash() != decoded.Hash() {
		t.Error("the decoded plan has another hash")
	}
	if diff := cmp.Diff(firstRound(t, c.Plan).Trials, firstRound(t, decoded).Trials); diff != "" {
		t.Errorf("trials (−compiled +decoded):\n%s", diff)
	}
	again := &compile.Compiled{Plan: decoded, Trace: c.Trace}
	if diff := cmp.Diff(encodeRows(t, mustSimulate(t, c, all(t, c.Plan))), encodeRows(t, mustSimulate(t, again, all(t, decoded)))); diff != "" {
		t.Errorf("rows (−compiled +decoded):\n%s", diff)
	}
}

func TestAPlanOfAnotherEngineIsRefused(t *testing.T) {
	raw := mustCompileSweep(t, testSweep(t)).Plan.Encode()
	for _, edit := range [][2]string{
		{`"engineVersion":"`, `"engineVersion":"0`},
		{experiment.PlanSchemaVersion, "windtunnel.dev/plan/v0"},
		{`"seeds":`, `"seedz":`},
	} {
		if _, err := experiment.DecodePlan([]byte(strings.Replace(string(raw), edit[0], edit[1], 1))); err == nil {
			t.Errorf("a plan with %s was decoded", edit[1])
		}
	}
}

func TestTheSameSpecGivesTheSamePlan(t *testing.T) {
	first, second := mustCompileSweep(t, testSweep(t)).Plan, mustCompileSweep(t, testSweep(t)).Plan
	if diff := cmp.Diff(string(first.Encode()), string(second.Encode())); diff != "" {
		t.Errorf("plans (−first +second):\n%s", diff)
	}
}

func TestRowsDoNotDependOnShards(t *testing.T) {
	c := mustCompileSweep(t, testSweep(t))
	whole := encodeRows(t, mustSimulate(t, c, all(t, c.Plan)))
	for _, n := range []int{2, 3} {
		var parts string
		for i := range n {
			which := firstRound(t, c.Plan).Part(all(t, c.Plan).Indices(), i, n)
			parts += encodeRows(t, mustSimulate(t, c, experiment.Span{First: which[0], End: which[0] + len(which)}))
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Errorf("rows of one shard and of %d (−one +%d):\n%s", n, n, diff)
		}
	}
}

func TestEveryPointSeesTheSameSeeds(t *testing.T) {
	c := mustCompileSweep(t, testSweep(t))
	rows, _ := split(mustSimulate(t, c, all(t, c.Plan)))
	keys := map[string]bool{}
	for i, row := range rows {
		if want := c.Plan.Seeds[i%len(c.Plan.Seeds)]; row.Seed != want || row.Point != i/len(c.Plan.Seeds) {
			t.Errorf("row %d is point %d, seed %d", i, row.Point, row.Seed)
		}
		if keys[row.Key] {
			t.Errorf("row %d has the key of another one", i)
		}
		keys[row.Key] = true
	}
}

func TestWhatDoesNotChangeTheKey(t *testing.T) {
	base, _ := split(mustSimulate(t, mustCompileSweep(t, testSweep(t)), experiment.Span{End: 1}))
	tests := map[string]func(*v1alpha1.PolicySweep){
		"how it is executed":     func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Shards = 7 },
		"its name":               func(s *v1alpha1.PolicySweep) { s.Name = "other" },
		"what it is compared to": func(s *v1alpha1.PolicySweep) { s.Spec.Baseline = nil },
		"a weight's trailing zero": func(s *v1alpha1.PolicySweep) {
			text := strings.Replace(*s.Spec.Scenario.Router.EndpointPickerConfig.Inline, "weight: 2}", "weight: 2.0}", 1)
			s.Spec.Scenario.Router.EndpointPickerConfig.Inline = &text
		},
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			sweep := testSweep(t)
			edit(sweep)
			rows, _ := split(mustSimulate(t, mustCompileSweep(t, sweep), experiment.Span{End: 1}))
			if rows[0].Key != base[0].Key {
				t.Error("the key changed")
			}
		})
	}
}

func TestRowsWithOtherMetricsHaveOtherKeys(t *testing.T) {
	sweep := testSweep(t)
	base, _ := split(mustSimulate(t, mustCompileSweep(t, sweep), experiment.Span{End: 1}))
	sweep.Spec.Objectives[0].Metric = "ttft.p99{tenant=default}"
	other, _ := split(mustSimulate(t, mustCompileSweep(t, sweep), experiment.Span{End: 1}))
	if base[0].Key == other[0].Key || base[0].Metrics.Len() == other[0].Metrics.Len() {
		t.Errorf("keys %s and %s, %d and %d metrics", base[0].Key, other[0].Key, base[0].Metrics.Len(), other[0].Metrics.Len())
	}
}

func TestASimulationThatNoConfigMapHolds(t *testing.T) {
	_, err := store.Chunks([]experiment.Simulation{{Row: result.Row{Key: strings.Repeat("x", store.MaxChunkBytes), Share: 1}}})
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("error is %v", err)
	}
}

func TestARunHasOnePointAndDocuments(t *testing.T) {
	c, errs, err := compile.Run(t.Context(), testRun(t), fakeInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileRun: %v, %v", errs, err)
	}
	one, err := study.New(c.Plan)
	if err != nil {
		t.Fatal(err)
	}
	rows, documents := split(mustSimulate(t, c, all(t, c.Plan)))
	if err := one.AddRows(rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || len(documents) != 2 {
		t.Fatalf("%d rows and %d documents, want one of each a seed", len(rows), len(documents))
	}
	var status v1alpha1.SimulationRunStatus
	study.FillStatus(&status.CommonStatus, c.Plan)
	if err := study.FillRun(&status, one); err != nil {
		t.Fatal(err)
	}
	if status.Progress.Completed != 2 || len(status.Metrics) == 0 {
		t.Errorf("status is %+v", status)
	}
}

func TestAFileOnAClusterIsTheUsersMistake(t *testing.T) {
	sweep := testSweep(t)
	name := "trace.jsonl"
	sweep.Spec.Scenario.Workload.Trace.File = &name
	sweep.Spec.Scenario.Workload.Trace.ConfigMapRef = nil
	_, errs, err := compile.Sweep(t.Context(), sweep, traceInputs(t))
	if err != nil || len(errs) != 1 || errs[0].Field != "spec.scenario.workload.trace.file" {
		t.Fatalf("CompileSweep: %v, %v", errs, err)
	}
	if compile.MissingInputs(errs) {
		t.Error("it counts as missing, as if it could appear")
	}
}

func TestAMissingConfigMapMayAppear(t *testing.T) {
	_, errs, err := compile.Sweep(t.Context(), testSweep(t), fakeInputs{})
	if err != nil || !compile.MissingInputs(errs) {
		t.Fatalf("CompileSweep: %v, %v; want only missing inputs", errs, err)
	}
}

func TestChunksHoldAllRowsInOrder(t *testing.T) {
	var many []experiment.Simulation
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		values := map[string]float64{}
		for _, m := range result.RegisteredMetrics() {
			values[m.String()] = r.Float64()
		}
		many = append(many, experiment.Simulation{Row: result.Row{Key: "k", Point: i, Share: 1, Metrics: result.NewMetrics(values)}})
	}
	chunks, err := store.Chunks(many)
	if err != nil {
		t.Fatal(err)
	}
	if len(chunks) < 2 {
		t.Fatalf("%d rows fit into %d chunk", len(many), len(chunks))
	}
	var text string
	rows := 0
	for i, chunk := range chunks {
		if size := len(chunk.Binary[store.RowsKey]); size > store.MaxChunkBytes || i < len(chunks)-1 && size < store.MaxChunkBytes*9/10 {
			t.Errorf("chunk %d has %d bytes", i, size)
		}
		decoded, err := chunk.Decode()
		if err != nil || len(decoded) != chunk.Rows {
			t.Fatalf("chunk %d: %d rows, says %d: %v", i, len(decoded), chunk.Rows, err)
		}
		lines, err := chunk.Lines()
		if err != nil {
			t.Fatal(err)
		}
		text += string(lines)
		rows += chunk.Rows
	}
	if rows != len(many) || text != encodeRows(t, many) {
		t.Errorf("%d of %d rows, or in another order", rows, len(many))
	}
}

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
