// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Fence simulates each case in a child process. Its program calls [Serve].
type Fence struct {
	Limits Limits
	ahead  *ahead // nil where no process starts ahead of its request
}

// New returns a fence for a number of simulations at once.
func New(parallelism int) *Fence { return &Fence{Limits: defaultLimits(parallelism)} }

// NewForCandidates is New for candidates of a search, which have less time.
func NewForCandidates(parallelism int) *Fence {
	return &Fence{Limits: defaultLimits(parallelism).ofCandidates()}
}

var (
	_ execute.Fence = (*Fence)(nil)
	_ inspect.Fence = (*Fence)(nil)
)

// Simulate implements [execute.Fence].
func (f *Fence) Simulate(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, o execute.InsideOptions) (experiment.Simulation, error) {
	a, err := f.Inspect(ctx, p, traces, of, inspect.Question{InsideOptions: o})
	if err != nil {
		return experiment.Simulation{}, err
	}
	return a.Simulation, nil
}

// Inspect implements [inspect.Fence].
func (f *Fence) Inspect(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, q inspect.Question) (*inspect.Answer, error) {
	if isChild() {
		return nil, errors.New("the program is a child that does not call fence.Serve before all else")
	}
	limits, err := f.Limits.of(p, of)
	if err != nil {
		return nil, err
	}
	f = &Fence{Limits: limits, ahead: f.ahead}
	r := request{Plan: p.Encode(), Case: of, Question: q, Bytes: f.Limits.bytes(p, traces, q.Simulations(f.Limits.Cores)), CPU: f.Limits.CPU}
	files, err := r.open(p)
	defer closeAll(files)
	if err != nil {
		return nil, err
	}
	a, err := f.ask(ctx, &r, files)
	if err != nil {
		return nil, fmt.Errorf("point %d (%s), seed %d: %w", of.Point.ID, of.Point, of.Seed, err)
	}
	return a.inspected()
}

// open opens the traces of a plan for a child.
func (r *request) open(p *experiment.Plan) ([]*os.File, error) {
	var files []*os.File
	for _, in := range p.AllTraces() {
		open, err := p.TraceParts.Opener(in)
		if err != nil {
			return files, err
		}
		file, err := fileOf(open)
		if err != nil {
			return files, fmt.Errorf("%s: %w", experiment.TraceDescription(in), err)
		}
		files, r.Traces = append(files, file), append(r.Traces, in.Source)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close() // it was read only
	}
}

// ask has a child answer a request.
func (f *Fence) ask(ctx context.Context, r *request, files []*os.File) (*answer, error) {
	limited, cancel := context.WithTimeout(ctx, f.Limits.Wall)
	defer cancel()
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode a simulation: %w", err)
	}
	child, state, err := f.run(limited, raw, files)
	if err != nil {
		return nil, fmt.Errorf("start a process for the simulation: %w", err)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, deadline("it took more than %v", f.Limits.Wall)
	case state == nil:
		return nil, errors.New("a process for the simulation has no end")
	case state.ExitCode() == brokenExitCode:
		return nil, fmt.Errorf("a process for the simulation: %s", bytes.TrimSpace(child.complaint.text))
	case !state.Success():
		return nil, f.fault(r, state, child.complaint.text)
	}
	a := &answer{}
	if err := decode(&child.said, a); err != nil {
		return nil, crash("its process gave no answer: " + err.Error())
	}
	return a, nil
}

// fault says why a child ended without an answer.
func (f *Fence) fault(r *request, state *os.ProcessState, complaint []byte) *policy.Fault {
	mentions := func(word string) bool { return bytes.Contains(complaint, []byte(word)) }
	switch cpu := state.UserTime() + state.SystemTime(); {
	case isMemoryComplaint(complaint):
		return &policy.Fault{Stage: policy.RunStage, Kind: policy.MemoryFault, Message: "its process needed more than " + mebibytes(r.Bytes) + " of memory"}
	case mentions("SIGXCPU") || cpu >= r.CPU:
		return deadline("it took more than %v of CPU time", r.CPU)
	}
	if first, _, _ := bytes.Cut(complaint, []byte("\n")); len(first) > 0 {
		return crash("its process ended: " + strings.ToValidUTF8(string(first), "?"))
	}
	return crash("its process ended: " + state.String())
}

// isMemoryComplaint reports whether a child complained that it had no more memory.
func isMemoryComplaint(complaint []byte) bool {
	return slices.ContainsFunc(memoryComplaints, func(words string) bool { return bytes.Contains(complaint, []byte(words)) })
}

// memoryComplaints are what Go's runtime says when the kernel gives it no more memory. The last one
// is that of a signal in the runtime itself, and not in a function of Go, which panics: the garbage
// collector of Go 1.26 does not check whether it gets memory for its queue of spans
// (runtime/mgcmark_greenteagc.go).
var memoryComplaints = []string{
	"out of memory", "cannot allocate memory", "cannot map pages in arena address space", "failed to create new OS thread",
	"SIGSEGV: segmentation violation\nPC=",
}

func deadline(format string, limit time.Duration) *policy.Fault {
	return &policy.Fault{Stage: policy.RunStage, Kind: policy.DeadlineFault, Message: fmt.Sprintf(format, limit) + " (limits.cpuSeconds of the bundle)"}
}

func crash(why string) *policy.Fault {
	return &policy.Fault{Stage: policy.RunStage, Kind: policy.CrashFault, Message: why}
}

// decode reads an answer.
func decode(said *head, a *answer) error {
	if said.more {
		return fmt.Errorf("it has more than %d bytes", said.room)
	}
	d := json.NewDecoder(bytes.NewReader(said.text))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the answer")
	}
	return nil
}
