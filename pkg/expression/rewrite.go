// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// rewriting turns a parsed expression into one that CEL checks as it is meant:
// names become variables, whatever their spelling; whole numbers become doubles,
// since CEL would not multiply 2 by 0.5; and division and remainder become ones
// of doubles that have no value where the divisor is 0.
type rewriting struct {
	names     Names
	info      *ast.SourceInfo
	uses      []string
	slots     map[string]int
	variables []cel.EnvOption
	lastID    int64 // of an expression
	err       error // the first one
}

func (r *rewriting) rewrite(e ast.Expr) {
	if r.err != nil {
		return
	}
	switch e.Kind() {
	case ast.LiteralKind:
		r.literal(e)
	case ast.IdentKind, ast.SelectKind:
		if name, ok := dotted(e); ok {
			r.use(e, name)
		} else {
			r.fail(e, "only names are joined by dots")
		}
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			r.rewrite(element)
		}
	case ast.CallKind:
		r.call(e)
	default:
		r.fail(e, "only numbers, texts, names, lists, operators and functions can be used")
	}
}

func (r *rewriting) literal(e ast.Expr) {
	switch value := e.AsLiteral().(type) {
	case types.Int:
		e.SetKindCase(factory.NewLiteral(e.ID(), types.Double(value)))
	case types.Uint:
		e.SetKindCase(factory.NewLiteral(e.ID(), types.Double(value)))
	}
}

func (r *rewriting) call(e ast.Expr) {
	call := e.AsCall()
	if call.FunctionName() == r.names.Function && !call.IsMemberFunction() {
		r.useByText(e)
		return
	}
	if advice := instead[call.FunctionName()]; advice != "" {
		r.fail(e, fmt.Sprintf("%s: %s", call.FunctionName(), advice))
		return
	}
	if call.IsMemberFunction() {
		r.rewrite(call.Target())
	}
	for _, arg := range call.Args() {
		r.rewrite(arg)
	}
	switch name := call.FunctionName(); name {
	case operators.Divide:
		e.SetKindCase(factory.NewCall(e.ID(), quotient, call.Args()...))
	case operators.Modulo:
		e.SetKindCase(factory.NewCall(e.ID(), modulo, call.Args()...))
	case overloads.Size, overloads.TypeConvertInt, overloads.TypeConvertUint:
		r.lastID++
		whole := factory.NewCall(r.lastID, name, call.Args()...)
		if call.IsMemberFunction() {
			whole = factory.NewMemberCall(r.lastID, name, call.Target(), call.Args()...)
		}
		e.SetKindCase(factory.NewCall(e.ID(), overloads.TypeConvertDouble, whole))
	}
}

// useByText replaces metric("…").
func (r *rewriting) useByText(e ast.Expr) {
	args := e.AsCall().Args()
	if len(args) == 1 && args[0].Kind() == ast.LiteralKind {
		if name, ok := args[0].AsLiteral().(types.String); ok {
			r.use(e, string(name))
			return
		}
	}
	r.fail(e, fmt.Sprintf("%s takes one text in quotes", r.names.Function))
}

// use replaces an expression by the variable of a name.
func (r *rewriting) use(e ast.Expr, name string) {
	slot := slices.Index(r.uses, name)
	variable := fmt.Sprintf("v%d", slot)
	if slot < 0 {
		kind, err := r.names.Kind(name)
		if err != nil {
			r.fail(e, err.Error())
			return
		}
		variable = fmt.Sprintf("v%d", len(r.uses))
		r.slots[variable] = len(r.uses)
		r.uses = append(r.uses, name)
		r.variables = append(r.variables, cel.Variable(variable, kind.celType()))
	}
	e.SetKindCase(factory.NewIdent(e.ID(), variable))
}

func (k Kind) celType() *cel.Type {
	return [...]*cel.Type{cel.DoubleType, cel.StringType, cel.BoolType}[k]
}

// dotted returns the name that identifiers joined by dots make.
func dotted(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), true
	case ast.SelectKind:
		if name, ok := dotted(e.AsSelect().Operand()); ok {
			return name + "." + e.AsSelect().FieldName(), true
		}
	}
	return "", false
}

func (r *rewriting) fail(e ast.Expr, message string) {
	if r.err == nil {
		r.err = at(r.info.GetStartLocation(leftmost(e).ID()), message)
	}
}

// leftmost returns where an expression begins: CEL places a selection at its dot.
func leftmost(e ast.Expr) ast.Expr {
	for e.Kind() == ast.SelectKind {
		e = e.AsSelect().Operand()
	}
	return e
}

var factory = ast.NewExprFactory()

// asWritten undoes in messages what was done to operators.
var asWritten = strings.NewReplacer(quotient, operators.Divide, modulo, operators.Modulo)

func at(l common.Location, message string) error {
	message = asWritten.Replace(message)
	if l.Line() > 1 {
		return fmt.Errorf("line %d, column %d: %s", l.Line(), l.Column()+1, message)
	}
	return fmt.Errorf("column %d: %s", l.Column()+1, message)
}
