// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"fmt"

	"go.starlark.net/starlark"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// A program is code in one simulation.
type program struct {
	code   *Code
	meter  *meter
	groups []*record
	rows   *rows
	args   starlark.Tuple
	failed *policy.Fault
}

// bind makes the arguments, which are the same objects in each call.
func (p *program) bind() {
	l := p.code.layout
	for i := range l.Groups {
		r := &record{shape: newShape(&l.Groups[i])}
		p.groups, p.args = append(p.groups, r), append(p.args, r)
	}
	if l.Rows != nil {
		p.rows = &rows{shape: newShape(l.Rows)}
		p.args = append(p.args, p.rows)
	}
}

// Run implements [sandbox.Program].
func (p *program) Run(frame *sandbox.Frame, answer []float64) *policy.Fault {
	if p.failed == nil {
		if p.failed = p.run(frame, answer); p.failed != nil {
			p.failed.Component = string(p.code.layout.Component)
		}
	}
	return p.failed
}

// Steps are those of the calls so far.
func (p *program) Steps() uint64 { return p.meter.thread.Steps }

func (p *program) run(frame *sandbox.Frame, answer []float64) *policy.Fault {
	first := 0
	for _, g := range p.groups {
		g.cells = frame.Scalars[first : first+len(g.shape.fields)]
		first += len(g.shape.fields)
	}
	if p.rows != nil {
		p.rows.show(frame)
	}
	p.meter.allowCall()
	value, err := starlark.Call(p.meter.thread, p.code.function, p.args, nil)
	if err != nil {
		return p.meter.fault(err)
	}
	if message := p.read(value, answer); message != "" {
		return &policy.Fault{Stage: policy.CallStage, Kind: policy.TypeFault, Message: message, Line: int(p.code.function.Position().Line)}
	}
	return sandbox.Check(p.code.layout.Answer, answer)
}

// read reads what the function returned. It says what is wrong.
func (p *program) read(value starlark.Value, answer []float64) string {
	kind, name := p.code.layout.Answer, p.code.layout.Function
	if !kind.Many() {
		if admits, ok := value.(starlark.Bool); ok && kind == sandbox.Verdict {
			answer[0] = -1
			if admits {
				answer[0] = 0
			}
			return ""
		}
		x, ok := starlark.AsFloat(value)
		if !ok {
			return fmt.Sprintf("%s returns a %s, and is to return a number", name, value.Type())
		}
		answer[0] = x
		return ""
	}
	list, ok := value.(starlark.Indexable)
	if !ok || value.Type() != "list" && value.Type() != "tuple" {
		return fmt.Sprintf("%s returns a %s, and is to return a list of numbers", name, value.Type())
	}
	if list.Len() != len(answer) {
		return fmt.Sprintf("%s returns %d numbers for %d %s", name, list.Len(), len(answer), p.rows.shape.name)
	}
	for i := range answer {
		x, ok := starlark.AsFloat(list.Index(i))
		if !ok {
			return fmt.Sprintf("%s returns a list with a %s, and is to return a list of numbers", name, list.Index(i).Type())
		}
		answer[i] = x
	}
	return ""
}
