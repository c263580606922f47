// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

// readModifiers reads the formula about the triggers, whose names are all known.
func (m *Manifest) readModifiers(spec tree, root *field.Path) field.ErrorList {
	names, errs := triggerNames(spec, root.Child("triggers"))
	t, path := part(spec, "advanced", "scalingModifiers"), root.Child("advanced", "scalingModifiers")
	if t == nil {
		if f := m.keda.Fallback; f != nil && f.Behavior == keda.ByFormula {
			errs = append(errs, field.Invalid(root.Child("fallback", "behavior"), f.Behavior, "needs advanced.scalingModifiers.formula"))
		}
		return errs
	}
	for i, name := range names {
		if name == "" {
			errs = append(errs, field.Required(root.Child("triggers").Index(i).Child("name"), "state what the formula calls the trigger"))
		}
	}
	written, es := readDecimal(t, "target", path)
	errs = append(errs, es...)
	if len(es) == 0 && (written < 0.001 || written >= math.MaxInt64/1000) {
		errs = append(errs, field.Invalid(path.Child("target"), words(t, "target"), "must be at least 0.001"))
	}
	activation, es := readDecimal(t, "activationTarget", path)
	errs = append(errs, es...)
	formula, err := keda.CompileFormula(words(t, "formula"), names)
	if err != nil {
		errs = append(errs, field.Invalid(path.Child("formula"), words(t, "formula"), err.Error()))
	}
	_, wholeErr := strconv.ParseInt(words(t, "target"), 10, 64)
	m.keda.Modifiers = &keda.Modifiers{
		Formula: formula, Written: written, Whole: wholeErr == nil, Activation: activation,
		Target: hpa.Target{Type: hpa.TargetType(cmp.Or(words(t, "metricType"), string(hpa.AverageValue))), Value: int64(written * 1000)},
	}
	m.formula = words(t, "formula")
	return errs
}

// triggerNames are the names of the triggers, empty where one has none.
func triggerNames(spec tree, path *field.Path) ([]string, field.ErrorList) {
	var names []string
	var errs field.ErrorList
	for i, entry := range entries(spec, "triggers") {
		name := words(entry, "name")
		if name != "" && slices.Contains(names, name) {
			errs = append(errs, field.Duplicate(path.Index(i).Child("name"), name))
		}
		names = append(names, name)
	}
	return names, errs
}

// readDecimal returns the number that a text of an object is; 0 if the text is absent.
func readDecimal(t tree, name string, path *field.Path) (float64, field.ErrorList) {
	text := words(t, name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, field.ErrorList{field.Invalid(path.Child(name), text, "must be a number")}
	}
	return n, nil
}

// formulaName is what reasons call the one metric of a formula.
func (m *Manifest) formulaName() string { return fmt.Sprintf("the formula %s", m.formula) }
