// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// What bounds the work of reading an expression, and with it, there being no
// loops, that of evaluating it.
const (
	maxLength = 2048 // bytes
	maxDepth  = 64
)

// Operators of our own, in place of CEL's; nobody can write these names.
const (
	quotient = "@quotient"
	modulo   = "@modulo"
)

// environment has CEL's standard functions without its macros, and those of
// numbers that formulas are written with.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.ClearMacros(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(maxDepth),
		ofTwo(quotient, divide),
		ofTwo(modulo, remainder),
		ofTwo("min", func(x, y float64) ref.Val { return types.Double(math.Min(x, y)) }),
		ofTwo("max", func(x, y float64) ref.Val { return types.Double(math.Max(x, y)) }),
		ofOne("abs", math.Abs), ofOne("floor", math.Floor), ofOne("ceil", math.Ceil),
		ofOne("round", math.Round), ofOne("sqrt", math.Sqrt),
	)
})

func ofOne(name string, f func(float64) float64) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_of_numbers", []*cel.Type{cel.DoubleType}, cel.DoubleType,
		cel.UnaryBinding(func(x ref.Val) ref.Val { return types.Double(f(float64(x.(types.Double)))) })))
}

func ofTwo(name string, f func(x, y float64) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_of_numbers", []*cel.Type{cel.DoubleType, cel.DoubleType}, cel.DoubleType,
		cel.BinaryBinding(func(x, y ref.Val) ref.Val { return f(float64(x.(types.Double)), float64(y.(types.Double))) })))
}

func divide(x, y float64) ref.Val {
	if y == 0 {
		return types.WrapErr(errNoValue)
	}
	return types.Double(x / y)
}

// remainder has the sign of x, as in most languages.
func remainder(x, y float64) ref.Val {
	if y == 0 {
		return types.WrapErr(errNoValue)
	}
	return types.Double(math.Mod(x, y))
}
