// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// Code is a program that was read. It is immutable, and several simulations share it.
type Code interface {
	// New makes the program for one simulation. draw gives numbers from 0 to below 1.
	New(draw func() float64) (Program, *policy.Fault)
}

// Faulty is code that could not be read.
type Faulty struct{ Fault *policy.Fault }

// New returns the fault.
func (f Faulty) New(func() float64) (Program, *policy.Fault) { return nil, f.Fault }

// Unread is code in a process that does not run programs. It stands in configurations that
// are checked and not run.
type Unread struct{}

// New returns a program that panics where it runs.
func (u Unread) New(func() float64) (Program, *policy.Fault) { return u, nil }

// Run panics.
func (Unread) Run(*Frame, []float64) *policy.Fault {
	panic("sandbox: a program runs that was not read")
}

// A Program decides. One simulation owns it; it is not called concurrently. A program that
// counts its steps has a method Steps() uint64, of all calls so far.
type Program interface {
	// Run writes the answer to a frame: one number for each row, or one. What it leaves
	// where it has a fault means nothing.
	Run(frame *Frame, answer []float64) *policy.Fault
}

// Limits bound a program.
type Limits struct {
	// CallSteps bounds the steps of one call, and RunSteps those of all calls of a
	// simulation.
	CallSteps, RunSteps uint64
	// MemoryBytes bounds the memory of a language that counts it.
	MemoryBytes uint64
	// SourceBytes bounds the source, and ModuleBytes a program in binary form.
	SourceBytes, ModuleBytes int
}

// DefaultLimits are enough for rules over some hundred endpoints.
var DefaultLimits = Limits{
	CallSteps: 200_000, RunSteps: 50_000_000_000, MemoryBytes: 64 << 20, SourceBytes: 64 << 10, ModuleBytes: 4 << 20,
}

// Check returns what is wrong with the numbers of an answer: what is not finite, or means
// nothing.
func Check(kind Answer, answer []float64) *policy.Fault {
	for _, x := range answer {
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return &policy.Fault{Stage: policy.CallStage, Kind: policy.NonFiniteFault, Message: "the answer has a number that is not finite"}
		case (kind == WholeNumber || kind == Counts) && (x != math.Trunc(x) || math.Abs(x) > 1<<53):
			return &policy.Fault{Stage: policy.CallStage, Kind: policy.ValueFault, Message: "the answer has a number that is not whole"}
		case kind == Counts && x < 0:
			return &policy.Fault{Stage: policy.CallStage, Kind: policy.ValueFault, Message: "the answer has a negative count"}
		}
	}
	return nil
}
