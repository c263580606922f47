// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ErrNoPart says that a point asks for a part of a trace that there is not, such as one
// without requests.
var ErrNoPart = errors.New("the trace has no such part")

// TraceParts reads the parts of traces that points replay where parameters vary which
// requests are kept. The zero value knows no trace; it may be used concurrently.
type TraceParts struct {
	mu    sync.Mutex
	files map[string]traceFile
	// recent are the parts that were read last, the latest first. Simulations of one point
	// follow each other.
	recent []*tracePart
}

// maxRecentParts is how many parts are kept, each of which takes some MB of memory at most.
const maxRecentParts = 8

// traceFile is where a trace can be read again, and how.
type traceFile struct {
	open trace.Opener
	read Reading
}

// Reading is how a process reads traces.
type Reading struct {
	// MemoryBytes bounds what a trace takes; 0 is without bound.
	MemoryBytes int64
	// Parquet reads files of the format Parquet.
	Parquet trace.ParquetCodec
}

// Of returns options with how the process reads.
func (r Reading) Of(options trace.Options) trace.Options {
	options.MemoryBytes, options.Parquet = r.MemoryBytes, r.Parquet
	return options
}

// tracePart is a part of a trace, once it is read.
type tracePart struct {
	source  string
	options trace.Options
	read    func() (*trace.Trace, error)
}

// Keep notes where the trace of a name is, which was read before, and how to read parts of it.
func (t *TraceParts) Keep(source string, open trace.Opener, read Reading) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files == nil {
		t.files = map[string]traceFile{}
	}
	t.files[source] = traceFile{open, read}
}

// Opener opens the file of a trace that was read before.
func (t *TraceParts) Opener(in *TraceInput) (trace.Opener, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	file, known := t.files[in.Source]
	if !known {
		return nil, fmt.Errorf("%s: its file is not at hand to read it again", TraceDescription(in))
	}
	return file.open, nil
}

// ReadAgain reads the trace of a name in another process than the one that read it before,
// and notes where it is.
func (p *Plan) ReadAgain(source string, open trace.Opener, read Reading) (*trace.Trace, error) {
	in := p.inputOf(source)
	recorded, err := trace.Open(trace.Format(in.Format), read.Of(in.Options()), open, TraceDescription(in))
	if err != nil {
		return nil, err
	}
	p.TraceParts.Keep(source, open, read)
	return recorded, checkDigest(in, recorded)
}

// checkDigest says that a trace is another one than that of the plan.
func checkDigest(in *TraceInput, recorded *trace.Trace) error {
	if recorded.Digest() == in.SHA256 {
		return nil
	}
	return fmt.Errorf("%s: its sha256 is %s, but the plan is for %s: it has changed", TraceDescription(in), recorded.Digest(), in.SHA256)
}

// PartOf is an input as the trace of a scenario is read, which may be another part of the
// text than the plan's.
func (p *Plan) PartOf(t setup.Trace) *TraceInput {
	part := *p.inputOf(t.Name)
	part.Slice, part.Sample, part.TooLong, part.ZeroOutput, part.BlockTokens = t.Slice, t.Sample, t.TooLong, t.ZeroOutput, t.BlockTokens
	return &part
}

// ValidateParts says which traces of a scenario cannot be read as it says.
func (p *Plan) ValidateParts(in *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, t := range setup.Traces(in, path) {
		errs = append(errs, p.PartOf(t).Options().Validate(trace.Format(t.Format), t.Path)...)
	}
	return errs
}

// TracesOf returns the traces of a workload: those of the plan, which were read, and other
// parts of them. The error is an [ErrNoPart] where there is no such part.
func (p *Plan) TracesOf(in *v1alpha1.Workload, read trace.Set) (trace.Set, error) {
	traces := read
	for _, t := range setup.Traces(in, nil) {
		part := p.PartOf(t)
		if reflect.DeepEqual(part.Options(), p.inputOf(t.Name).Options()) {
			continue
		}
		recorded, err := p.TraceParts.part(part)
		if err != nil {
			return nil, err
		}
		traces = maps.Clone(traces)
		traces[t.Name] = recorded
	}
	return traces, nil
}

// inputOf is the input of the trace of a name, which the plan has.
func (p *Plan) inputOf(source string) *TraceInput {
	inputs := p.AllTraces()
	return inputs[slices.IndexFunc(inputs, func(in *TraceInput) bool { return in.Source == source })]
}

// part returns a part of a trace, which it reads unless it did so of late.
func (t *TraceParts) part(in *TraceInput) (*trace.Trace, error) {
	t.mu.Lock()
	file, known := t.files[in.Source]
	if !known {
		t.mu.Unlock()
		return nil, fmt.Errorf("%s: its file is not at hand to read another part", TraceDescription(in))
	}
	options := file.read.Of(in.Options())
	at := slices.IndexFunc(t.recent, func(p *tracePart) bool { return p.source == in.Source && reflect.DeepEqual(p.options, options) })
	one := &tracePart{source: in.Source, options: options}
	if at >= 0 {
		one = t.recent[at]
		t.recent = slices.Delete(t.recent, at, at+1)
	} else {
		one.read = sync.OnceValues(func() (*trace.Trace, error) { return readPart(in, options, file.open) })
	}
	t.recent = slices.Insert(t.recent, 0, one)
	t.recent = t.recent[:min(len(t.recent), maxRecentParts)]
	t.mu.Unlock()
	return one.read()
}

// readPart reads a part of a trace. What keeps it from being read in a file that can be
// read is an [ErrNoPart].
func readPart(in *TraceInput, options trace.Options, open trace.Opener) (*trace.Trace, error) {
	var broken atomic.Bool
	watched := func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			broken.Store(true)
			return nil, err
		}
		return &watchedFile{file, &broken}, nil
	}
	recorded, err := trace.Open(trace.Format(in.Format), options, watched, TraceDescription(in))
	switch {
	case err != nil && !broken.Load():
		return nil, fmt.Errorf("%w: %w", ErrNoPart, err)
	case err != nil:
		return nil, err
	}
	return recorded, checkDigest(in, recorded)
}

// watchedFile notes that a file cannot be read.
type watchedFile struct {
	io.ReadCloser
	broken *atomic.Bool
}

func (f *watchedFile) Read(into []byte) (int, error) {
	n, err := f.ReadCloser.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		f.broken.Store(true)
	}
	return n, err
}
