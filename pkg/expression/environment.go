// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// What bounds the work of reading an expression and of evaluating it once.
const (
	maxLength = 2048 // bytes
	maxDepth  = 64
	// maxCost is in CEL's units, about one for an operation and one for every ten
	// bytes of text that it reads or makes. An evaluation of this cost takes less
	// than a millisecond.
	maxCost = 20_000
	// maxText bounds the text that a name stands for, in bytes. The schema of the
	// API holds values to it.
	maxText = 256
)

// Operators of our own, in place of CEL's; users cannot write these names.
const (
	quotient = "@quotient"
	modulo   = "@modulo"
)

// instead says what to use in place of CEL's functions that are left out: a regular
// expression of a few bytes can take seconds for one text, and the time zones that
// times ask for are the machine's own.
var instead = map[string]string{
	overloads.Matches:              "regular expressions are not available; use startsWith, endsWith, contains or in",
	overloads.TypeConvertTimestamp: noTimes, overloads.TypeConvertDuration: noTimes,
	overloads.TimeGetFullYear: noTimes, overloads.TimeGetMonth: noTimes, overloads.TimeGetDayOfYear: noTimes,
	overloads.TimeGetDate: noTimes, overloads.TimeGetDayOfMonth: noTimes, overloads.TimeGetDayOfWeek: noTimes,
	overloads.TimeGetHours: noTimes, overloads.TimeGetMinutes: noTimes, overloads.TimeGetSeconds: noTimes,
	overloads.TimeGetMilliseconds: noTimes,
}

const noTimes = "times and durations are not available; use numbers"

// library is CEL's standard one without its macros and without what instead lists.
func library() cel.EnvOption {
	subset := env.NewLibrarySubset().SetDisableMacros(true)
	for name := range instead {
		subset.AddExcludedFunctions(env.NewFunction(name))
	}
	return cel.StdLib(cel.StdLibSubset(subset))
}

// longestTexts has every name that stands for a text stand for the longest.
type longestTexts struct{}

// EstimateSize implements checker.CostEstimator.
func (longestTexts) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	if len(node.Path()) > 0 && node.Type().IsExactType(cel.StringType) {
		return &checker.SizeEstimate{Min: 0, Max: maxText}
	}
	return nil
}

// EstimateCallCost implements checker.CostEstimator: CEL does not know how long the
// text of a number is.
func (longestTexts) EstimateCallCost(function, _ string, _ *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if function != overloads.TypeConvertString || len(args) != 1 || args[0].Type().IsExactType(cel.StringType) {
		return nil
	}
	return &checker.CallEstimate{
		CostEstimate: checker.CostEstimate{Min: 1, Max: 1 + longestNumber/10},
		ResultSize:   &checker.SizeEstimate{Min: 0, Max: longestNumber},
	}
}

// longestNumber is how many bytes a number has as a text, and more.
const longestNumber = 512

// environment has CEL's standard functions, as library says, and those of numbers
// that formulas are written with.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewCustomEnv(
		library(),
		cel.EagerlyValidateDeclarations(true),
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
