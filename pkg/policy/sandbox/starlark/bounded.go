// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxBits bounds whole numbers. The greatest floating-point number has 1024.
const maxBits = 4096

// errLarge says that a value would have too many elements, or bytes.
var errLarge = fmt.Errorf("the result has more than %d elements", maxLength)

// bounded is an operand of an operator whose result may be large: it looks at both operands
// before the interpreter computes the result.
type bounded struct {
	starlark.Value
	thread *starlark.Thread
	// extends says that it is what += or |= adds to a list or a dict in place.
	extends bool
}

var _ starlark.HasBinary = bounded{}

// boundOperand is the function that the source calls with such an operand.
func boundOperand(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return bounded{args[0], t, false}, nil
}

// boundExtension is the function that it calls with what += or |= adds.
func boundExtension(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return bounded{args[0], t, true}, nil
}

// Binary implements [starlark.HasBinary].
func (b bounded) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	x, y := b.Value, other
	if side == starlark.Right {
		x, y = other, b.Value
	}
	cost, err := boundBinary(op, x, y)
	if err != nil {
		return nil, err
	}
	charge(b.thread, cost)
	if b.extends {
		return extend(b.thread, op, x, y)
	}
	return starlark.Binary(op, x, y)
}

// extend is Binary that changes a list or a dict in place.
func extend(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	method := ""
	switch x.(type) {
	case *starlark.List:
		method = "extend"
	case *starlark.Dict:
		method = "update"
	}
	if _, iterable := y.(starlark.Iterable); method == "" || !iterable {
		return starlark.Binary(op, x, y)
	}
	change, err := x.(starlark.HasAttrs).Attr(method)
	if err == nil {
		_, err = starlark.Call(t, change, starlark.Tuple{y}, nil)
	}
	return x, err
}

// boundBinary says how many steps an operation costs in addition to its own, or why its result is
// too large.
func boundBinary(op syntax.Token, x, y starlark.Value) (int, error) {
	m, isInt := x.(starlark.Int)
	n, areInts := y.(starlark.Int)
	areInts = areInts && isInt
	length := 0
	switch op {
	case syntax.STAR:
		if areInts {
			return 0, boundBits(bitsOf(m) + bitsOf(n))
		}
		length = repeated(x, y)
	case syntax.LTLT:
		if by, ok := shift(y); isInt && ok {
			return 0, boundBits(bitsOf(m) + by)
		}
	case syntax.PLUS:
		if !areInts {
			length = lengthOf(x) + lengthOf(y)
		}
	case syntax.PIPE:
		length = weight(x) + weight(y)
	case syntax.PERCENT:
		format, isText := x.(starlark.String)
		if !isText {
			return 0, nil
		}
		longest, err := longestText(y)
		if err != nil {
			return 0, err
		}
		length = product(strings.Count(string(format), "%"), longest) + len(format)
	}
	return boundLength(length)
}

// boundLength refuses a length that is too great, and is what it costs.
func boundLength(length int) (int, error) {
	if length > maxLength {
		return 0, errLarge
	}
	return length / bytesOfStep, nil
}

// bytesOfStep is how many elements or bytes are copied in the time of a step.
const bytesOfStep = 16

func bitsOf(x starlark.Int) int {
	if small, ok := x.Int64(); ok && -1<<31 <= small && small < 1<<31 {
		return 32
	}
	return x.BigInt().BitLen()
}

func boundBits(bits int) error {
	if bits > maxBits {
		return fmt.Errorf("the whole number has more than %d bits", maxBits)
	}
	return nil
}

func shift(y starlark.Value) (int, bool) {
	by, err := starlark.AsInt32(y)
	return by, err == nil
}

// repeated is the length of a text, list or tuple times a number.
func repeated(x, y starlark.Value) int {
	if _, ok := x.(starlark.Int); ok {
		x, y = y, x
	}
	times, ok := shift(y)
	if !ok {
		times = maxLength + 1 // unless there is nothing to repeat
	}
	return product(lengthOf(x), max(times, 0))
}

// product is that of two lengths, or more than maxLength where it is so great.
func product(a, b int) int {
	if a > 0 && b > maxLength {
		return maxLength + 1
	}
	return a * b
}

// lengthOf is the number of elements or bytes of what has some; 0 of others.
func lengthOf(x starlark.Value) int { return max(starlark.Len(x), 0) }

// longestText is the length of the longest text that a format makes of a value: a number or
// a text, or an element of a tuple or a dict of such.
func longestText(y starlark.Value) (int, error) {
	var elements starlark.Tuple
	switch y := y.(type) {
	case starlark.Tuple:
		elements = y
	case *starlark.Dict:
		for _, item := range y.Items() {
			elements = append(elements, item[1])
		}
	default:
		elements = starlark.Tuple{y}
	}
	longest := 0
	for _, x := range elements {
		n, ok := lengthOfText(x)
		if !ok {
			return 0, errNested
		}
		longest = max(longest, n)
	}
	return longest, nil
}

// lengthOfText is a bound of the length of a number or a text as a text.
func lengthOfText(x starlark.Value) (int, bool) {
	switch x := x.(type) {
	case starlark.String:
		return 4 * len(x), true // \x00 is one byte
	case starlark.Bytes:
		return 4 * len(x), true
	case starlark.Int:
		return bitsOf(x)/3 + 2, true
	case starlark.Float, starlark.Bool, starlark.NoneType:
		return 32, true
	}
	return 0, false
}

// maxDigits is more than a whole number of maxBits has.
const maxDigits = 1300

var errNested = errors.New("only numbers and texts become text")

// textual is a function of the language that makes text of values.
func textual(name string) starlark.Value {
	original := starlark.Universe[name].(*starlark.Builtin)
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		length := 0
		for _, arg := range args {
			n, err := longestText(arg)
			if text, ok := arg.(starlark.String); ok && name != "repr" {
				n = len(text)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			length += n
		}
		cost, err := boundLength(length)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		charge(t, cost)
		return original.CallInternal(t, args, kwargs)
	})
}

// shortInt is int with a bounded text.
func shortInt(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		if text, ok := args[0].(starlark.String); ok && len(text) > maxDigits {
			return nil, fmt.Errorf("int: the text has more than %d characters", maxDigits)
		}
	}
	return starlark.Universe["int"].(*starlark.Builtin).CallInternal(t, args, kwargs)
}

// growing are the methods whose result may be much longer than what they are given, with a
// bound of its length.
var growing = map[string]func(x starlark.Value, args starlark.Tuple) (int, error){
	"extend": func(x starlark.Value, args starlark.Tuple) (int, error) { return lengthOf(x) + lengthOf(args[0]), nil },
	"join": func(x starlark.Value, args starlark.Tuple) (int, error) {
		parts, ok := args[0].(starlark.Indexable)
		if !ok {
			return 0, errNested
		}
		length := product(parts.Len(), lengthOf(x))
		for i := 0; i < parts.Len() && length <= maxLength; i++ {
			length += lengthOf(parts.Index(i))
		}
		return length, nil
	},
	"replace": func(x starlark.Value, args starlark.Tuple) (int, error) {
		if len(args) < 2 {
			return 0, nil
		}
		return lengthOf(x) + product(lengthOf(x)+1, lengthOf(args[1])), nil
	},
	"format": func(x starlark.Value, args starlark.Tuple) (int, error) {
		longest, err := longestText(args)
		return lengthOf(x) + product(lengthOf(x), longest), err
	},
	"update": func(x starlark.Value, args starlark.Tuple) (int, error) { return weight(x) + weight(args[0]), nil },
	// The methods below work through what they are given, or hash it.
	"get": ofKey, "setdefault": ofKey,
	"index": throughAll, "remove": throughAll,
	"insert": throughLength, "pop": ofKeyOrLength,
	"upper": throughLength, "lower": throughLength, "title": throughLength, "capitalize": throughLength,
	"count": throughLength, "find": throughLength, "rfind": throughLength, "rindex": throughLength,
	"isalnum": throughLength, "isalpha": throughLength, "isdigit": throughLength, "islower": throughLength,
	"isspace": throughLength, "istitle": throughLength, "isupper": throughLength,
	"strip": throughLength, "lstrip": throughLength, "rstrip": throughLength,
	"items": throughLength, "keys": throughLength, "values": throughLength,
}

// needsArgument are methods whose bound depends on an argument; without it they are errors.
var needsArgument = map[string]bool{"extend": true, "get": true, "join": true, "setdefault": true, "update": true}

func throughLength(x starlark.Value, _ starlark.Tuple) (int, error) { return lengthOf(x), nil }

func throughAll(x starlark.Value, _ starlark.Tuple) (int, error) {
	if _, isText := x.(starlark.String); isText {
		return lengthOf(x), nil
	}
	return weight(x), nil
}

func ofKey(_ starlark.Value, args starlark.Tuple) (int, error) { return weight(args[0]), nil }

func ofKeyOrLength(x starlark.Value, args starlark.Tuple) (int, error) {
	if _, isList := x.(*starlark.List); isList || len(args) == 0 {
		return lengthOf(x), nil
	}
	return ofKey(x, args)
}

// boundMethod is the function that the source calls for such a method of a value: it returns
// the method with a bound.
func boundMethod(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return methodOf(args[0], string(args[1].(starlark.String)))
}

func methodOf(x starlark.Value, name string) (starlark.Value, error) {
	var method starlark.Value
	var err error
	if of, ok := x.(starlark.HasAttrs); ok {
		method, err = of.Attr(name)
	}
	if err != nil {
		return nil, err
	}
	if method == nil {
		return nil, fmt.Errorf("%s has no .%s field or method", x.Type(), name)
	}
	original, ok := method.(*starlark.Builtin)
	length := growing[name]
	if !ok || length == nil {
		return method, nil
	}
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		all := args
		for _, named := range kwargs {
			all = append(all[:len(all):len(all)], named[1])
		}
		if len(all) > 0 || !needsArgument[name] {
			n, err := length(x, all)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			cost, err := boundLength(n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			charge(t, cost)
		}
		return original.CallInternal(t, args, kwargs)
	}), nil
}

// boundGetattr is getattr of the language, with the bounds of methods.
func boundGetattr(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) >= 2 {
		if name, ok := args[1].(starlark.String); ok && growing[string(name)] != nil {
			if method, err := methodOf(args[0], string(name)); err == nil {
				return method, nil
			}
		}
	}
	return starlark.Universe["getattr"].(*starlark.Builtin).CallInternal(t, args, kwargs)
}
