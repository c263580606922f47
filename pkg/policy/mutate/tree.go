// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A spot is a place of a tree, with the node that hangs there.
type spot struct {
	at   **tree.Node
	path string
}

// spots are all places of a tree, a node before those below it.
func spots(root **tree.Node, path string) []spot {
	all := []spot{{root, path}}
	if n := *root; n.If != nil {
		all = append(all, spots(&n.Then, path+".then")...)
		all = append(all, spots(&n.Else, path+".else")...)
	}
	return all
}

// clone copies a node and all below it.
func clone(n *tree.Node) *tree.Node {
	if n == nil {
		return nil
	}
	c := *n
	if n.If != nil {
		condition := *n.If
		c.If = &condition
	}
	c.Then, c.Else, c.Sum = clone(n.Then), clone(n.Else), slices.Clone(n.Sum)
	return &c
}

// rootPath is where the first node of a tree stands in a component.
const rootPath = "decisionTree.root"

// A change changes the node at a spot, and says how; empty where the change does not fit.
type change func(p *part, at spot, s *stats.Stream) string

// changes of trees. Those that change little come several times.
var changes = []change{
	turnNumber, turnNumber, turnNumber, (*part).compareOtherwise, (*part).readAnother, (*part).readAnother,
	(*part).swap, (*part).insert, (*part).insert, (*part).remove, (*part).addTerm, (*part).addTerm, (*part).dropTerm,
}

// changeTree makes one change of a tree.
func (m *Mutator) changeTree(p *part, t *bundle.DecisionTree, s *stats.Stream) string {
	before := len(spots(&t.Root, rootPath))
	words := pick(changes, s)(p, pick(spots(&t.Root, rootPath), s), s)
	return m.within(before, t, words)
}

// within is what a change was called; empty where it made a tree too large.
func (m *Mutator) within(before int, t *bundle.DecisionTree, words string) string {
	if len(spots(&t.Root, rootPath)) > max(m.maxNodes, before) {
		return ""
	}
	return words
}

// graft puts a branch of another tree in the place of one of this tree.
func (m *Mutator) graft(t, donor *bundle.DecisionTree, other *bundle.Bundle, s *stats.Stream) string {
	if donor == nil {
		return ""
	}
	before := len(spots(&t.Root, rootPath))
	at, from := pick(spots(&t.Root, rootPath), s), pick(spots(&donor.Root, rootPath), s)
	if describe(*at.at) == describe(*from.at) {
		return ""
	}
	*at.at = clone(*from.at)
	return m.within(before, t, fmt.Sprintf("%s: %s of %s", at.path, from.path, other.ID()))
}

// turnNumber moves the number of a condition, of a value or of a term.
func turnNumber(p *part, at spot, s *stats.Stream) string {
	n := *at.at
	switch {
	case n.If != nil:
		number, name := threshold(n.If)
		if number == nil {
			return ""
		}
		of := p.option(n.If.Field)
		return turn(number, at.path+".if."+name, of.scale, of.whole, s)
	case n.Value != nil:
		return p.turnAnswer(n.Value, at.path+".value", s)
	case len(n.Sum) == 0 || s.IntN(len(n.Sum)+1) == 0:
		return p.turnAnswer(&n.Plus, at.path+".plus", s)
	}
	i := s.IntN(len(n.Sum))
	path := fmt.Sprintf("%s.sum[%s]", at.path, n.Sum[i].Field)
	if !p.wholeAnswer() && s.IntN(10) == 0 {
		n.Sum[i].Times = -n.Sum[i].Times
		return path + ": the other sign"
	}
	return turn(&n.Sum[i].Times, path, 1/p.option(n.Sum[i].Field).scale, p.wholeAnswer(), s)
}

// turnAnswer moves a number that is an answer, or a part of it.
func (p *part) turnAnswer(number *float64, path string, s *stats.Stream) string {
	if p.layout.Answer != sandbox.Counts && s.IntN(10) == 0 && *number != 0 {
		before := *number
		*number = -before
		return fmt.Sprintf("%s: %s → %s", path, write(before), write(-before))
	}
	return turn(number, path, 1, p.wholeAnswer(), s)
}

func turn(number *float64, path string, scale float64, whole bool, s *stats.Stream) string {
	before := *number
	*number = turned(before, scale, whole, s)
	if *number == before || *number < 0 && before >= 0 { // only a change of the sign changes the sign
		return ""
	}
	return fmt.Sprintf("%s: %s → %s", path, write(before), write(*number))
}

// wholeAnswer reports whether the component answers with whole numbers.
func (p *part) wholeAnswer() bool {
	return p.layout.Answer == sandbox.WholeNumber || p.layout.Answer == sandbox.Counts
}

// compareOtherwise has a condition compare in another way.
func (*part) compareOtherwise(at spot, s *stats.Stream) string {
	n := *at.at
	if n.If == nil || n.If.Is != nil {
		return ""
	}
	before := describe(n)
	number, _ := threshold(n.If)
	*n.If = tree.Predicate{Field: n.If.Field}
	*pick([]**float64{&n.If.Above, &n.If.AtLeast, &n.If.Below, &n.If.AtMost}, s) = number
	if describe(n) == before {
		return ""
	}
	return fmt.Sprintf("%s: %s, not %s", at.path, describe(n), before)
}

// readAnother has a condition or a term read another field.
func (p *part) readAnother(at spot, s *stats.Stream) string {
	n := *at.at
	switch {
	case n.If != nil:
		before := describe(n)
		n.If = p.condition(s)
		if describe(n) == before {
			return ""
		}
		return fmt.Sprintf("%s: %s, not %s", at.path, describe(n), before)
	case len(n.Sum) > 0:
		i := s.IntN(len(n.Sum))
		before := n.Sum[i]
		n.Sum[i] = p.term(s)
		if n.Sum[i] == before || n.Sum[i].Field == "" {
			return ""
		}
		return fmt.Sprintf("%s.sum: %s %s, not %s %s", at.path, write(n.Sum[i].Times), n.Sum[i].Field, write(before.Times), before.Field)
	}
	return ""
}

// swap exchanges the branches of a decision.
func (*part) swap(at spot, _ *stats.Stream) string {
	n := *at.at
	if n.If == nil {
		return ""
	}
	n.Then, n.Else = n.Else, n.Then
	return at.path + ": then and else swapped"
}

// insert puts a decision above a node, whose other branch is a new answer.
func (p *part) insert(at spot, s *stats.Stream) string {
	n := *at.at
	decision := &tree.Node{If: p.condition(s), Then: p.answer(s), Else: n}
	if s.IntN(2) == 0 {
		decision.Then, decision.Else = n, decision.Then
	}
	*at.at = decision
	return fmt.Sprintf("%s: inserted %s", at.path, describe(decision))
}

// remove puts a branch in the place of its decision.
func (*part) remove(at spot, s *stats.Stream) string {
	n := *at.at
	if n.If == nil {
		return ""
	}
	branch := pick([]*tree.Node{n.Then, n.Else}, s)
	*at.at = branch
	return fmt.Sprintf("%s: removed %s", at.path, describe(n))
}

// addTerm adds a field to an answer.
func (p *part) addTerm(at spot, s *stats.Stream) string {
	const most = 8
	n := *at.at
	if n.If != nil || len(n.Sum) >= most {
		return ""
	}
	term := p.term(s)
	if term.Field == "" || slices.ContainsFunc(n.Sum, func(t tree.Term) bool { return t.Field == term.Field }) {
		return ""
	}
	if n.Value != nil {
		n.Plus, n.Value = *n.Value, nil
	}
	n.Sum = append(n.Sum, term)
	return fmt.Sprintf("%s.sum: added %s times %s", at.path, write(term.Times), term.Field)
}

// dropTerm leaves a field out of an answer.
func (*part) dropTerm(at spot, s *stats.Stream) string {
	n := *at.at
	if len(n.Sum) == 0 {
		return ""
	}
	i := s.IntN(len(n.Sum))
	words := fmt.Sprintf("%s.sum: removed %s", at.path, n.Sum[i].Field)
	n.Sum = slices.Delete(n.Sum, i, i+1)
	if len(n.Sum) == 0 {
		n.Value, n.Plus = new(n.Plus), 0
	}
	return words
}
