// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// Bounds of a tree.
const (
	maxNodes = 1000
	maxDepth = 50
)

// Code is a tree without faults. It implements [sandbox.Code].
type Code struct {
	layout *sandbox.Layout
	nodes  []node // the root comes first
}

// node is a decision between two other nodes, or a leaf with terms.
type node struct {
	leaf        bool
	plus        float64
	terms       []term
	field       ref
	compare     comparison
	value       float64
	then, other int
}

type term struct {
	field ref
	times float64
}

type comparison int

const (
	above comparison = iota
	atLeast
	below
	atMost
	equals
)

// Load reads a tree. Errors have the paths of its fields under path.
func Load(root *Node, layout *sandbox.Layout, path *field.Path) (*Code, field.ErrorList) {
	l := &loader{layout: layout, code: &Code{layout: layout}}
	l.node(root, path, 1)
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	return l.code, nil
}

type loader struct {
	layout *sandbox.Layout
	code   *Code
	errs   field.ErrorList
}

func (l *loader) invalid(path *field.Path, value any, format string, values ...any) {
	l.errs = append(l.errs, field.Invalid(path, value, fmt.Sprintf(format, values...)))
}

// node reads a node and those below it, and returns its number.
func (l *loader) node(in *Node, path *field.Path, depth int) int {
	at := len(l.code.nodes)
	l.code.nodes = append(l.code.nodes, node{})
	if depth > maxDepth || at >= maxNodes {
		if at == maxNodes || depth == maxDepth+1 {
			l.invalid(path, at, "a tree has at most %d nodes, %d deep", maxNodes, maxDepth)
		}
		return at
	}
	var n node
	switch forms := in.forms(); {
	case len(forms) != 1:
		l.errs = append(l.errs, field.Invalid(path, strings.Join(forms, ", "), "must have exactly one of if, value and sum"))
	case in.If != nil:
		n = l.decision(in, path, depth)
	case in.Value != nil:
		n = node{leaf: true, plus: l.number(*in.Value, path.Child("value"))}
	default:
		n = node{leaf: true, plus: l.number(in.Plus, path.Child("plus")), terms: l.sum(in.Sum, path.Child("sum"))}
	}
	if in.If == nil && (in.Then != nil || in.Else != nil) {
		l.errs = append(l.errs, field.Forbidden(path, "then and else need if"))
	}
	if len(in.Sum) == 0 && in.Plus != 0 {
		l.errs = append(l.errs, field.Forbidden(path.Child("plus"), "needs sum"))
	}
	l.code.nodes[at] = n
	return at
}

func (in *Node) forms() []string {
	var forms []string
	if in.If != nil {
		forms = append(forms, "if")
	}
	if in.Value != nil {
		forms = append(forms, "value")
	}
	if len(in.Sum) > 0 {
		forms = append(forms, "sum")
	}
	return forms
}

func (l *loader) decision(in *Node, path *field.Path, depth int) node {
	n := l.predicate(in.If, path.Child("if"))
	for _, branch := range []struct {
		name string
		node *Node
		to   *int
	}{{"then", in.Then, &n.then}, {"else", in.Else, &n.other}} {
		if branch.node == nil {
			l.errs = append(l.errs, field.Required(path.Child(branch.name), "a decision has both branches"))
			continue
		}
		*branch.to = l.node(branch.node, path.Child(branch.name), depth+1)
	}
	return n
}

func (l *loader) predicate(in *Predicate, path *field.Path) node {
	var n node
	var stated []string
	number := func(name string, compare comparison, value *float64) {
		if value != nil {
			stated = append(stated, name)
			n.compare, n.value = compare, l.number(*value, path.Child(name))
		}
	}
	number("above", above, in.Above)
	number("atLeast", atLeast, in.AtLeast)
	number("below", below, in.Below)
	number("atMost", atMost, in.AtMost)
	number("equals", equals, in.Equals)
	if in.Is != nil {
		stated = append(stated, "is")
	}
	if len(stated) != 1 {
		l.invalid(path, strings.Join(stated, ", "), "must have exactly one of above, atLeast, below, atMost, equals and is")
	}
	var of *sandbox.Field
	n.field, of = l.find(in.Field, path.Child("field"))
	if of == nil {
		return n
	}
	switch isLabel := of.Kind == sandbox.Label; {
	case in.Is != nil && !isLabel:
		l.invalid(path.Child("is"), *in.Is, "%s is a number", in.Field)
	case in.Is == nil && isLabel:
		l.invalid(path.Child("field"), in.Field, "is a name: compare it with is")
	case in.Is != nil:
		at := slices.Index(of.Labels, *in.Is)
		if at < 0 {
			l.errs = append(l.errs, field.NotSupported(path.Child("is"), *in.Is, of.Labels))
		}
		n.compare, n.value = equals, float64(at)
	}
	return n
}

func (l *loader) sum(in []Term, path *field.Path) []term {
	var terms []term
	for i := range in {
		at := path.Index(i)
		ref, of := l.find(in[i].Field, at.Child("field"))
		if of != nil && of.Kind == sandbox.Label {
			l.invalid(at.Child("field"), in[i].Field, "is a name and not a number")
		}
		terms = append(terms, term{ref, l.number(in[i].Times, at.Child("times"))})
	}
	return terms
}

func (l *loader) number(x float64, path *field.Path) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		l.invalid(path, fmt.Sprint(x), "must be a finite number")
	}
	return x
}

// New implements [sandbox.Code].
func (c *Code) New(func() float64) (sandbox.Program, *policy.Fault) { return program{c}, nil }
