// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/workload/servegen"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ErrBadInput says that trying again gives the same failure: the plan or an
// input is not what it must be.
var ErrBadInput = errors.New("bad input")

// BadInputExitCode is how a worker's process ends with ErrBadInput: EX_DATAERR of sysexits.h.
// It is not 2, with which a Go program also ends when it panics, when it runs out of memory,
// and when it is process 1 of a container and receives SIGTERM before it handles signals.
const BadInputExitCode = 65

// invalidTrace says that the trace is none, by the error of the field that names it.
type invalidTrace struct{ field *field.Error }

func (e invalidTrace) Error() string { return e.field.Error() }

// ErrStopped says that the shard received the signal to stop before its end. What it had
// simulated by then is written and reported.
var ErrStopped = errors.New("received a stop signal")

// shutdownTime is how long a shard that receives the signal to stop may take to write what it has:
// less than a pod is given.
const shutdownTime = 20 * time.Second

// Names of the files that the operator mounts.
const (
	// PlanFile is the encoded plan.
	PlanFile = "plan.json"
	// OwnerFile is the Owner of the results, and RoundFile what is to be simulated
	// of which round of the plan.
	OwnerFile = "owner.json"
	RoundFile = experiment.WorkKey
)

// LabelList marks a ConfigMap that lists the chunks of a shard, and is no chunk itself.
const LabelList = "sim.windtunnel.dev/list"

// Owner is the object that owns the results.
type Owner struct {
	Namespace string                `json:"namespace"`
	Labels    map[string]string     `json:"labels"`
	Reference metav1.OwnerReference `json:"reference"`
	// Prefix begins the names of the result ConfigMaps.
	Prefix string `json:"prefix"`
}

// Creator creates ConfigMaps. An error that says the name is taken counts as
// success, since the name carries the content's digest.
type Creator interface {
	CreateConfigMap(ctx context.Context, cm *corev1.ConfigMap) error
}

// Options say what to simulate.
type Options struct {
	// PlanFolder holds PlanFile, RoundFolder holds OwnerFile and RoundFile, and
	// InputsFolder what holds the trace.
	PlanFolder, RoundFolder, InputsFolder string
	// Index is this shard's, of Shards.
	Index, Shards int
	// Parallelism is the number of simulations at once.
	Parallelism int
	// Live, if set, plays a case in place of the simulator.
	Live Live
	// Fence runs code in policy bundles; nil runs it in this process.
	Fence execute.Fence
	// MemoryBytes is what there is of memory; 0 where nothing bounds it.
	MemoryBytes int64
	// Parquet reads traces of the format Parquet.
	Parquet trace.ParquetCodec
	// Progress, if set, receives how many simulations are done. Calls do not overlap.
	Progress func(done int)
	// Ticks are when to look whether progress is worth a write; nil for never.
	Ticks <-chan time.Time
}

// Live plays a case before a real EPP.
type Live func(context.Context, *experiment.Plan, trace.Set, experiment.Case) (experiment.Simulation, store.Rehearsal, error)

// Run simulates a shard and returns what to report. On an error the report
// says it in words. If ctx ends first, Run drops the simulations that run, and
// reports those that are done together with ErrStopped.
func Run(ctx context.Context, o Options, creator Creator) (store.Report, error) {
	report := store.Report{Shard: o.Index}
	err := o.run(ctx, creator, &report)
	if err != nil {
		report.Error = err.Error()
	}
	if invalid := (invalidTrace{}); errors.As(err, &invalid) {
		report.Error, report.Invalid = invalid.Error(), true
	}
	return report, err
}

func (o Options) run(ctx context.Context, creator Creator, report *store.Report) error {
	w, err := o.readInput()
	if err != nil {
		return markBadInput(err)
	}
	report.PlanHash, report.Round = w.plan.Hash(), w.round.Index
	if o.Index < 0 || o.Index >= o.Shards {
		return fmt.Errorf("%w: shard %d of %d", ErrBadInput, o.Index, o.Shards)
	}
	which := w.round.Part(w.simulations, o.Index, o.Shards)
	simulations, err := o.results(ctx, creator, w, which, report)
	if err != nil && ctx.Err() == nil {
		return markPermanent(err)
	}
	var stopped error
	if len(simulations) < len(which) {
		stopped = fmt.Errorf("%w: %d of %d simulations are done", ErrStopped, len(simulations), len(which))
	}
	if stopped != nil && len(simulations) == 0 {
		return stopped
	}
	ctx, cancel := withShutdownTime(ctx)
	defer cancel()
	if report.Results, err = w.owner.WriteResults(ctx, creator, o.Index, simulations); err != nil {
		return err
	}
	report.Partial = stopped != nil
	return stopped
}

// results are those of a shard. A live run has one.
func (o Options) results(ctx context.Context, creator Creator, w shardInput, which []int, report *store.Report) ([]experiment.Simulation, error) {
	if o.Live == nil {
		return o.simulate(ctx, creator, w, which)
	}
	if len(which) != 1 {
		return nil, fmt.Errorf("%w: a live run is one simulation, and these are %d", ErrBadInput, len(which))
	}
	s, rehearsal, err := o.Live(ctx, w.plan, w.traces, w.round.At(which[0]))
	if err != nil {
		return nil, err
	}
	report.Rehearsal = &rehearsal
	return []experiment.Simulation{s}, nil
}

// simulate simulates a shard, and tells of its progress meanwhile.
func (o Options) simulate(ctx context.Context, creator Creator, w shardInput, which []int) ([]experiment.Simulation, error) {
	var done atomic.Int64
	var teller sync.WaitGroup
	defer teller.Wait()
	telling, end := context.WithCancel(ctx)
	defer end()
	teller.Go(func() { w.owner.writeProgress(telling, creator, o.Ticks, o.Index, len(which), &done) })
	return execute.Simulate(ctx, w.plan, w.traces, w.round, which, execute.Options{
		Parallelism: o.Parallelism, KeepDecisions: true, Series: w.plan.Series, Fence: o.Fence,
		Progress: func(n int) {
			done.Store(int64(n))
			if o.Progress != nil {
				o.Progress(n)
			}
		},
	})
}

// withShutdownTime returns a context like ctx that ends some time after it, so that what
// is done can still be written.
func withShutdownTime(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		last, done := context.WithTimeout(longer, shutdownTime)
		defer done()
		<-last.Done()
	})
	return longer, func() {
		stop()
		cancel()
	}
}

// WriteResults writes a shard's simulations, and returns a reference to the list of them.
func (w *Owner) WriteResults(ctx context.Context, creator Creator, shard int, simulations []experiment.Simulation) (*store.Reference, error) {
	chunks, err := store.Chunks(simulations)
	if err != nil {
		return nil, markPermanent(err)
	}
	configMaps, results := w.configMaps(shard, chunks)
	for _, cm := range configMaps {
		if err := creator.CreateConfigMap(ctx, cm); err != nil {
			return nil, fmt.Errorf("create ConfigMap %s: %w", cm.Name, err)
		}
	}
	return &results, nil
}

// markBadInput marks an error of what was read, but for a storage that failed: that
// may be back the next time.
func markBadInput(err error) error {
	return cmp.Or(storageError(err), fmt.Errorf("%w: %w", ErrBadInput, err))
}

// storageError returns the error of a storage that failed; nil for any other one.
func storageError(err error) error {
	for _, away := range []syscall.Errno{syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.ENOTCONN} {
		if errors.Is(err, away) {
			return err
		}
	}
	return nil
}

// traceMemory is what a trace may take, in bytes.
func (o Options) traceMemory() int64 { return cmp.Or(o.MemoryBytes, math.MaxInt64) }

// markPermanent marks an error that every further try would give again.
func markPermanent(err error) error {
	var fault *policy.Fault
	if errors.Is(err, execute.ErrInvalidPoint) || errors.Is(err, store.ErrTooLarge) || errors.As(err, &fault) {
		return fmt.Errorf("%w: %w", ErrBadInput, err)
	}
	return err
}

// shardInput is what all shards of a round read.
type shardInput struct {
	plan  *experiment.Plan
	owner *Owner
	round *experiment.Round
	// simulations are the numbers of those of the round to run.
	simulations []int
	traces      trace.Set
}

// ReadRun reads the plan and its traces.
func (o Options) ReadRun() (*experiment.Plan, trace.Set, error) {
	plan, err := ReadPlan(o.PlanFolder)
	if err != nil {
		return nil, nil, err
	}
	traces, err := o.readTraces(plan)
	return plan, traces, err
}

// ReadPlan reads the plan of a folder.
func ReadPlan(folder string) (*experiment.Plan, error) {
	raw, err := os.ReadFile(filepath.Join(folder, PlanFile))
	if err != nil {
		return nil, err
	}
	return experiment.DecodePlan(raw)
}

// readOwner reads whose the results are.
func readOwner(roundFolder string) (owner *Owner, err error) {
	raw, err := os.ReadFile(filepath.Join(roundFolder, OwnerFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &owner); err != nil {
		return nil, fmt.Errorf("decode %s: %w", OwnerFile, err)
	}
	return owner, nil
}

func (o Options) readInput() (w shardInput, err error) {
	if w.plan, err = ReadPlan(o.PlanFolder); err != nil {
		return w, err
	}
	if w.owner, err = readOwner(o.RoundFolder); err != nil {
		return w, err
	}
	raw, err := os.ReadFile(filepath.Join(o.RoundFolder, RoundFile))
	if err != nil {
		return w, err
	}
	work, err := experiment.DecodeWork(raw)
	if err != nil {
		return w, err
	}
	if w.round, w.simulations, err = study.Resume(w.plan, work); err != nil {
		return w, err
	}
	w.traces, err = o.readTraces(w.plan)
	return w, err
}

// TraceFolder is the folder of the plan's trace i, one of several, below the inputs.
func TraceFolder(i int) string { return strconv.Itoa(i) }

// readTraces reads the traces of a plan.
func (o Options) readTraces(plan *experiment.Plan) (trace.Set, error) {
	traces := trace.Set{}
	memory := o.traceMemory()
	for i, in := range plan.AllTraces() {
		folder := o.InputsFolder
		if in.Source != "" {
			folder = filepath.Join(folder, TraceFolder(i))
		}
		read, err := readTrace(plan, in, folder, experiment.Reading{MemoryBytes: memory, Parquet: o.Parquet})
		if err != nil {
			return nil, err
		}
		traces[in.Source] = read
		memory = max(memory-read.Bytes(), 1)
	}
	return traces, nil
}

// readTrace reads a trace of a plan from the folder where it is mounted, and checks first that it
// is the one planned for. Of another file nothing is said, neither its text nor its digest: an image,
// a claim or a ConfigMap may have files that the user of a sweep may not read.
func readTrace(plan *experiment.Plan, in *experiment.TraceInput, folder string, reading experiment.Reading) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return openWithin(folder, in.Path()) }
	file, err := open()
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", in.Name(), err)
	}
	changed := fmt.Errorf("trace %s: its sha256 is not %s, which the plan is for: it is another trace, or it has changed", in.Name(), in.SHA256)
	digest, err := trace.Digest(trace.Format(in.Format), open, experiment.TraceDescription(in))
	switch {
	case err != nil && storageError(err) != nil:
		return nil, err
	case err != nil:
		return nil, invalidTrace{plan.InvalidTrace(in, err)}
	case digest != in.SHA256:
		return nil, changed
	}
	recorded, err := trace.Open(trace.Format(in.Format), reading.Of(in.Options()), open, experiment.TraceDescription(in))
	switch {
	case err != nil && storageError(err) != nil:
		return nil, err
	case err != nil:
		return nil, invalidTrace{plan.InvalidTrace(in, err)}
	}
	plan.TraceParts.Keep(in.Source, open, reading)
	if recorded.Digest() != in.SHA256 {
		return nil, changed
	}
	return recorded, nil
}

// openWithin opens a file below a folder, or a ServeGen folder as an archive. A link in a
// volume that leads out of it, such as to the pod's token, is not followed: what is wrong with a
// trace's text is reported in public.
func openWithin(folder, name string) (io.ReadCloser, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(name)
	if err == nil && info.IsDir() {
		return archiveWithin(root, name)
	}
	defer root.Close()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return root.Open(name)
}

// archiveWithin opens a ServeGen folder below a root, which the archive closes.
func archiveWithin(root *os.Root, name string) (io.ReadCloser, error) {
	below, err := fs.Sub(root.FS(), filepath.ToSlash(name))
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	archive, err := servegen.Archive(below)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s is a folder, but no ServeGen folder: %w", name, err), root.Close())
	}
	return rootedArchive{archive, root}, nil
}

type rootedArchive struct {
	io.ReadCloser
	root *os.Root
}

func (a rootedArchive) Close() error { return errors.Join(a.ReadCloser.Close(), a.root.Close()) }

// configMaps makes the objects that hold a shard's chunks. The last one lists them all: the reference is to
// the list in it. A last chunk that leaves no room for the list is followed by an object of the list alone.
func (w *Owner) configMaps(shard int, chunks []store.Chunk) ([]*corev1.ConfigMap, store.Reference) {
	if len(chunks) > 0 {
		all, results := w.listedIn(shard, chunks)
		if dataBytes(all[len(all)-1]) <= store.MaxChunkBytes {
			return all, results
		}
	}
	return w.listedIn(shard, append(slices.Clip(chunks), store.Chunk{}))
}

// listedIn makes the objects of chunks, of which the last holds the list too. If that has no rows, it is
// not listed itself.
func (w *Owner) listedIn(shard int, chunks []store.Chunk) ([]*corev1.ConfigMap, store.Reference) {
	var all []*corev1.ConfigMap
	var list []store.Reference
	last, rows := len(chunks)-1, 0
	for i, chunk := range chunks {
		ref := store.Reference{Rows: chunk.Rows, SHA256: chunk.SHA256()}
		digest := ref.SHA256
		if i == last {
			// The same chunk of another attempt may have another list, or none.
			digest = experiment.Digest(store.EncodeList(append(list, ref)))
		}
		cm := w.configMap(shard, i, digest)
		cm.Data, cm.BinaryData = maps.Clone(chunk.Data), chunk.Binary
		ref.Name = cm.Name
		all, list, rows = append(all, cm), append(list, ref), rows+chunk.Rows
	}
	holder := all[last]
	if chunks[last].Rows == 0 {
		list = list[:last]
		holder.Labels = maps.Clone(holder.Labels)
		metav1.SetMetaDataLabel(&holder.ObjectMeta, LabelList, strconv.Itoa(shard))
	}
	raw := store.EncodeList(list)
	if holder.Data == nil {
		holder.Data = map[string]string{}
	}
	holder.Data[store.ListKey] = string(raw)
	return all, store.Reference{Name: holder.Name, Rows: rows, SHA256: experiment.Digest(raw)}
}

// dataBytes is the size of what a ConfigMap holds, as the API server counts it.
func dataBytes(cm *corev1.ConfigMap) int {
	n := 0
	for _, text := range cm.Data { // in any order
		n += len(text)
	}
	for _, raw := range cm.BinaryData { // in any order
		n += len(raw)
	}
	return n
}

// configMap makes an immutable object without content, of a shard's chunk.
func (w *Owner) configMap(shard, index int, digest string) *corev1.ConfigMap {
	return w.emptyConfigMap(fmt.Sprintf("%s-%d-%d-%s", w.Prefix, shard, index, digest[:8]))
}

// emptyConfigMap makes an immutable object without content, of a name.
func (w *Owner) emptyConfigMap(name string) *corev1.ConfigMap {
	immutable := true
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       w.Namespace,
			Name:            name,
			Labels:          w.Labels,
			OwnerReferences: []metav1.OwnerReference{w.Reference},
		},
		Immutable: &immutable,
	}
}
