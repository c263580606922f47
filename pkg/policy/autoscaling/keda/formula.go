// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// A Formula makes one number of those of the triggers, which it knows by their names.
type Formula struct{ program *vm.Program }

// maxFormula bounds the bytes of a formula.
const maxFormula = 1 << 10

// functions are those that a formula may call. Others read a clock or the time zones of the
// machine, depend on the order of a map, or make texts and lists of any length.
var functions = []string{
	"abs", "all", "any", "ceil", "count", "filter", "find", "first", "float", "floor", "int", "last", "len", "map",
	"max", "mean", "median", "min", "none", "one", "round", "sort", "sum",
}

// CompileFormula reads a formula about triggers, as KEDA does. KEDA evaluates it once for −1 of
// each trigger.
func CompileFormula(text string, triggers []string) (*Formula, error) {
	if len(text) > maxFormula {
		return nil, fmt.Errorf("must have at most %d bytes", maxFormula)
	}
	text = asNumber(text)
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, told(err)
	}
	var b bounds
	if ast.Walk(&tree.Node, &b); len(b.refused) > 0 {
		return nil, b.error()
	}
	types, values := map[string]float64{}, map[string]any{}
	for _, name := range triggers {
		types[name], values[name] = -1, -1.0
	}
	program, err := expr.Compile(text, expr.Env(types))
	if err != nil {
		return nil, told(err)
	}
	f := &Formula{program}
	if _, err := expr.Run(program, values); err != nil {
		return nil, told(err)
	}
	return f, nil
}

// asNumber makes a formula one of a number, as KEDA does. One with ?? may have no value.
func asNumber(text string) string {
	switch {
	case strings.Contains(text, "??"):
		return fmt.Sprintf("let _kedaCompositeResult = (%s); _kedaCompositeResult == nil ? nil : float(_kedaCompositeResult)", text)
	case strings.HasPrefix(text, "float("):
		return text
	default:
		return "float(" + text + ")"
	}
}

// told is an error without the place, which is one in the text that asNumber makes.
func told(err error) error {
	var fault *file.Error
	if errors.As(err, &fault) {
		return errors.New(fault.Message)
	}
	return err
}

// value evaluates the formula. ok is false where it fails, and is nil where it has no value.
func (f *Formula) value(triggers map[string]any) (value *float64, ok bool) {
	result, err := expr.Run(f.program, triggers)
	if err != nil {
		return nil, false
	}
	if result == nil {
		return nil, true
	}
	number, ok := result.(float64)
	return &number, ok
}

// bounds refuses what depends on the machine, and what could take any time or memory.
type bounds struct {
	refused []string
	loops   int
}

// maxLoops is how many functions with a predicate may stand in a formula, one in the other.
const maxLoops = 3

// Visit looks at one node.
func (b *bounds) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BuiltinNode:
		if !slices.Contains(functions, n.Name) {
			b.refuse("function %s is not simulated", n.Name)
		}
	case *ast.StringNode, *ast.BytesNode:
		b.refuse("texts and members are not simulated: a formula is one of numbers")
	case *ast.BinaryNode:
		if n.Operator == ".." {
			b.refuse("the range .. is not simulated: state a list such as [1, 2]")
		}
	case *ast.PredicateNode:
		if b.loops++; b.loops == maxLoops+1 {
			b.refuse("more than %d functions with a predicate are not simulated", maxLoops)
		}
	}
}

func (b *bounds) refuse(format string, arguments ...any) {
	if text := fmt.Sprintf(format, arguments...); !slices.Contains(b.refused, text) {
		b.refused = append(b.refused, text)
	}
}

// error lists what is refused, and what is not.
func (b *bounds) error() error {
	return fmt.Errorf("%s; the functions are %s", strings.Join(b.refused, "; "), strings.Join(functions, ", "))
}
