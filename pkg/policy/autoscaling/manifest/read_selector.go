// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
)

// readSelector reads a label selector that the table allows.
func readSelector(t tree, path *field.Path) (all []query.Requirement, errs field.ErrorList) {
	labels, isObject := t["matchLabels"].(tree)
	if t["matchLabels"] != nil && !isObject {
		errs = append(errs, field.Invalid(path.Child("matchLabels"), plain(t["matchLabels"]), "must be an object"))
	}
	for _, name := range sorted(labels) {
		value, isText := labels[name].(string)
		if !isText {
			errs = append(errs, field.Invalid(path.Child("matchLabels").Key(name), plain(labels[name]), "must be a string: write it in quotes"))
			continue
		}
		all = append(all, query.Requirement{Label: name, Operator: query.In, Values: []string{value}})
	}
	for i, entry := range entries(t, "matchExpressions") {
		r, es := readExpression(entry, path.Child("matchExpressions").Index(i))
		all, errs = append(all, r), append(errs, es...)
	}
	return all, errs
}

func readExpression(t tree, path *field.Path) (query.Requirement, field.ErrorList) {
	r := query.Requirement{Label: words(t, "key"), Operator: query.Operator(words(t, "operator"))}
	var errs field.ErrorList
	values, isList := t["values"].([]any)
	if t["values"] != nil && !isList {
		errs = append(errs, field.Invalid(path.Child("values"), plain(t["values"]), "must be a list"))
	}
	for i, v := range values {
		value, isText := v.(string)
		if !isText {
			errs = append(errs, field.Invalid(path.Child("values").Index(i), plain(v), "must be a string: write it in quotes"))
		}
		r.Values = append(r.Values, value)
	}
	switch needs := r.Operator == query.In || r.Operator == query.NotIn; {
	case len(errs) > 0:
	case needs && len(values) == 0:
		errs = append(errs, field.Required(path.Child("values"), "the operator is "+string(r.Operator)))
	case !needs && len(values) > 0:
		errs = append(errs, field.Forbidden(path.Child("values"), "the operator is "+string(r.Operator)))
	}
	return r, errs
}
