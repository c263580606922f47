// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// unions are the rules of a sweep's spec of which one field decides which others go with it: a
// rule for each field that may be wrong, so that its error stands at the field.
var unions = append(modeRules(v1alpha1.SweepModes), settingRules(v1alpha1.SearchSettings)...)

// rule is a rule of a CRD about a field, with its path below spec.
type rule struct{ field, condition, message, reason string }

const (
	required  = "FieldValueRequired"
	forbidden = "FieldValueForbidden"
	invalid   = "FieldValueInvalid"
)

// addUnions adds the rules of the unions to the schema of a sweep's spec, once.
func addUnions(spec object) {
	rules, _ := spec["x-kubernetes-validations"].([]any)
	rules = slices.DeleteFunc(rules, func(old any) bool {
		return slices.ContainsFunc(unions, func(r rule) bool { return r.message == old.(object)["message"] })
	})
	for _, r := range unions {
		rules = append(rules, object{"rule": r.condition, "message": r.message, "reason": r.reason, "fieldPath": "." + r.field})
	}
	spec["x-kubernetes-validations"] = rules
}

// modeRules are the rules that a sweep has the fields that its mode needs, and none that it excludes.
func modeRules(modes []v1alpha1.SweepMode) []rule {
	var rules []rule
	// earlier holds if the sweep has a mode that is tried before.
	earlier := ""
	for _, m := range modes {
		other := earlier
		if m.Chosen != "" {
			other += "!" + m.Chosen + " || "
			earlier += m.Chosen + " || "
		}
		for _, need := range m.Needs {
			fields := strings.Split(need, "|")
			rules = append(rules, rule{
				fields[0], other + "has(self." + strings.Join(fields, ") || has(self.") + ")",
				fmt.Sprintf("a sweep %s needs %s", m.Fields, strings.Join(fields, " or ")), required,
			})
		}
		for _, field := range m.Excludes {
			rules = append(rules, rule{field, other + absent(field), fmt.Sprintf("a sweep %s must not have %s", m.Fields, field), forbidden})
		}
		if m.OnlyGrid {
			rules = append(rules, rule{"search.algorithm", other + "self.search.algorithm == 'Grid'", fmt.Sprintf("a sweep %s must have algorithm Grid", m.Fields), invalid})
		}
	}
	return rules
}

// absent says in CEL that a field is not set. A field below spec that has others is always set.
func absent(field string) string {
	names := strings.Split(field, ".")
	condition := ""
	for i := 2; i < len(names); i++ {
		condition += "!has(self." + strings.Join(names[:i], ".") + ") || "
	}
	return condition + "!has(self." + field + ")"
}

// settingRules are the rules that a search has the settings of its algorithm.
func settingRules(settings []v1alpha1.SearchSetting) []rule {
	var rules []rule
	for _, s := range settings {
		field, names, noun := "search."+s.Field, algorithmNames(s.Algorithms), "algorithm"
		if len(names) > 1 {
			noun = "algorithms"
		}
		takes := "self.search.algorithm in ['" + strings.Join(names, "', '") + "']"
		rules = append(rules, rule{field, "!has(self." + field + ") || " + takes, fmt.Sprintf("only %s %s may have %s", noun, list(names), s.Field), forbidden})
		if s.Required {
			rules = append(rules, rule{field, "has(self." + field + ") || !(" + takes + ")", fmt.Sprintf("%s %s needs %s", noun, list(names), s.Field), required})
		}
	}
	return rules
}

func algorithmNames(algorithms []v1alpha1.SearchAlgorithm) []string {
	var names []string
	for _, a := range algorithms {
		names = append(names, string(a))
	}
	return names
}

// list joins words by commas, and the last one by a conjunction.
func list(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
