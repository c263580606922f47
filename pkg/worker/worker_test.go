// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/servegen"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// recordingCreator keeps what is created.
type recordingCreator struct {
	created []*corev1.ConfigMap
	err     error
}

func (r *recordingCreator) CreateConfigMap(ctx context.Context, cm *corev1.ConfigMap) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	r.created = append(r.created, cm)
	return nil
}

// traceInputs serves one trace under every name.
type traceInputs []byte

func (i traceInputs) ConfigMapKey(context.Context, string, string) ([]byte, error) { return i, nil }
func (traceInputs) OpenFile(string) (io.ReadCloser, error)                         { return nil, compile.ErrNoFiles }
func (traceInputs) OpenVolumeFile(string, string) (io.ReadCloser, error) {
	return nil, compile.ErrOnlyPods
}
func (traceInputs) ParsesTraces() bool           { return false }
func (traceInputs) ProgramLimits() bundle.Limits { return bundle.Limits{} }
func (traceInputs) Parquet() trace.ParquetCodec  { return parquetfile.Codec{} }

func mooncakeTrace(t *testing.T, seed int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := trace.WriteMooncake(&b, 40, seed); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func traceDigest(t *testing.T, seed int64) string { return experiment.Digest(mooncakeTrace(t, seed)) }

// traceSweep is a sweep of a trace.
func traceSweep() *builder.SweepBuilder { return sweepOf("Mooncake") }

func sweepOf(format v1alpha1.TraceFormat) *builder.SweepBuilder {
	return builder.MakeSweep("small", "ns").
		Scenario(builder.Requests(20), builder.TraceFrom(format, "traces", "small.jsonl")).
		Values("replicas", "pools[llama].replicas", "1", "2").Seeds(1, 2)
}

// mountedOptions writes what the operator mounts into a pod, and returns the options
// of the first of two shards.
func mountedOptions(t *testing.T) Options {
	t.Helper()
	return mounted(t, traceSweep().Obj(), mooncakeTrace(t, 1))
}

// mounted is mountedOptions of a sweep of a trace.
func mounted(t *testing.T, sweep *v1alpha1.PolicySweep, recorded []byte) Options {
	t.Helper()
	c, errs, err := compile.Sweep(t.Context(), sweep, traceInputs(recorded))
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileSweep: %v, %v", errs, err)
	}
	owner, err := json.Marshal(Owner{
		Namespace: "ns",
		Labels:    map[string]string{"a": "b"},
		Reference: metav1.OwnerReference{Kind: "PolicySweep", Name: "small", UID: types.UID("u")},
		Prefix:    "small-12345678",
	})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{PlanFolder: t.TempDir(), RoundFolder: t.TempDir(), InputsFolder: t.TempDir(), Shards: 2, Parallelism: 2}
	writeFile(t, filepath.Join(o.PlanFolder, PlanFile), c.Plan.Encode())
	writeFile(t, filepath.Join(o.RoundFolder, OwnerFile), owner)
	writeFile(t, filepath.Join(o.RoundFolder, RoundFile), experiment.Work{}.Encode())
	writeFile(t, filepath.Join(o.InputsFolder, "small.jsonl"), recorded)
	return o
}

func writeFile(t *testing.T, name string, raw []byte) {
	t.Helper()
	testfile.Write(t, name, raw)
}

func TestShardReportsItsResults(t *testing.T) {
	o := mountedOptions(t)
	var r recordingCreator
	report, err := Run(t.Context(), o, &r)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.created) != 1 {
		t.Fatalf("%d ConfigMaps created; want a chunk with the list in it", len(r.created))
	}
	cm := r.created[0]
	if raw := cm.Data[store.ListKey]; cm.Name != report.Results.Name || experiment.Digest([]byte(raw)) != report.Results.SHA256 {
		t.Errorf("reported %+v, created %s with digest %s", report.Results, cm.Name, experiment.Digest([]byte(raw)))
	}
	chunk := listedChunks(t, cm)[0]
	content := store.Chunk{Rows: chunk.Rows, Binary: cm.BinaryData}
	if cm.Name != chunk.Name || content.SHA256() != chunk.SHA256 || report.Results.Rows != chunk.Rows {
		t.Errorf("listed %+v, created %s with digest %s", chunk, cm.Name, content.SHA256())
	}
	if !strings.HasPrefix(cm.Name, "small-12345678-0-0-") || cm.Namespace != "ns" || cm.Labels["a"] != "b" ||
		cm.Immutable == nil || !*cm.Immutable || len(cm.OwnerReferences) != 1 {
		t.Errorf("created %+v", cm.ObjectMeta)
	}
	if rows, err := content.Decode(); err != nil || len(rows) != chunk.Rows {
		t.Errorf("%d rows, %v; reported %d", len(rows), err, chunk.Rows)
	}
}

// The last chunk lists all. An equal chunk has another name where its list is another one, or where it has
// none: a create of a name that is taken counts as done.
func TestTheLastChunkListsAll(t *testing.T) {
	a, b := store.Chunk{Rows: 2, Binary: map[string][]byte{store.RowsKey: []byte("a")}}, store.Chunk{Rows: 3, Binary: map[string][]byte{store.RowsKey: []byte("b")}}
	owner := Owner{Namespace: "ns", Prefix: "small-12345678"}
	names := map[string]bool{}
	for name, chunks := range map[string][]store.Chunk{"a": {a}, "ab": {a, b}, "aa": {a, a}, "ba": {b, a}, "none": nil} {
		made, results := owner.configMaps(7, chunks)
		last := made[len(made)-1]
		list := listedChunks(t, last)
		if len(list) != len(chunks) || results.Name != last.Name || results.SHA256 != experiment.Digest([]byte(last.Data[store.ListKey])) {
			t.Errorf("%s: %d chunks are listed, reported %+v", name, len(list), results)
		}
		rows := 0
		for i, ref := range list {
			rows += ref.Rows
			if ref.Name != made[i].Name || ref.SHA256 != chunks[i].SHA256() {
				t.Errorf("%s: chunk %d is listed as %+v, and its name is %s", name, i, ref, made[i].Name)
			}
		}
		if rows != results.Rows {
			t.Errorf("%s: %d rows, reported %d", name, rows, results.Rows)
		}
		for _, cm := range made {
			names[cm.Name] = true
		}
	}
	// Of ab, aa and ba the first chunks have the names of chunks a and b as they are: a twice.
	if want := 1 + 2 + 1 + 2 + 1; len(names) != want {
		t.Errorf("%d names, want %d: %v", len(names), want, names)
	}
}

// A list of one chunk takes the same bytes whatever the chunk holds. It goes into the chunk as long as
// both together have at most the bytes that the admission policy allows a worker.
func TestAFullLastChunkHasItsListBeside(t *testing.T) {
	owner := Owner{Namespace: "ns", Prefix: "small-12345678", Labels: map[string]string{"a": "b"}}
	of := func(bytes int) []store.Chunk {
		return []store.Chunk{{Rows: 2, Binary: map[string][]byte{store.RowsKey: make([]byte, bytes)}}}
	}
	small, _ := owner.configMaps(7, of(1))
	room := store.MaxChunkBytes - len(small[0].Data[store.ListKey])
	for name, tc := range map[string]struct{ bytes, objects int }{
		"no chunk":                   {0, 1},
		"room for the list":          {room, 1},
		"one byte too many":          {room + 1, 2},
		"a chunk of the full length": {store.MaxChunkBytes, 2},
	} {
		var chunks []store.Chunk
		if tc.bytes > 0 {
			chunks = of(tc.bytes)
		}
		made, results := owner.configMaps(7, chunks)
		last := made[len(made)-1]
		list := listedChunks(t, last)
		_, isList := last.Labels[LabelList]
		if len(made) != tc.objects || len(list) != len(chunks) || results.Name != last.Name || results.Rows != 2*len(chunks) || isList != (len(last.BinaryData) == 0) {
			t.Errorf("%s: %d objects, %d chunks listed, reported %+v, labels %v", name, len(made), len(list), results, last.Labels)
		}
		for i, ref := range list {
			if ref.Name != made[i].Name || ref.SHA256 != chunks[i].SHA256() {
				t.Errorf("%s: chunk %d of name %s is listed as %+v", name, i, made[i].Name, ref)
			}
		}
		for _, cm := range made {
			if n := dataBytes(cm); n > store.MaxChunkBytes {
				t.Errorf("%s: %s holds %d bytes", name, cm.Name, n)
			}
		}
	}
	if len(owner.Labels) != 1 {
		t.Errorf("the owner has the labels %v", owner.Labels)
	}
}

// listedChunks are the chunks that a list names.
func listedChunks(t *testing.T, list *corev1.ConfigMap) []store.Reference {
	t.Helper()
	chunks, err := store.DecodeList([]byte(list.Data[store.ListKey]))
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// A later round's trials are in its file, and what is known is left out.
func TestWorkerSimulatesRestOfARound(t *testing.T) {
	o := mountedOptions(t)
	raw := testfile.Read(t, filepath.Join(o.PlanFolder, PlanFile))
	plan, err := experiment.DecodePlan(raw)
	if err != nil {
		t.Fatal(err)
	}
	st, err := study.New(plan)
	if err != nil {
		t.Fatal(err)
	}
	later := *st.Round()
	later.Index = 3
	writeFile(t, filepath.Join(o.RoundFolder, RoundFile), plan.Work(&later, []int{0, 3}).Encode())
	o.Shards = 1
	var r recordingCreator
	report, err := Run(t.Context(), o, &r)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := store.Chunk{Binary: r.created[0].BinaryData}.Decode()
	if err != nil || report.Round != 3 || len(rows) != 2 {
		t.Fatalf("%d rows of round %d, %v; want two of round 3", len(rows), report.Round, err)
	}
	for i, want := range []int{0, 3} {
		of := st.Round().At(want)
		if rows[i].Point != of.Point.ID || rows[i].Seed != of.Seed {
			t.Errorf("row %d is of point %d, seed %d; want simulation %d", i, rows[i].Point, rows[i].Seed, want)
		}
	}
}

func TestWorkerWritesKeptDecisionsAndSeries(t *testing.T) {
	o := mountedOptions(t)
	run := builder.MakeRun("small", "ns").Scenario(builder.Requests(20)).Seeds(1, 2).Obj()
	run.Spec.Trace = v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace, Series: &v1alpha1.SeriesTrace{}}
	c, errs, err := compile.Run(t.Context(), run, traceInputs(mooncakeTrace(t, 1)))
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileRun: %v, %v", errs, err)
	}
	writeFile(t, filepath.Join(o.PlanFolder, PlanFile), c.Plan.Encode())
	o.Shards = 1
	var r recordingCreator
	if _, err := Run(t.Context(), o, &r); err != nil {
		t.Fatal(err)
	}
	cm, chunks := r.created[0], listedChunks(t, r.created[0])
	content := store.Chunk{Rows: 2, Data: cm.Data, Binary: cm.BinaryData}
	if len(cm.BinaryData[store.DecisionsKey]) == 0 || content.SHA256() != chunks[0].SHA256 {
		t.Errorf("%d bytes of decisions; the digest is %s, reported %s",
			len(cm.BinaryData[store.DecisionsKey]), content.SHA256(), chunks[0].SHA256)
	}
	if series, err := store.ReadSeries([]store.Chunk{content}); err != nil || series == nil || series.Runs != 2 {
		t.Errorf("series are %+v: %v", series, err)
	}
	for _, key := range []string{store.DecisionsKey, store.SeriesKey} {
		without := store.Chunk{Rows: 2, Data: cm.Data, Binary: maps.Clone(cm.BinaryData)}
		delete(without.Binary, key)
		if without.SHA256() == chunks[0].SHA256 {
			t.Errorf("the digest is not of %s", key)
		}
	}
}

func TestPodsOfAShardWriteTheSame(t *testing.T) {
	o := mountedOptions(t)
	var first, second recordingCreator
	if _, err := Run(t.Context(), o, &first); err != nil {
		t.Fatal(err)
	}
	o.Parallelism = 1
	if _, err := Run(t.Context(), o, &second); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.created, second.created); diff != "" {
		t.Errorf("objects (−first +second):\n%s", diff)
	}
}

// runAndStopAfter runs a shard that is told to stop after so many simulations.
func runAndStopAfter(t *testing.T, o Options, simulations int, r *recordingCreator) (store.Report, error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o.Parallelism = 1
	o.Progress = func(done int) {
		if done == simulations {
			stop()
		}
	}
	if simulations == 0 {
		stop()
	}
	return Run(ctx, o, r)
}

func TestStoppedShardReportsCompleteRows(t *testing.T) {
	o := mountedOptions(t)
	o.Shards = 1
	var whole recordingCreator
	if _, err := Run(t.Context(), o, &whole); err != nil {
		t.Fatal(err)
	}
	all := decodeRows(t, whole.created[0])
	for done := range all {
		var r recordingCreator
		report, err := runAndStopAfter(t, o, done, &r)
		if want := fmt.Sprintf("received a stop signal: %d of 4 simulations are done", done); !errors.Is(err, ErrStopped) || errors.Is(err, ErrBadInput) || report.Error != want {
			t.Errorf("stopped after %d: error %v, report %+v; want %s", done, err, report, want)
		}
		if done == 0 {
			if len(r.created) > 0 || report.Results != nil || report.Partial {
				t.Errorf("before its first simulation ends it reports %+v", report)
			}
			continue
		}
		if report.Results == nil || !report.Partial || report.Results.Rows != done {
			t.Fatalf("stopped after %d it reports %+v", done, report)
		}
		if diff := cmp.Diff(all[:done], decodeRows(t, r.created[0])); diff != "" {
			t.Errorf("rows (-of the whole shard +until it was stopped):\n%s", diff)
		}
	}
}

// It has time to write what is done, and then nothing is missing.
func TestShardStoppedAtItsEndIsComplete(t *testing.T) {
	o := mountedOptions(t)
	var want, got recordingCreator
	whole, err := Run(t.Context(), o, &want)
	if err != nil {
		t.Fatal(err)
	}
	report, err := runAndStopAfter(t, o, whole.Results.Rows, &got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.created, got.created); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func decodeRows(t *testing.T, cm *corev1.ConfigMap) []result.Row {
	t.Helper()
	rows, err := store.Chunk{Binary: cm.BinaryData}.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestBadInputIsPermanent(t *testing.T) {
	tests := map[string]struct {
		spoil func(t *testing.T, o *Options)
		want  string
	}{
		"no plan": {
			spoil: func(_ *testing.T, o *Options) { o.PlanFolder = o.InputsFolder },
			want:  PlanFile,
		},
		"a plan that is cut": {
			spoil: func(t *testing.T, o *Options) {
				writeFile(t, filepath.Join(o.PlanFolder, PlanFile), []byte(`{"schemaVersion":`))
			},
			want: "decode plan",
		},
		"no trace": {
			spoil: func(_ *testing.T, o *Options) { o.InputsFolder = o.PlanFolder },
			want:  "small.jsonl",
		},
		"another trace than the planned one": {
			spoil: func(t *testing.T, o *Options) {
				writeFile(t, filepath.Join(o.InputsFolder, "small.jsonl"), mooncakeTrace(t, 2))
			},
			want: "trace ConfigMap/traces/small.jsonl: its sha256 is not " + traceDigest(t, 1) + ", which the plan is for",
		},
		"a trace that a link leads out of the volume to": {
			spoil: func(t *testing.T, o *Options) {
				secret := filepath.Join(t.TempDir(), "token")
				writeFile(t, secret, mooncakeTrace(t, 1))
				name := filepath.Join(o.InputsFolder, "small.jsonl")
				if err := errors.Join(os.Remove(name), os.Symlink(secret, name)); err != nil {
					t.Fatal(err)
				}
			},
			want: "path escapes from parent",
		},
		"a folder in a trace's place": {
			spoil: func(t *testing.T, o *Options) {
				name := filepath.Join(o.InputsFolder, "small.jsonl")
				if err := errors.Join(os.Remove(name), os.Mkdir(name, 0o700)); err != nil {
					t.Fatal(err)
				}
			},
			want: "small.jsonl is a folder, but no ServeGen folder: there is no chunk-*-trace.csv",
		},
		"a trace of no format": {
			spoil: func(t *testing.T, o *Options) {
				writeFile(t, filepath.Join(o.InputsFolder, "small.jsonl"), []byte("hello\n"))
			},
			want: "trace ConfigMap/traces/small.jsonl: its sha256 is not ",
		},
		"a shard that there is not": {
			spoil: func(_ *testing.T, o *Options) { o.Index = 2 },
			want:  "shard 2 of 2",
		},
		"a round of another plan": {
			spoil: func(t *testing.T, o *Options) {
				writeFile(t, filepath.Join(o.RoundFolder, RoundFile), experiment.Work{Skip: [][2]int{{0, 99}}}.Encode())
			},
			want: "are none of its",
		},
		"a round that is cut": {
			spoil: func(t *testing.T, o *Options) { writeFile(t, filepath.Join(o.RoundFolder, RoundFile), []byte("x")) },
			want:  "decode the work of a round",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := mountedOptions(t)
			tc.spoil(t, &o)
			var r recordingCreator
			report, err := Run(t.Context(), o, &r)
			if !errors.Is(err, ErrBadInput) || !strings.Contains(report.Error, tc.want) {
				t.Errorf("error %v, report %+v; want bad input with %q", err, report, tc.want)
			}
			if len(r.created) > 0 || report.Results != nil {
				t.Error("half a result was left")
			}
		})
	}
}

// A user of a sweep may name any file of an image or of a claim, and learns nothing of what is in it
// without its digest.
func TestAFileOfAnotherDigestIsNotQuoted(t *testing.T) {
	folder := t.TempDir()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte("password: hunter2\nrow,2\n"))
	_ = z.Close()
	files := map[string][]byte{
		"words": []byte("password: hunter2\n"), "json": []byte(`{"hunter2": 1}` + "\n"), "csv": []byte("hunter2,b\n1,2\n"),
		"words.gz": zipped.Bytes(), "half.gz": zipped.Bytes()[:zipped.Len()-9], "parquet": []byte("PAR1hunter2PAR1"), "none": nil,
	}
	plan := &experiment.Plan{}
	for name, raw := range files {
		writeFile(t, filepath.Join(folder, name), raw)
		for _, format := range trace.Formats() {
			for where, in := range map[string]experiment.TraceInput{
				"image": {Image: &v1alpha1.ImageFile{Reference: "traces", Path: v1alpha1.VolumePath(name)}},
				"claim": {PersistentVolumeClaim: &v1alpha1.VolumeClaimFile{ClaimName: "traces", Path: v1alpha1.VolumePath(name)}},
			} {
				in.Format, in.SHA256 = v1alpha1.TraceFormat(format), strings.Repeat("a", 64)
				_, err := readTrace(plan, &in, folder, experiment.Reading{Parquet: parquetfile.Codec{}})
				if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "row 1:") && !strings.Contains(err.Error(), "read:") {
					t.Errorf("%s of %s as %s: %v", name, where, format, err)
				}
				if digest := fmt.Sprintf("%x", sha256.Sum256(raw)); err != nil && strings.Contains(err.Error(), digest) {
					t.Errorf("%s of %s as %s: the error has the digest", name, where, format)
				}
			}
		}
	}
}

// planFor makes a text the trace that a plan was made for.
func planFor(t *testing.T, o Options, text string) {
	t.Helper()
	name := filepath.Join(o.PlanFolder, PlanFile)
	raw := testfile.Read(t, name)
	plan, err := experiment.DecodePlan(raw)
	if err != nil {
		t.Fatal(err)
	}
	plan.Trace.SHA256 = experiment.Digest([]byte(text))
	writeFile(t, name, plan.Encode())
	writeFile(t, filepath.Join(o.InputsFolder, "small.jsonl"), []byte(text))
}

// The manager does not parse the trace, so the pod tells of it what a laptop would.
func TestInvalidTraceIsReportedAsFieldError(t *testing.T) {
	tests := map[string]struct {
		text   string
		memory int64
		want   string
	}{
		"a row that is none": {
			text: string(mooncakeTrace(t, 1)) + "{\"timestamp\": -1}\n",
			want: `spec.scenario.workload.trace.configMapRef: Invalid value: "small.jsonl": trace ConfigMap/traces/small.jsonl: row 41: timestamp: `,
		},
		"rows that wait for answers, and more than the pod's memory holds": {
			text: workloadtest.SessionTrace, memory: 128,
			want: "blocks take about 0 MiB of memory up to here, and there are 0 MiB: give more, or use fewer rows",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := mountedOptions(t)
			o.MemoryBytes = tc.memory
			planFor(t, o, tc.text)
			var r recordingCreator
			report, err := Run(t.Context(), o, &r)
			if !errors.Is(err, ErrBadInput) || !report.Invalid || !strings.Contains(report.Error, tc.want) || len(r.created) > 0 {
				t.Fatalf("error %v, report %+v; want an invalid input: %s", err, report, tc.want)
			}
			_, errs, err := compile.Sweep(t.Context(), traceSweep().Obj(), parsedTraceInputs{[]byte(tc.text)})
			if err != nil || tc.memory == 0 && (len(errs) != 1 || errs[0].Error() != report.Error) {
				t.Errorf("a laptop says %v, %v; the pod %s", errs, err, report.Error)
			}
		})
	}
}

// A pod that has no memory for a trace reads its file in each simulation.
func TestATraceMayBeLargerThanThePodsMemory(t *testing.T) {
	var results [2][]*corev1.ConfigMap
	for i, memory := range []int64{0, 2048} {
		o := mountedOptions(t)
		o.MemoryBytes = memory
		var r recordingCreator
		if _, err := Run(t.Context(), o, &r); err != nil {
			t.Fatal(err)
		}
		results[i] = r.created
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" || len(results[0]) == 0 {
		t.Errorf("%d results (-in memory +read as it goes):\n%s", len(results[0]), diff)
	}
}

// A pod reads a trace as Parquet where its process has the codec, also beyond its memory.
func TestPodsReadParquet(t *testing.T) {
	var columns bytes.Buffer
	if _, err := trace.Convert(trace.Mooncake, trace.Options{Parquet: parquetfile.Codec{}}, bytes.NewReader(mooncakeTrace(t, 1)), "t", trace.Parquet, &columns); err != nil {
		t.Fatal(err)
	}
	o := mounted(t, sweepOf(v1alpha1.ParquetTrace).Obj(), columns.Bytes())
	var r recordingCreator
	if _, err := Run(t.Context(), o, &r); !errors.Is(err, ErrBadInput) || !strings.Contains(err.Error(), "the format Parquet is not read here") {
		t.Errorf("without the codec: %v", err)
	}
	o.Parquet = parquetfile.Codec{}
	for _, memory := range []int64{0, 2048} {
		o.MemoryBytes = memory
		if report, err := Run(t.Context(), o, &r); err != nil || report.Results.Rows != 2 {
			t.Errorf("with %d bytes of memory: %+v, %v", memory, report, err)
		}
	}
}

// A ServeGen folder in a volume is the archive of it, also where the root of the volume has
// other files.
func TestPodsReadAServeGenFolder(t *testing.T) {
	day := os.DirFS(filepath.Join("..", "workload", "servegen", "testdata", "day"))
	in, err := servegen.Archive(day)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	o := mounted(t, sweepOf(v1alpha1.ServeGenTrace).Obj(), archive)
	var results [2][]*corev1.ConfigMap
	for i := range results {
		var r recordingCreator
		if _, err := Run(t.Context(), o, &r); err != nil {
			t.Fatal(err)
		}
		results[i] = r.created
		name := filepath.Join(o.InputsFolder, "small.jsonl")
		if err := errors.Join(os.RemoveAll(name), os.CopyFS(name, day)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" || len(results[0]) == 0 {
		t.Errorf("%d results (-of the archive +of the folder):\n%s", len(results[0]), diff)
	}
}

// parsedTraceInputs are inputs as a laptop reads them.
type parsedTraceInputs struct{ traceInputs }

func (parsedTraceInputs) ParsesTraces() bool { return true }

func TestTraceMayBeALinkInItsVolume(t *testing.T) {
	o := mountedOptions(t)
	name := filepath.Join(o.InputsFolder, "small.jsonl")
	err := errors.Join(
		os.Mkdir(filepath.Join(o.InputsFolder, "..2026_01_01"), 0o700),
		os.Rename(name, filepath.Join(o.InputsFolder, "..2026_01_01", "small.jsonl")),
		os.Symlink("..2026_01_01", filepath.Join(o.InputsFolder, "..data")),
		os.Symlink("..data/small.jsonl", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o, &recordingCreator{}); err != nil {
		t.Error(err)
	}
}

// Two traces with names lie in folders of their own. The shards give the rows of both.
func TestSeveralTracesLieInFolders(t *testing.T) {
	sweep := traceSweep().Obj()
	workload := &sweep.Spec.Scenario.Workload
	workload.Traces = []v1alpha1.NamedTrace{{Name: "day", Trace: *workload.Trace}, {Name: "night", Trace: *workload.Trace}}
	workload.Trace = nil
	c, errs, err := compile.Sweep(t.Context(), sweep, parsedTraceInputs{mooncakeTrace(t, 1)})
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileSweep: %v, %v", errs, err)
	}
	want := experimenttest.MustRunLocally(t, c, execute.Options{Parallelism: 1}).Rows()

	o := mountedOptions(t)
	writeFile(t, filepath.Join(o.PlanFolder, PlanFile), c.Plan.Encode())
	o.InputsFolder = t.TempDir()
	for i := range workload.Traces {
		folder := filepath.Join(o.InputsFolder, TraceFolder(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(folder, "small.jsonl"), mooncakeTrace(t, 1))
	}
	plan, err := experiment.DecodePlan(c.Plan.Encode())
	if err != nil {
		t.Fatal(err)
	}
	traces, err := o.readTraces(plan)
	if err != nil {
		t.Fatal(err)
	}
	got := experimenttest.MustRunLocally(t, &compile.Compiled{Plan: plan, Traces: traces}, execute.Options{Parallelism: 1}).Rows()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Key != want[i].Key || !got[i].Metrics.Equal(want[i].Metrics) {
			t.Errorf("row %d of the pod differs from the laptop's", i)
		}
	}

	writeFile(t, filepath.Join(o.InputsFolder, TraceFolder(1), "small.jsonl"), mooncakeTrace(t, 2))
	if _, err := o.readTraces(plan); err == nil || !strings.Contains(err.Error(), "it is another trace, or it has changed") {
		t.Errorf("a changed trace: %v", err)
	}
	writeFile(t, filepath.Join(o.InputsFolder, TraceFolder(1), "small.jsonl"), []byte("x"))
	plan.Traces[1].SHA256 = experiment.Digest([]byte("x"))
	if _, err := o.readTraces(plan); err == nil || !strings.Contains(err.Error(), "spec.scenario.workload.traces[1].configMapRef") {
		t.Errorf("a malformed trace: %v", err)
	}
}

func TestTraceOfVolumeGivesSameRowsAsOfConfigMap(t *testing.T) {
	o := mountedOptions(t)
	var fromConfigMap, fromVolume recordingCreator
	if _, err := Run(t.Context(), o, &fromConfigMap); err != nil {
		t.Fatal(err)
	}
	sweep := traceSweep().Obj()
	sweep.Spec.Scenario.Workload.Trace.ConfigMapRef = nil
	sweep.Spec.Scenario.Workload.Trace.PersistentVolumeClaim = &v1alpha1.VolumeClaimFile{ClaimName: "traces", Path: "2026/day.jsonl"}
	sweep.Spec.Scenario.Workload.Trace.SHA256 = traceDigest(t, 1)
	c, errs, err := compile.Sweep(t.Context(), sweep, traceInputs(nil))
	if err != nil || len(errs) > 0 || len(c.Traces) > 0 {
		t.Fatalf("CompileSweep: %v, %v, trace %v; want none: nobody gave it", errs, err, c.Traces)
	}
	writeFile(t, filepath.Join(o.PlanFolder, PlanFile), c.Plan.Encode())
	o.InputsFolder = t.TempDir()
	if err := os.Mkdir(filepath.Join(o.InputsFolder, "2026"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(o.InputsFolder, "2026", "day.jsonl"), mooncakeTrace(t, 1))
	if _, err := Run(t.Context(), o, &fromVolume); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromConfigMap.created, fromVolume.created); diff != "" {
		t.Errorf("objects (−from a ConfigMap +from a volume):\n%s", diff)
	}
}

func TestStorageErrorCanBeRetried(t *testing.T) {
	tests := map[string]struct {
		err  error
		want bool // bad input
	}{
		"a file that is not there": {&fs.PathError{Op: "stat", Err: syscall.ENOENT}, true},
		"a file of somebody else":  {&fs.PathError{Op: "open", Err: syscall.EACCES}, true},
		"a text that is wrong":     {errors.New("row 1"), true},
		"a server that is away":    {fmt.Errorf("row 7: read: %w", &fs.PathError{Op: "read", Err: syscall.ESTALE}), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := markBadInput(tc.err); errors.Is(err, ErrBadInput) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("got %v, bad input: %t", err, !tc.want)
			}
		})
	}
}

func TestRejectedResultCanBeRetried(t *testing.T) {
	r := recordingCreator{err: errors.New("no room")}
	report, err := Run(t.Context(), mountedOptions(t), &r)
	if err == nil || errors.Is(err, ErrBadInput) || report.Results != nil || !strings.Contains(report.Error, "no room") {
		t.Errorf("error %v, report %+v", err, report)
	}
}
