// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// Version is that of the language: the date of the module go.starlark.net. Programs may take
// other steps under another one.
const Version = "20260908"

// Code is a program that was read. It implements [sandbox.Code].
type Code struct {
	layout   *sandbox.Layout
	limits   sandbox.Limits
	function *starlark.Function
}

// Load reads a program and runs its top level. parameters are the numbers that the
// program reads as fields of the name parameters.
func Load(source string, layout *sandbox.Layout, parameters map[string]float64, limits sandbox.Limits) (*Code, *policy.Fault) {
	fault := func(kind policy.FaultKind, line int, format string, values ...any) *policy.Fault {
		return &policy.Fault{Component: string(layout.Component), Stage: policy.LoadStage, Kind: kind, Line: line, Message: policy.Said(fmt.Sprintf(format, values...))}
	}
	if len(source) > limits.SourceBytes {
		return nil, fault(policy.MemoryFault, 0, "the source has %d bytes, and may have %d", len(source), limits.SourceBytes)
	}
	names := predeclared(parameters)
	program, err := compile(source, newBounder(layout, parameters), names)
	if err != nil {
		line, message := firstError(err)
		return nil, fault(policy.SyntaxFault, line, "%s", message)
	}
	if program.NumLoads() > 0 {
		_, at := program.Load(0)
		return nil, fault(policy.SyntaxFault, int(at.Line), "load is not offered")
	}
	m := newMeter(limits)
	globals, err := program.Init(m.thread, names)
	if err != nil {
		f := m.fault(err)
		f.Component, f.Stage = string(layout.Component), policy.LoadStage
		return nil, f
	}
	globals.Freeze()
	function, ok := globals[layout.Function].(*starlark.Function)
	if !ok {
		return nil, fault(policy.TypeFault, 0, "there is no function %s", signature(layout))
	}
	if want := arguments(layout); function.NumParams() != len(want) || function.HasVarargs() || function.HasKwargs() {
		return nil, fault(policy.TypeFault, int(function.Position().Line), "the function is to be %s", signature(layout))
	}
	return &Code{layout, limits, function}, nil
}

// compile reads a source, with bounds of the size of values.
func compile(source string, b *bounder, names starlark.StringDict) (*starlark.Program, error) {
	file, err := (&syntax.FileOptions{}).Parse("policy", source, 0)
	if err != nil {
		return nil, err
	}
	b.bound(file)
	if b.refused != nil {
		return nil, b.refused
	}
	return starlark.FileProgram(file, names.Has)
}

// arguments are the names of the records that the function is called with.
func arguments(l *sandbox.Layout) []string {
	var names []string
	for i := range l.Groups {
		names = append(names, l.Groups[i].Name)
	}
	if l.Rows != nil {
		names = append(names, l.Rows.Name)
	}
	return names
}

func signature(l *sandbox.Layout) string {
	return l.Function + "(" + strings.Join(arguments(l), ", ") + ")"
}

// firstError returns the line and the text of an error of the parser or the resolver.
func firstError(err error) (int, string) {
	var syntaxError syntax.Error
	var list resolve.ErrorList
	switch {
	case errors.As(err, &syntaxError):
		return int(syntaxError.Pos.Line), syntaxError.Msg
	case errors.As(err, &list) && len(list) > 0:
		return int(list[0].Pos.Line), list[0].Msg
	}
	return 0, err.Error()
}

// New implements [sandbox.Code].
func (c *Code) New(draw func() float64) (sandbox.Program, *policy.Fault) {
	m := newMeter(c.limits)
	m.thread.SetLocal(drawKey, draw)
	p := &program{code: c, meter: m}
	p.bind()
	return p, nil
}
