// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// unions are the parts of a sweep's spec of which one field decides which others go with it,
// each with its rule. One rule from a table takes the place of a rule for each pair of fields.
var unions = map[string]rule{"": modesRule(v1alpha1.SweepModes), "search": settingsRule(v1alpha1.SearchSettings)}

// rule is a rule of a CRD. Its message stands where the rule is listed; a user reads the
// message and after it the fields of the case at hand.
type rule struct{ condition, message, details string }

// addUnions adds the rules of the unions to the schema of a sweep's spec, once.
func addUnions(spec object) {
	for name, r := range unions {
		part := spec
		if name != "" {
			part = at(spec, "properties", name)
		}
		rules, _ := part["x-kubernetes-validations"].([]any)
		rules = slices.DeleteFunc(rules, func(old any) bool { return old.(object)["message"] == r.message })
		part["x-kubernetes-validations"] = append(rules, object{
			"rule": r.condition, "message": r.message, "messageExpression": quoted(r.message+": ") + " + " + r.details,
		})
	}
}

// modesRule is the rule that the fields of a sweep fit its mode.
func modesRule(modes []v1alpha1.SweepMode) rule {
	var faults, details strings.Builder
	for _, m := range modes {
		faults.WriteString(choice(m.Chosen, strings.Join(modeFaults(m), " || ")))
		details.WriteString(choice(m.Chosen, quoted(fmt.Sprintf("mode %s (%s) %s", m.Name, m.Fields, contract(m.Needs, nil, m.Excludes)))))
	}
	return rule{"!(" + faults.String() + ")", "must fit the mode of the sweep", "(" + details.String() + ")"}
}

// choice is a branch of a CEL conditional; without a condition it is the last one.
func choice(condition, value string) string {
	if condition == "" {
		return value
	}
	return condition + " ? " + value + " : "
}

// modeFaults are conditions, in CEL, under which the fields of a sweep do not fit its mode. They
// are joined by ||, because && takes 12 bytes of a definition as JSON.
func modeFaults(m v1alpha1.SweepMode) []string {
	var all []string
	for _, need := range m.Needs {
		var oneOf []string
		for field := range strings.SplitSeq(need, "|") {
			oneOf = append(oneOf, isSet(field))
		}
		if len(oneOf) == 1 {
			all = append(all, "!"+oneOf[0])
		} else {
			all = append(all, "!("+strings.Join(oneOf, " || ")+")")
		}
	}
	for _, field := range m.Excludes {
		all = append(all, isSet(field))
	}
	return all
}

// isSet is the condition that a field is set. A field with a default is set if it has another
// value.
func isSet(field string) string {
	if field == "search.algorithm" {
		return "self." + field + " != 'Grid'"
	}
	return "has(self." + field + ")"
}

// settingsRule is the rule that a search has the settings of its algorithm.
func settingsRule(settings []v1alpha1.SearchSetting) rule {
	var faults []string
	// kinds are the different sets of settings, and algorithms those that have one.
	var kinds []string
	algorithms := map[string][]v1alpha1.SearchAlgorithm{}
	for _, s := range settings {
		others := "!" + isOneOf(s.Algorithms)
		if s.Required {
			faults = append(faults, fmt.Sprintf("has(self.%s) == %s", s.Field, others))
		} else {
			faults = append(faults, fmt.Sprintf("(has(self.%s) ? %s : false)", s.Field, others))
		}
		for _, a := range s.Algorithms {
			kind := settingsOf(settings, a)
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			if !slices.Contains(algorithms[kind], a) {
				algorithms[kind] = append(algorithms[kind], a)
			}
		}
	}
	var details strings.Builder
	for _, kind := range kinds {
		details.WriteString(choice(isOneOf(algorithms[kind]), quoted(kind)))
	}
	details.WriteString(quoted(settingsOf(settings, v1alpha1.GridSearch)))
	// The default of a search is checked before the algorithm has its own default.
	return rule{"!has(self.algorithm) || !(" + strings.Join(faults, " || ") + ")", "must have the settings of its algorithm", "self.algorithm + ' ' + (" + details.String() + ")"}
}

// isOneOf is the condition, in CEL, that a search has one of some algorithms.
func isOneOf(algorithms []v1alpha1.SearchAlgorithm) string {
	var all []string
	for _, a := range algorithms {
		all = append(all, quoted(string(a)))
	}
	return "(self.algorithm in [" + strings.Join(all, ", ") + "])"
}

// settingsOf says which settings an algorithm needs, may have and must not have.
func settingsOf(settings []v1alpha1.SearchSetting, algorithm v1alpha1.SearchAlgorithm) string {
	var needs, may, excludes []string
	for _, s := range settings {
		switch {
		case !slices.Contains(s.Algorithms, algorithm):
			excludes = append(excludes, s.Field)
		case s.Required:
			needs = append(needs, s.Field)
		default:
			may = append(may, s.Field)
		}
	}
	return contract(needs, may, excludes)
}

// contract says which fields are needed, may be set and must not be set.
func contract(needs, may, excludes []string) string {
	var parts []string
	for i, fields := range [][]string{needs, may, excludes} {
		if len(fields) > 0 {
			verb, last := []string{"needs", "may have", "must not have"}[i], []string{" and ", " and ", " or "}[i]
			parts = append(parts, verb+" "+list(fields, last))
		}
	}
	text := strings.ReplaceAll(list(parts, ", and "), "|", " or ")
	return strings.Replace(text, "search.algorithm", "a search.algorithm other than Grid", 1)
}

// list joins words by commas, and the last one by a conjunction.
func list(words []string, last string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// quoted is a text in CEL.
func quoted(text string) string { return "'" + text + "'" }
