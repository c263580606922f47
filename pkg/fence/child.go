// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// childName is what a child is called in the list of processes: by it, the program knows that
// it is one.
const childName = "windtunnel: fenced simulation"

// Serve does the work of a child in a process that is one, and ends it. In others it returns.
// Programs that make a [Fence] call it before all else.
func Serve(parquet trace.ParquetCodec) {
	if !isChild() {
		return
	}
	if err := serve(os.Stdin, os.Stdout, parquet); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(brokenExitCode)
	}
	os.Exit(0)
}

// isChild reports whether the process is a child. Were a child to make children of its own,
// there would be no end.
func isChild() bool { return len(os.Args) == 1 && os.Args[0] == childName }

// brokenExitCode is how a child ends that could not do its work, for reasons that are not the
// simulation's.
const brokenExitCode = 70

func serve(in io.Reader, out io.Writer, parquet trace.ParquetCodec) error {
	var r request
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("read what to simulate: %w", err)
	}
	debug.SetMemoryLimit(heap(r.Bytes))
	if err := confine(&r); err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	return json.NewEncoder(out).Encode(answerOf(r.inspect(parquet)))
}

// inspect does what a child is asked.
func (r *request) inspect(parquet trace.ParquetCodec) (*inspect.Answer, error) {
	plan, err := experiment.DecodePlan(r.Plan)
	if err != nil {
		return nil, err
	}
	traces := trace.Set{}
	for i, source := range r.Traces {
		recorded, err := plan.ReadAgain(source, reopen(os.NewFile(uintptr(firstFile+i), source)), experiment.Reading{Parquet: parquet})
		if err != nil {
			return nil, err
		}
		traces[source] = recorded
	}
	return inspect.Inside(context.Background(), plan, traces, r.Case, r.Question)
}
