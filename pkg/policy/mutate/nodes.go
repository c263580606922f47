// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// option is what is known of a field that a tree reads.
func (p *part) option(name string) option {
	if i := slices.IndexFunc(p.fields, func(o option) bool { return o.name == name }); i >= 0 {
		return p.fields[i]
	}
	return option{name: name, scale: 1} // such as a sum over all rows, which the first tree may read
}

// condition draws a condition.
func (p *part) condition(s *stats.Stream) *tree.Predicate {
	o := pick(p.fields, s)
	c := &tree.Predicate{Field: o.name}
	if len(o.labels) > 0 {
		c.Is = new(pick(o.labels, s))
		return c
	}
	number := new(math.Abs(turned(0, float64(2*o.scale), o.whole, s)))
	*pick([]**float64{&c.Above, &c.Below}, s) = number
	return c
}

// answer draws a leaf.
func (p *part) answer(s *stats.Stream) *tree.Node {
	if s.IntN(2) == 0 {
		if term := p.term(s); term.Field != "" {
			return &tree.Node{Sum: []tree.Term{term}}
		}
	}
	value := math.Abs(turned(0, 2, p.wholeAnswer(), s))
	switch p.layout.Answer {
	case sandbox.Verdict:
		value = pick([]float64{0, -1, value}, s)
	case sandbox.Counts:
	default:
		if value != 0 && s.IntN(2) == 0 {
			value = -value
		}
	}
	return &tree.Node{Value: &value}
}

// term draws a field and its weight, so that usual sizes of the field count about 1. It has
// no field where none may be added up.
func (p *part) term(s *stats.Stream) tree.Term {
	// What is the same for all rows moves all of their scores alike.
	onlyRows := p.layout.Answer == sandbox.Scores && s.IntN(8) > 0
	var fields []option
	for _, o := range p.fields {
		if len(o.labels) == 0 && (o.whole || !p.wholeAnswer()) && (o.ofRow || !onlyRows) {
			fields = append(fields, o)
		}
	}
	if len(fields) == 0 {
		return tree.Term{}
	}
	o := pick(fields, s)
	times := 1.0
	if !p.wholeAnswer() {
		times = short(factor(s) / o.scale)
	}
	if p.layout.Answer != sandbox.Counts && s.IntN(2) == 0 {
		times = -times
	}
	return tree.Term{Field: o.name, Times: times}
}

// threshold is the number that a condition compares with, and its name; nil where the
// condition compares with a name.
func threshold(c *tree.Predicate) (*float64, string) {
	for _, form := range []struct {
		name   string
		number *float64
	}{{"above", c.Above}, {"atLeast", c.AtLeast}, {"below", c.Below}, {"atMost", c.AtMost}, {"equals", c.Equals}} {
		if form.number != nil {
			return form.number, form.name
		}
	}
	return nil, ""
}

// describe says in words what a node is, without those below it.
func describe(n *tree.Node) string {
	switch {
	case n.If != nil && n.If.Is != nil:
		return fmt.Sprintf("if %s is %s", n.If.Field, *n.If.Is)
	case n.If != nil:
		number, name := threshold(n.If)
		return fmt.Sprintf("if %s %s %s", n.If.Field, name, write(*number))
	case n.Value != nil:
		return write(*n.Value)
	}
	words := write(n.Plus)
	for _, t := range n.Sum {
		words += fmt.Sprintf(" + %s %s", write(t.Times), t.Field)
	}
	return words
}
