// SPDX-License-Identifier: Apache-2.0

package sandbox

import "windtunnel.dev/windtunnel/pkg/policy"

// A Caller calls a program of one simulation until its first fault.
type Caller struct {
	Layout *Layout
	// Frame is what the program sees: it is filled in before a call.
	Frame *Frame

	program Program
	faults  *policy.Faults
	answer  []float64
}

// NewCaller makes the program of a simulation, for frames of at most a number of rows. draw
// gives numbers from 0 to below 1.
func NewCaller(code Code, layout *Layout, rows int, draw func() float64, faults *policy.Faults) *Caller {
	c := &Caller{Layout: layout, Frame: NewFrame(layout, rows), faults: faults, answer: make([]float64, max(rows, 1))}
	var fault *policy.Fault
	if c.program, fault = code.New(draw); fault != nil {
		faults.Add(fault)
	}
	if counts, is := c.program.(interface{ Steps() uint64 }); is {
		faults.Meter(counts.Steps)
	}
	return c
}

// Call returns the answer to the frame, which is good until the next call; ok is false
// if there is no answer, as a program of the simulation has a fault.
func (c *Caller) Call() (answer []float64, ok bool) {
	if c.faults.First() != nil {
		return nil, false
	}
	n := 1
	if c.Layout.Answer.Many() {
		n = c.Frame.Rows
	}
	answer = c.answer[:n]
	if fault := c.program.Run(c.Frame, answer); fault != nil {
		c.faults.Add(fault)
		return nil, false
	}
	return answer, true
}
