// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	validator "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Most objects are valid, and to find that takes less than to say what is wrong. To check the types
// of a rule, CEL makes an environment with the types of all fields below the node: that is most of
// the work for an object. Types do not change what a rule says of a value. So the rules of a node are
// one program without checked types, which says whether all hold. Where it does not say yes, the
// rules are checked as an API server does.

// parsed is the environment in which rules without types are parsed.
var parsed = sync.OnceValue(func() *cel.Env {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv()
})

// programs are those of rules that a node had before, by their text.
var programs sync.Map

// newConjunction returns the rules of a node as one program, nil where that cannot be: "self" of a
// root has the metadata, too.
func newConjunction(s *schema.Structural, isRoot bool) cel.Program {
	if isRoot {
		return nil
	}
	var all []string
	for _, rule := range s.XValidations {
		if strings.Contains(rule.Rule, validator.OldScopedVarName) {
			return nil
		}
		all = append(all, "("+rule.Rule+")")
	}
	text := strings.Join(all, " && ")
	if known, ok := programs.Load(text); ok { // many nodes have the same rule
		return known.(cel.Program)
	}
	ast, issues := parsed().Parse(text)
	if issues.Err() != nil {
		panic(fmt.Sprintf("the rules %s: %v", text, issues.Err())) // the tests compile all
	}
	program, err := parsed().Program(ast, cel.CostTracking(atMost{}), cel.CostLimit(celconfig.PerCallLimit))
	if err != nil {
		panic(fmt.Sprintf("the rules %s: %v", text, err))
	}
	programs.Store(text, program)
	return program
}

// atMost has a call cost no less than with checked types, of which the cost depends.
type atMost struct{}

// CallCost implements interpreter.ActualCostEstimator.
func (atMost) CallCost(_, _ string, args []ref.Val, _ ref.Val) *uint64 {
	cost := uint64(1)
	for _, a := range args {
		size := types.Int(1)
		if sized, is := a.(traits.Sizer); is {
			size = sized.Size().(types.Int)
		}
		cost *= 1 + uint64(size)
	}
	return &cost
}

// hold reports whether the rules of a value and of all below it hold for certain, within a budget of
// CEL's cost. Where the value equals that of a valid object, its rules hold; valid is nil without one.
func (n *rules) hold(value, valid any, budget *int64) bool {
	if n == nil || value == nil || valid != nil && reflect.DeepEqual(value, valid) {
		return true
	}
	if n.schema != nil && !n.ownHold(value, budget) {
		return false
	}
	switch value := value.(type) {
	case map[string]any:
		before, _ := valid.(map[string]any)
		for name, child := range value {
			of, ok := n.properties[name]
			if !ok {
				of = n.additional
			}
			if !of.hold(child, before[name], budget) {
				return false
			}
		}
	case []any:
		before, _ := valid.([]any)
		for i, child := range value {
			var was any
			if i < len(before) {
				was = before[i]
			}
			if !n.items.hold(child, was, budget) {
				return false
			}
		}
	}
	return true
}

// ownHold is hold for the rules of the node itself.
func (n *rules) ownHold(value any, budget *int64) bool {
	program := n.conjunction()
	if program == nil {
		return false
	}
	result, details, err := program.Eval(map[string]any{validator.ScopedVarName: validator.UnstructuredToVal(value, n.schema)})
	if err != nil || result != types.True {
		return false
	}
	*budget -= int64(min(*details.ActualCost(), celconfig.PerCallLimit))
	return *budget >= 0
}
