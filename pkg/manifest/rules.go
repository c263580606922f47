// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"reflect"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// rules are the CEL rules of a schema, by the nodes of the schema that have them or that lead to
// them. Each node compiles its rules when an object first has the node: the rules of a whole schema
// take ten times as long as those of one object. They may be used concurrently.
type rules struct {
	schema      *schema.Structural // nil for a node without rules
	own         func() *cel.Validator
	conjunction func() celgo.Program
	properties  map[string]*rules
	items       *rules
	additional  *rules
}

// newRules returns nil for a schema without rules.
func newRules(s *schema.Structural, isRoot bool) *rules {
	if s == nil {
		return nil
	}
	n := &rules{properties: map[string]*rules{}, items: newRules(s.Items, false)}
	if s.AdditionalProperties != nil {
		n.additional = newRules(s.AdditionalProperties.Structural, false)
	}
	for name := range s.Properties {
		child := s.Properties[name]
		if of := newRules(&child, false); of != nil {
			n.properties[name] = of
		}
	}
	if len(s.XValidations) > 0 {
		n.schema = s
		n.conjunction = sync.OnceValue(func() celgo.Program { return newConjunction(s, isRoot) })
		n.own = sync.OnceValue(func() *cel.Validator {
			return cel.NewValidator(withRulesOfRoot(s), isRoot, celconfig.PerCallLimit)
		})
	} else if len(n.properties) == 0 && n.items == nil && n.additional == nil {
		return nil
	}
	return n
}

// withRulesOfRoot returns a schema without the rules below its root.
func withRulesOfRoot(s *schema.Structural) *schema.Structural {
	bare := withoutRules(s)
	bare.XValidations = s.XValidations
	return bare
}

func withoutRules(s *schema.Structural) *schema.Structural {
	if s == nil {
		return nil
	}
	bare := *s
	bare.XValidations = nil
	bare.Items = withoutRules(s.Items)
	if s.AdditionalProperties != nil {
		additional := *s.AdditionalProperties
		additional.Structural = withoutRules(s.AdditionalProperties.Structural)
		bare.AdditionalProperties = &additional
	}
	if len(s.Properties) > 0 {
		bare.Properties = make(map[string]schema.Structural, len(s.Properties))
		for name := range s.Properties {
			child := s.Properties[name]
			bare.Properties[name] = *withoutRules(&child)
		}
	}
	return &bare
}

// check evaluates the rules of a value and of all below it, within a budget of CEL's cost. Where the
// value equals that of a valid object, its rules hold; valid is nil without one.
func (n *rules) check(at *field.Path, value, valid any, budget *int64) (errs field.ErrorList) {
	if n == nil || value == nil || *budget < 0 || valid != nil && reflect.DeepEqual(value, valid) {
		return nil
	}
	if n.schema != nil {
		errs, *budget = n.own().Validate(context.Background(), at, nil, value, nil, *budget)
	}
	switch value := value.(type) {
	case map[string]any:
		before, _ := valid.(map[string]any)
		for name, child := range value {
			if of, ok := n.properties[name]; ok {
				errs = append(errs, of.check(at.Child(name), child, before[name], budget)...)
			} else {
				errs = append(errs, n.additional.check(at.Key(name), child, before[name], budget)...)
			}
		}
	case []any:
		before, _ := valid.([]any)
		for i, child := range value {
			var was any
			if i < len(before) {
				was = before[i]
			}
			errs = append(errs, n.items.check(at.Index(i), child, was, budget)...)
		}
	}
	return errs
}
