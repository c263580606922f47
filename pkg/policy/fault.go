// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/internal/printable"
)

// A Fault says that a policy which is a program broke its contract. A run with a fault has
// no figures.
type Fault struct {
	// Component is what the policy decides, such as routing.
	Component string
	Stage     FaultStage
	Kind      FaultKind
	// Line is the line of the source, from 1; 0 where it is not known.
	Line int
	// Message is [Said] of what the program said.
	Message string
}

// mostSaid bounds what a program says of a fault, in bytes.
const mostSaid = 1024

// Said is what a program said as one line that can be printed.
func Said(text string) string { return printable.Clip(text, mostSaid) }

// FaultStage is when a fault shows.
type FaultStage string

// The stages: the program is read, it makes one decision, or the whole run is bounded.
const (
	LoadStage FaultStage = "load"
	CallStage FaultStage = "call"
	RunStage  FaultStage = "run"
)

// FaultKind is what a program did.
type FaultKind string

// The kinds of faults.
const (
	SyntaxFault    FaultKind = "syntax"    // it is no program of its language
	ErrorFault     FaultKind = "error"     // it failed, as by a division by zero
	TypeFault      FaultKind = "type"      // it returned something of another type or length
	NonFiniteFault FaultKind = "nonFinite" // it returned NaN or an infinity
	ValueFault     FaultKind = "value"     // it returned a number that means nothing
	BudgetFault    FaultKind = "budget"    // it took more steps than it may
	MemoryFault    FaultKind = "memory"    // it took more memory than it may
	DeadlineFault  FaultKind = "deadline"  // it took more time than it may
	CrashFault     FaultKind = "crash"     // it ended its process
)

// Error names the component, where it is known, the kind, the stage and the line.
func (f *Fault) Error() string {
	var b strings.Builder
	program := "the " + f.Component + " program"
	if f.Component == "" {
		program = "a program"
	}
	fmt.Fprintf(&b, "%s fault of %s, ", f.Kind, program)
	switch f.Stage {
	case LoadStage:
		b.WriteString("when it was read")
	case CallStage:
		b.WriteString("in a call")
	case RunStage:
		b.WriteString("in the whole run")
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, ", line %d", f.Line)
	}
	return b.String() + ": " + f.Message
}

// OfMachine reports whether the machine decides when the program has the fault: another machine,
// or a calmer one, may let the same program come to its end.
func (f *Fault) OfMachine() bool {
	return f.Stage == RunStage && (f.Kind == MemoryFault || f.Kind == DeadlineFault || f.Kind == CrashFault)
}

// Faults keeps what the programs of one simulation say of themselves: the first fault, and
// how many steps they took. A program that has a fault says it here, and decides anything
// from then on: the simulation ends soon.
type Faults struct {
	first  *Fault
	meters []func() uint64
}

// Add notes a fault.
func (f *Faults) Add(fault *Fault) {
	if f.first == nil {
		f.first = fault
	}
}

// Meter adds what counts the steps of a program.
func (f *Faults) Meter(steps func() uint64) { f.meters = append(f.meters, steps) }

// Steps is the sum of the steps of all programs. A nil Faults has none.
func (f *Faults) Steps() uint64 {
	if f == nil {
		return 0
	}
	sum := uint64(0)
	for _, steps := range f.meters {
		sum += steps()
	}
	return sum
}

// Any reports whether there is a fault.
func (f *Faults) Any() bool { return f.first != nil }

// First returns the first fault, or nil. A nil Faults has none.
func (f *Faults) First() *Fault {
	if f == nil {
		return nil
	}
	return f.first
}
