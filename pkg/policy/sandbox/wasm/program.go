// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// A program is an instance of a module in one simulation.
type program struct {
	code     *Code
	instance api.Module
	ctx      context.Context // has what gives random numbers
	function api.Function
	frame    api.Function
	steps    api.MutableGlobal
	depth    api.Global
	meter    meter

	// address and size are those of the buffer for frames.
	address uint32
	size    uint64
	stack   [1]uint64 // the argument and the result of a call
	failed  *policy.Fault
}

// cellBytes is the size of one number of a frame.
const cellBytes = 8

// Run implements [sandbox.Program].
func (p *program) Run(frame *sandbox.Frame, answer []float64) *policy.Fault {
	if p.failed == nil {
		if p.failed = p.run(frame, answer); p.failed != nil {
			p.failed.Component = string(p.code.layout.Component)
		}
	}
	return p.failed
}

// Steps are those of the calls so far that had an answer.
func (p *program) Steps() uint64 { return p.meter.used }

func (p *program) run(frame *sandbox.Frame, answer []float64) *policy.Fault {
	allowed := p.meter.allowCall(p.code.limits)
	p.steps.Set(allowed)
	cells := uint64(len(frame.Scalars) + frame.Rows*p.code.layout.Columns())
	if fault := p.room((cells + uint64(len(answer))) * cellBytes); fault != nil {
		return fault
	}
	buffer, fault := p.buffer()
	if fault != nil {
		return fault
	}
	rest := write(write(buffer, frame.Scalars), frame.Cells[:cells-uint64(len(frame.Scalars))])
	for i := range answer { // an answer that is not written is no number
		binary.LittleEndian.PutUint64(rest[i*cellBytes:], math.Float64bits(math.NaN()))
	}
	result, fault := p.call(p.function, uint32(frame.Rows))
	if fault != nil {
		return fault
	}
	if result != 0 {
		return callFault(policy.ErrorFault, "%s answers %d, and 0 is success", p.code.layout.Function, int32(result))
	}
	if buffer, fault = p.buffer(); fault != nil { // the memory may have moved
		return fault
	}
	read(buffer[cells*cellBytes:], answer)
	p.meter.used += allowed - p.steps.Get()
	fault = sandbox.Check(p.code.layout.Answer, answer)
	if fault != nil && unwritten(answer) {
		fault.Message += p.otherLayout(frame, buffer)
	}
	return fault
}

// room asks the module for a buffer of at least the given number of bytes, and of twice the last one's
// size, so that it is asked a few times only.
func (p *program) room(bytes uint64) *policy.Fault {
	if bytes <= p.size {
		return nil
	}
	size := max(bytes, 2*p.size)
	if size > math.MaxInt32 {
		return callFault(policy.MemoryFault, "a frame has %d bytes", size)
	}
	address, fault := p.call(p.frame, uint32(size))
	p.address, p.size = address, size
	return fault
}

// buffer is the module's memory for frames, until its memory grows.
func (p *program) buffer() ([]byte, *policy.Fault) {
	memory := p.instance.Memory()
	buffer, ok := memory.Read(p.address, uint32(p.size))
	if !ok {
		return nil, callFault(policy.ValueFault, "%s answers the address %d for %d bytes, and the memory has %d", frameName, p.address, p.size, memory.Size())
	}
	return buffer, nil
}

func write(buffer []byte, numbers []float64) []byte {
	for i, x := range numbers {
		binary.LittleEndian.PutUint64(buffer[i*cellBytes:], math.Float64bits(x))
	}
	return buffer[len(numbers)*cellBytes:]
}

func read(buffer []byte, numbers []float64) {
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(buffer[i*cellBytes:]))
	}
}

func callFault(kind policy.FaultKind, format string, values ...any) *policy.Fault {
	return &policy.Fault{Stage: policy.CallStage, Kind: kind, Message: policy.Said(fmt.Sprintf(format, values...))}
}

// call calls a function that takes and returns an i32.
func (p *program) call(f api.Function, x uint32) (uint32, *policy.Fault) {
	p.stack[0] = uint64(x)
	if err := f.CallWithStack(p.ctx, p.stack[:]); err != nil {
		return 0, p.trap(err)
	}
	return uint32(p.stack[0]), nil
}

// trap says why a call ended early. The counters are where the program ended.
func (p *program) trap(err error) *policy.Fault {
	switch {
	case int64(p.steps.Get()) < 0:
		return p.meter.fault(p.code.limits)
	case int64(p.depth.Get()) > maxDepth:
		return callFault(policy.ErrorFault, "calls nest more than %d deep", maxDepth)
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return callFault(policy.ErrorFault, "%s", firstLine(err))
}

// A meter counts the steps of all calls of a run.
type meter struct {
	used uint64
	// ending says that the run has fewer steps left than one call may take.
	ending bool
}

// allowCall returns the steps that the next call may take.
func (m *meter) allowCall(l sandbox.Limits) uint64 {
	left := l.RunSteps - min(m.used, l.RunSteps)
	m.ending = left < l.CallSteps
	return min(left, l.CallSteps, math.MaxInt64)
}

func (m *meter) fault(l sandbox.Limits) *policy.Fault {
	if m.ending {
		f := callFault(policy.BudgetFault, "all calls together take more than %d steps", l.RunSteps)
		f.Stage = policy.RunStage
		return f
	}
	return callFault(policy.BudgetFault, "it takes more than %d steps", l.CallSteps)
}
