// SPDX-License-Identifier: Apache-2.0

package insight_test

import (
	"reflect"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// Each field that summaries may name is one of the scenario.
func TestFieldsAreThoseOfTheAPI(t *testing.T) {
	for _, path := range insight.Fields {
		at := reflect.TypeFor[v1alpha1.Scenario]()
		for step := range strings.SplitSeq(path, ".") {
			name, isList := strings.CutSuffix(step, "[]")
			next, ok := fieldOf(at, name)
			if !ok {
				t.Errorf("%s: %s has no field %s", path, at, name)
				break
			}
			for next.Kind() == reflect.Pointer || isList && next.Kind() == reflect.Slice {
				next = next.Elem()
			}
			at = next
		}
	}
}

// fieldOf returns the type of a field by its name in JSON.
func fieldOf(in reflect.Type, name string) (reflect.Type, bool) {
	if in.Kind() != reflect.Struct {
		return nil, false
	}
	for i := range in.NumField() {
		f := in.Field(i)
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return f.Type, true
		}
	}
	return nil, false
}
