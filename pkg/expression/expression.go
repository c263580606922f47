// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Kind is what a name stands for, or an expression gives.
type Kind int

// The kinds.
const (
	Number Kind = iota // a float64
	Text               // a string
	Bool               // a bool
)

func (k Kind) String() string { return [...]string{"a number", "a text", "true or false"}[k] }

// Names are what expressions can use.
type Names struct {
	// Function is the name of a function that takes a name as a text, such as
	// metric in metric("ttft.p99{class=critical}"), for names that are not
	// identifiers, or several of them joined by dots.
	Function string
	// Kind says what a name stands for, or why it does not.
	Kind func(name string) (Kind, error)
}

// Expression is a compiled expression. It is safe for concurrent use.
type Expression struct {
	text    string
	program cel.Program
	uses    []string
	slots   map[string]int // of the program's variables, into uses
}

// Compile reads an expression that gives a value of a kind. Errors name the
// column, in characters from 1.
func Compile(text string, names Names, kind Kind) (*Expression, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("must not be empty")
	}
	if len(text) > maxLength {
		return nil, fmt.Errorf("must be at most %d bytes long", maxLength)
	}
	env, err := environment()
	if err != nil {
		panic(fmt.Sprintf("expression: %v", err))
	}
	ast, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, located(issues)
	}
	tree := ast.NativeRep()
	r := rewriting{names: names, info: tree.SourceInfo(), slots: map[string]int{}, lastID: celast.MaxID(tree)}
	r.rewrite(tree.Expr())
	if r.err != nil {
		return nil, r.err
	}
	if env, err = env.Extend(r.variables...); err != nil {
		panic(fmt.Sprintf("expression: %v", err))
	}
	checked, issues := env.Check(ast)
	if issues.Err() != nil {
		return nil, located(issues)
	}
	if !kind.isGivenBy(checked.OutputType()) {
		return nil, fmt.Errorf("must give %s, and gives %s", kind, cel.FormatCELType(checked.OutputType()))
	}
	if err := affordable(env, checked); err != nil {
		return nil, err
	}
	program, err := env.Program(checked)
	if err != nil {
		return nil, err
	}
	return &Expression{text, program, r.uses, r.slots}, nil
}

// affordable refuses what takes too long to evaluate for some values. It goes by the
// greatest cost that there can be, and so does not depend on the values.
func affordable(env *cel.Env, checked *cel.Ast) error {
	cost, err := env.EstimateCost(checked, longestTexts{})
	switch {
	case err != nil:
		return fmt.Errorf("estimate the cost: %w", err)
	case cost.Max > maxCost:
		return fmt.Errorf("takes too long: an evaluation costs up to %d units, at most %d: join fewer texts, and compare shorter lists", cost.Max, maxCost)
	}
	return nil
}

// located makes an error of the first issue, which the others mostly follow from.
func located(issues *cel.Issues) error {
	first := issues.Errors()[0]
	return at(first.Location, first.Message)
}

func (k Kind) isGivenBy(t *cel.Type) bool {
	switch k {
	case Number:
		return t.IsExactType(cel.DoubleType)
	case Text:
		return t.IsExactType(cel.StringType)
	default:
		return t.IsExactType(cel.BoolType)
	}
}

// String returns the text that was compiled.
func (e *Expression) String() string { return e.text }

// Uses returns the names that the expression uses, each once, in their order.
func (e *Expression) Uses() []string { return e.uses }

// errNoValue is raised where a name has no value and where a division has none.
var errNoValue = errors.New("no value")

// Evaluate returns a float64, a string or a bool, as the expression's kind is.
// values returns the same of a name, and whether it has any. Where it has none,
// where it is not finite and where something is divided by 0, what needs it has
// no value either: ok is false. Alternatives of || and && and branches that do
// not decide are not needed.
func (e *Expression) Evaluate(values func(name string) (value any, ok bool)) (result any, ok bool, err error) {
	out, _, err := e.program.Eval(&bindings{e, values})
	switch {
	case errors.Is(err, errNoValue):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("evaluate %s: %w", e.text, err)
	}
	if number, is := out.(types.Double); is {
		return float64(number), isFinite(float64(number)), nil
	}
	return out.Value(), true, nil
}

// Number evaluates an expression of the kind Number over numbers.
func (e *Expression) Number(values func(name string) (float64, bool)) (result float64, ok bool, err error) {
	out, ok, err := e.Evaluate(func(name string) (any, bool) { return values(name) })
	if !ok {
		return 0, false, err
	}
	return out.(float64), true, nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// bindings gives a program the values of its variables.
type bindings struct {
	expression *Expression
	values     func(name string) (any, bool)
}

func (b *bindings) ResolveName(variable string) (any, bool) {
	slot, ok := b.expression.slots[variable]
	if !ok {
		return nil, false
	}
	value, ok := b.values(b.expression.uses[slot])
	if number, is := value.(float64); !ok || is && !isFinite(number) {
		return types.WrapErr(errNoValue), true
	}
	return value, true
}

func (b *bindings) Parent() cel.Activation { return nil }
