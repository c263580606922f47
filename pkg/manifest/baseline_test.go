// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestTheBaselinesRuleNamesItsParameters(t *testing.T) {
	entry := func(name string) any { return map[string]any{"name": name} }
	conditional := map[string]any{"name": "c", "when": map[string]any{"parameter": "a"}}
	for name, tc := range map[string]struct {
		detail   string
		baseline []any
		want     string
	}{
		"all are there":                      {baselineRule, []any{entry("a"), entry("b")}, ""},
		"one lacks":                          {baselineRule, []any{entry("b"), conditional}, `; no value for "a"`},
		"one is too many":                    {baselineRule, []any{entry("a"), entry("b"), entry("d")}, `; no parameter is called "d"`},
		"one lacks, and others are too many": {baselineRule, []any{entry("d"), entry("e"), entry("a")}, `; no value for "b"; no parameter is called "d", "e"`},
		"another rule":                       {"another", nil, ""},
	} {
		object := map[string]any{"spec": map[string]any{
			"parameters": []any{entry("a"), entry("b"), conditional},
			"baseline":   map[string]any{"parameters": tc.baseline},
		}}
		errs := field.ErrorList{{Detail: tc.detail}}
		nameBaselineParameters(errs, object)
		if got := errs[0].Detail; got != tc.detail+tc.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
