// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"errors"
	"fmt"
	"math/bits"

	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// maxLength bounds the lists that built-in functions make or work through.
const maxLength = 100_000

// drawKey is where a thread keeps what gives random numbers.
const drawKey = "draw"

// predeclared are the names in addition to those of the language, some of which they replace.
func predeclared(parameters map[string]float64) starlark.StringDict {
	values := starlark.StringDict{}
	for name, x := range parameters {
		values[name] = starlark.Float(x)
	}
	names := starlark.StringDict{
		"math":       math.Module,
		"parameters": starlarkstruct.FromStringDict(starlark.String("parameters"), values),
		"draw":       starlark.NewBuiltin("draw", draw),
		"range":      starlark.NewBuiltin("range", shortRange),
		"int":        starlark.NewBuiltin("int", shortInt),
		"getattr":    starlark.NewBuiltin("getattr", boundGetattr),
		operandName:  starlark.NewBuiltin(operandName, boundOperand),
		extendsName:  starlark.NewBuiltin(extendsName, boundExtension),
		methodName:   starlark.NewBuiltin(methodName, boundMethod),
		weighedName:  starlark.NewBuiltin(weighedName, weighed),
		copiedName:   starlark.NewBuiltin(copiedName, copied),
		namesName:    starlark.NewBuiltin(namesName, copiedNames),
	}
	for _, name := range []string{"fail", "print", "repr", "str"} {
		names[name] = textual(name)
	}
	each := func(n int) int { return n }
	for _, name := range []string{"all", "any", "bytes", "enumerate", "list", "reversed", "tuple", "zip"} {
		names[name] = counted(name, lengthOf, each)
	}
	for _, name := range []string{"dict", "max", "min"} { // they compare or hash
		names[name] = counted(name, weight, each)
	}
	names["sorted"] = counted("sorted", weight, func(n int) int { return n * (1 + bits.Len(uint(n))) })
	names.Freeze()
	return names
}

// counted is a function of the language that adds steps for the lists that it is given.
func counted(name string, length func(starlark.Value) int, steps func(int) int) starlark.Value {
	original := starlark.Universe[name].(*starlark.Builtin)
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		for _, arg := range args {
			n := length(arg)
			if n > maxLength {
				return nil, fmt.Errorf("%s: the argument has %d elements, and may have %d", name, n, maxLength)
			}
			charge(t, steps(n))
		}
		return original.CallInternal(t, args, kwargs)
	})
}

// shortRange is range with a bounded length.
func shortRange(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	value, err := starlark.Universe["range"].(*starlark.Builtin).CallInternal(t, args, kwargs)
	if err != nil {
		return nil, err
	}
	if n := starlark.Len(value); n > maxLength {
		return nil, fmt.Errorf("range: it has %d elements, and may have %d", n, maxLength)
	}
	return value, nil
}

// draw gives a number from 0 to below 1.
func draw(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 0); err != nil {
		return nil, err
	}
	next, ok := t.Local(drawKey).(func() float64)
	if !ok {
		return nil, errors.New("draw: there are no random numbers at the top level")
	}
	return starlark.Float(next()), nil
}
