// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"strconv"

	"go.starlark.net/syntax"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// Names that no source can write, of functions that bound the size of values.
const (
	operandName = "<operand>"
	extendsName = "<extends>"
	methodName  = "<method>"
	weighedName = "<weighed>"
	copiedName  = "<copied>"
	namesName   = "<names>"
)

// A bounder puts calls of functions that bound the size of values into a source.
type bounder struct {
	// floats and numbers are the names of fields that are floating-point numbers, and that
	// are numbers, of all that has fields.
	floats, numbers map[string]bool
	kinds           map[syntax.Expr]kind
	// refused is what has no bound; nil for nothing.
	refused error
}

func newBounder(l *sandbox.Layout, parameters map[string]float64) *bounder {
	b := &bounder{floats: map[string]bool{}, numbers: map[string]bool{}, kinds: map[syntax.Expr]kind{}}
	groups := l.Groups
	if l.Rows != nil {
		groups = append(groups[:len(groups):len(groups)], *l.Rows)
	}
	for name := range parameters {
		b.floats[name], b.numbers[name] = true, true
	}
	// A name that several groups have counts as the least that is known of it.
	for i := range groups {
		for _, f := range groups[i].Fields {
			_, known := b.numbers[f.Name]
			number, float := f.Kind != sandbox.Label, f.Kind != sandbox.Label && f.Kind != sandbox.Integer
			b.numbers[f.Name] = number && (!known || b.numbers[f.Name])
			b.floats[f.Name] = float && (!known || b.floats[f.Name])
		}
	}
	return b
}

// bound puts the calls into a file.
func (b *bounder) bound(f *syntax.File) {
	for _, statement := range f.Stmts {
		syntax.Walk(statement, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.BinaryExpr:
				switch {
				case b.mayGrow(n.Op, n.X, n.Y):
					n.X = call(operandName, n.OpPos, n.X)
				case n.Op == syntax.IN || n.Op == syntax.NOT_IN:
					n.X, n.Y = b.weighed(n.X), b.weighed(n.Y)
				case compares[n.Op] && b.mayBeLarge(n.Y):
					n.X = b.weighed(n.X)
				}
			case *syntax.IndexExpr:
				n.Y = b.weighed(n.Y)
			case *syntax.DictEntry:
				n.Key = b.weighed(n.Key)
			case *syntax.SliceExpr:
				n.X = call(copiedName, n.Lbrack, n.X)
			case *syntax.AssignStmt:
				b.assignment(n)
			case *syntax.DotExpr:
				if growing[n.Name.Name] != nil {
					b.refused = syntax.Error{Pos: n.Name.NamePos, Msg: n.Name.Name + " must be called, or an argument, where it is named"}
				}
			case *syntax.CallExpr:
				unpack(n)
				n.Fn = method(n.Fn)
				for i, arg := range n.Args {
					if named, is := arg.(*syntax.BinaryExpr); is && named.Op == syntax.EQ {
						named.Y = method(named.Y)
					} else {
						n.Args[i] = method(arg)
					}
				}
			}
			return true
		})
	}
}

// method is an expression that gives a method its bound, where it names one.
func method(e syntax.Expr) syntax.Expr {
	dot, is := e.(*syntax.DotExpr)
	if !is || growing[dot.Name.Name] == nil {
		return e
	}
	name, at := dot.Name.Name, dot.Name.NamePos
	return call(methodName, at, dot.X, &syntax.Literal{Token: syntax.STRING, TokenPos: at, Raw: strconv.Quote(name), Value: name})
}

// compares are the operators that look into lists, tuples and dicts.
var compares = map[syntax.Token]bool{
	syntax.EQL: true, syntax.NEQ: true, syntax.LT: true, syntax.LE: true, syntax.GT: true, syntax.GE: true,
}

// mayBeLarge reports whether an expression may be a list, a tuple or a dict.
func (b *bounder) mayBeLarge(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Literal:
		return false
	case *syntax.Ident:
		return e.Name != "None" && e.Name != "True" && e.Name != "False"
	}
	return b.kindOf(e) == anything
}

// weighed is an expression whose value is looked at before it is compared or hashed.
func (b *bounder) weighed(e syntax.Expr) syntax.Expr {
	if !b.mayBeLarge(e) {
		return e
	}
	at, _ := e.Span()
	return call(weighedName, at, e)
}

// unpack bounds the lists and dicts that a call takes its arguments from.
func unpack(n *syntax.CallExpr) {
	for _, arg := range n.Args {
		star, is := arg.(*syntax.UnaryExpr)
		switch {
		case !is || star.X == nil:
		case star.Op == syntax.STAR:
			star.X = call(copiedName, star.OpPos, star.X)
		case star.Op == syntax.STARSTAR:
			star.X = call(namesName, star.OpPos, star.X)
		}
	}
}

// assignment bounds what is assigned with an operator: += and |= may change a list or a dict
// in place, and a name is assigned what any other operator makes of it.
func (b *bounder) assignment(n *syntax.AssignStmt) {
	op, is := operators[n.Op]
	if !is || !b.mayGrow(op, n.LHS, n.RHS) {
		return
	}
	name, isName := n.LHS.(*syntax.Ident)
	switch {
	case op == syntax.PLUS || op == syntax.PIPE:
		n.RHS = call(extendsName, n.OpPos, n.RHS)
	case isName:
		n.RHS = &syntax.BinaryExpr{X: &syntax.Ident{NamePos: name.NamePos, Name: name.Name}, OpPos: n.OpPos, Op: op, Y: n.RHS}
		n.Op = syntax.EQ
	case op == syntax.PERCENT: // the interpreter makes the text without asking the operand
		b.refused = syntax.Error{Pos: n.OpPos, Msg: "%= of an element is not offered"}
	default:
		n.RHS = call(operandName, n.OpPos, n.RHS)
	}
}

var operators = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.STAR_EQ: syntax.STAR, syntax.PERCENT_EQ: syntax.PERCENT,
	syntax.LTLT_EQ: syntax.LTLT, syntax.PIPE_EQ: syntax.PIPE,
}

func call(function string, at syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: function}, Lparen: at, Args: args, Rparen: at}
}

// mayGrow reports whether the result of an operator may be large: not where one operand says
// that it is a number, as a floating-point number times another number is one, and a number
// plus another one.
func (b *bounder) mayGrow(op syntax.Token, x, y syntax.Expr) bool {
	switch op {
	case syntax.STAR:
		return b.kindOf(x) != float && b.kindOf(y) != float
	case syntax.PLUS:
		return b.kindOf(x) == anything && b.kindOf(y) == anything
	case syntax.LTLT, syntax.PIPE:
		return true
	case syntax.PERCENT:
		return b.kindOf(x) == anything
	}
	return false
}

// A kind is what an expression is known to be, unless it has an error.
type kind int

const (
	anything kind = iota
	number        // whole or not
	float
)

// kindOf is the kind of an expression, which is looked at once.
func (b *bounder) kindOf(e syntax.Expr) kind {
	k, known := b.kinds[e]
	if !known {
		k = b.look(e)
		b.kinds[e] = k
	}
	return k
}

func (b *bounder) look(e syntax.Expr) kind {
	switch e := e.(type) {
	case *syntax.Literal:
		switch e.Token {
		case syntax.FLOAT:
			return float
		case syntax.INT:
			return number
		}
	case *syntax.ParenExpr:
		return b.kindOf(e.X)
	case *syntax.UnaryExpr:
		if e.X != nil && e.Op != syntax.NOT {
			return max(b.kindOf(e.X), number)
		}
	case *syntax.DotExpr:
		switch {
		case b.floats[e.Name.Name]:
			return float
		case b.numbers[e.Name.Name]:
			return number
		}
	case *syntax.BinaryExpr:
		return kindOfResult(e.Op, b.kindOf(e.X), b.kindOf(e.Y))
	}
	return anything
}

// kindOfResult is the kind of what an operator makes of two kinds.
func kindOfResult(op syntax.Token, x, y kind) kind {
	switch {
	case op == syntax.SLASH:
		return float
	case op != syntax.PLUS && op != syntax.MINUS && op != syntax.STAR && op != syntax.SLASHSLASH:
		return anything
	case max(x, y) == float:
		return float
	case op == syntax.MINUS || op == syntax.SLASHSLASH || min(x, y) == number:
		return number
	}
	return anything
}
