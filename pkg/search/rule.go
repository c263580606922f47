// SPDX-License-Identifier: Apache-2.0

package search

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/expression"
)

// rule is a compiled rule.
type rule struct {
	Rule
	expression *expression.Expression
	uses       []int             // indices of parameters
	kinds      []expression.Kind // of their values
	last       int               // the greatest of them
}

// rules compiles the rules of a space. path is that of their list.
func (s Space) rules(path *field.Path) ([]*rule, field.ErrorList) {
	var errs field.ErrorList
	var rules []*rule
	for i, r := range s.Rules {
		compiled, err := s.rule(r)
		if err != nil {
			errs = append(errs, field.Invalid(path.Index(i).Child("expression"), r.Expression, err.Error()))
		}
		rules = append(rules, compiled)
	}
	return rules, errs
}

func (s Space) rule(r Rule) (*rule, error) {
	names := expression.Names{Function: "parameter", Kind: s.kindOf}
	e, err := expression.Compile(r.Expression, names, expression.Bool)
	switch {
	case err != nil:
		return nil, err
	case len(e.Uses()) == 0:
		return nil, errors.New("must use a parameter")
	}
	compiled := &rule{Rule: r, expression: e}
	for _, name := range e.Uses() {
		i := s.index(name)
		compiled.uses, compiled.kinds = append(compiled.uses, i), append(compiled.kinds, s.Parameters[i].ruleKind())
	}
	compiled.last = slices.Max(compiled.uses)
	return compiled, nil
}

// index finds a parameter; -1 if there is none of that name.
func (s Space) index(name string) int {
	return slices.IndexFunc(s.Parameters, func(p Parameter) bool { return p.Name == name })
}

// kindOf says what a parameter is in a rule.
func (s Space) kindOf(name string) (expression.Kind, error) {
	i := s.index(name)
	if i < 0 {
		return 0, fmt.Errorf("there is no parameter %q", name)
	}
	if s.Parameters[i].Kind == Evolved {
		return 0, fmt.Errorf("parameter %q evolves, so its values are no numbers and no labels", name)
	}
	return s.Parameters[i].ruleKind(), nil
}

// ruleKind is what the values are in rules. It looks at all of them.
func (p Parameter) ruleKind() expression.Kind {
	unlike := func(is func(string) bool) bool {
		return slices.ContainsFunc(p.Choices, func(label string) bool { return !is(label) })
	}
	switch {
	case p.Kind != Choice || !unlike(isDecimal):
		return expression.Number
	case !unlike(func(label string) bool { return label == "true" || label == "false" }):
		return expression.Bool
	default:
		return expression.Text
	}
}

func isDecimal(text string) bool {
	_, err := parseDecimal(text)
	return err == nil
}

// holds says whether the rule lets a point be, whose values up to that of index
// last are set.
func (r *rule) holds(p Values) bool {
	for _, i := range r.uses {
		if p[i] == "" {
			return true
		}
	}
	value, ok, err := r.expression.Evaluate(func(name string) (any, bool) {
		use := slices.Index(r.expression.Uses(), name)
		return ruleValue(r.kinds[use], p[r.uses[use]]), true
	})
	return err == nil && ok && value.(bool)
}

// ruleValue is a value as a rule sees it.
func ruleValue(kind expression.Kind, v Value) any {
	switch kind {
	case expression.Number:
		return numberOf(v)
	case expression.Bool:
		return v == "true"
	default:
		return v
	}
}
