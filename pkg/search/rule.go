// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// rule is a compiled rule.
type rule struct {
	Rule
	last int // the greatest index of a parameter that it uses
}

func (s Space) rules(path *field.Path) ([]*rule, field.ErrorList) {
	if len(s.Rules) > 0 {
		return nil, field.ErrorList{field.Forbidden(path, "rules are not supported")}
	}
	return nil, nil
}

func (r *rule) holds(*cube, Point) bool { return true }

func (r *rule) String() string { return r.Expression }
