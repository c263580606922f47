// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// columns are the presets in the order of the documentation.
func columns() []Thresholds {
	return []Thresholds{SensitiveThresholds(), DefaultThresholds(), TolerantThresholds()}
}

// Every name sets a field of its own, and every field has a name.
func TestEachThresholdHasAName(t *testing.T) {
	changed := map[string]string{}
	for _, name := range thresholdNames() {
		before, after := DefaultThresholds(), DefaultThresholds()
		for _, text := range []string{"77", "0.77", "77s"} {
			if after.Set(name, text, field.NewPath("x")) == nil {
				break
			}
		}
		for i := range reflect.TypeFor[Thresholds]().NumField() {
			if f := reflect.TypeFor[Thresholds]().Field(i).Name; !reflect.ValueOf(before).Field(i).Equal(reflect.ValueOf(after).Field(i)) {
				changed[f] += name
			}
		}
	}
	if fields := reflect.TypeFor[Thresholds]().NumField(); len(changed) != fields || len(thresholds) != fields {
		t.Errorf("%d names change %d thresholds of %d: %v", len(thresholds), len(changed), fields, changed)
	}
}

// A rule that finds something by one preset finds it by a more sensitive one: a memory and a window are
// not shorter there, and no other threshold is higher.
func TestPresetsAreOrdered(t *testing.T) {
	longer := map[string]bool{"Remembered": true, "ReversalWindow": true}
	less := func(a, b reflect.Value) bool {
		switch a.Kind() {
		case reflect.Float64:
			return a.Float() < b.Float()
		default:
			return a.Int() < b.Int()
		}
	}
	presets := columns()
	for i := range reflect.TypeFor[Thresholds]().NumField() {
		name := reflect.TypeFor[Thresholds]().Field(i).Name
		for k := range len(presets) - 1 {
			a, b := reflect.ValueOf(presets[k]).Field(i), reflect.ValueOf(presets[k+1]).Field(i)
			if longer[name] {
				a, b = b, a
			}
			if less(b, a) {
				t.Errorf("%s is %v in preset %d and %v in the next one", name, a, k, b)
			}
		}
	}
}

// The documentation has the value of each threshold in each preset.
func TestThresholdsAreDocumented(t *testing.T) {
	page := testfile.Read(t, "../../docs/traces.md")
	for i, x := range thresholds {
		row := "| `" + x.name + "` |"
		for _, preset := range columns() {
			value := reflect.ValueOf(preset).Field(i).Interface()
			if d, ok := value.(time.Duration); ok {
				value = strings.Replace(d.String(), "m0s", "m", 1)
			}
			row += fmt.Sprintf(" `%v` |", value)
		}
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/traces.md has no row that begins with %s", row)
		}
	}
}
