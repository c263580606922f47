// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// rules compiles the CEL rules of a schema where objects need them. The rules of a whole
// schema take four times as long as those of the fields that an object sets, and the rules
// of a field that no object sets are never evaluated. It may be used concurrently.
type rules struct {
	structural *schema.Structural
	root       *ruleNode

	mu       sync.Mutex
	compiled *cel.Validator // of the nodes that are used
}

func newRules(s *schema.Structural) *rules {
	return &rules{structural: s, root: newRuleNode(s)}
}

// of returns a validator that knows the rules of all fields of an object.
func (r *rules) of(object any) *cel.Validator {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.root.use(object) {
		r.compiled = cel.NewValidator(r.root.used(r.structural), true, celconfig.PerCallLimit)
	}
	return r.compiled
}

// ruleNode is a node of a schema that has rules, or has some beneath it.
type ruleNode struct {
	isUsed     bool
	properties map[string]*ruleNode
	items      *ruleNode
	additional *ruleNode
}

// newRuleNode returns nil for a node without rules.
func newRuleNode(s *schema.Structural) *ruleNode {
	if s == nil {
		return nil
	}
	n := &ruleNode{properties: map[string]*ruleNode{}, items: newRuleNode(s.Items)}
	if s.AdditionalProperties != nil {
		n.additional = newRuleNode(s.AdditionalProperties.Structural)
	}
	for name := range s.Properties {
		child := s.Properties[name]
		if of := newRuleNode(&child); of != nil {
			n.properties[name] = of
		}
	}
	if len(s.XValidations) == 0 && len(n.properties) == 0 && n.items == nil && n.additional == nil {
		return nil
	}
	return n
}

// use notes that an object has the node, and reports whether it or a node beneath it was
// not used before.
func (n *ruleNode) use(value any) bool {
	if n == nil || value == nil {
		return false
	}
	isNew := !n.isUsed
	n.isUsed = true
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			of, ok := n.properties[name]
			if !ok {
				of = n.additional
			}
			isNew = of.use(child) || isNew
		}
	case []any:
		for _, child := range value {
			isNew = n.items.use(child) || isNew
		}
	}
	return isNew
}

// used returns the node's schema without the rules of nodes that are not used.
func (n *ruleNode) used(s *schema.Structural) *schema.Structural {
	if s == nil || n == nil {
		return s
	}
	kept := *s
	if !n.isUsed {
		kept.XValidations = nil
	}
	kept.Items = n.items.used(s.Items)
	if s.AdditionalProperties != nil {
		additional := *s.AdditionalProperties
		additional.Structural = n.additional.used(s.AdditionalProperties.Structural)
		kept.AdditionalProperties = &additional
	}
	if len(n.properties) > 0 {
		kept.Properties = make(map[string]schema.Structural, len(s.Properties))
		for name := range s.Properties {
			child := s.Properties[name]
			kept.Properties[name] = *n.properties[name].used(&child)
		}
	}
	return &kept
}
