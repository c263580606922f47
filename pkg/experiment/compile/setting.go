// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// A Setting is a value of a field of the scenario in place of the manifest's. The path is as
// that of a parameter of a sweep.
type Setting struct{ Path, Value string }

// field is the place of a setting in errors: the object has none, so it is the flag's.
func (s Setting) field() *field.Path { return field.NewPath("--set").Key(s.Path) }

// place is where the setting leads to.
func (s Setting) place() *experiment.Parameter { return &experiment.Parameter{Path: s.Path} }

// set writes the settings into a scenario, whose path is given, and notes them.
func (c *compiler) set(scenario experiment.Tree, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range c.settings {
		if slices.ContainsFunc(c.settings[:i], func(other Setting) bool { return other.Path == s.Path }) {
			errs = append(errs, field.Duplicate(s.field(), s.Value))
			continue
		}
		place := s.place()
		err := place.Bind(scenario)
		if err == nil {
			err = place.Set(scenario, s.Value)
		}
		if err != nil {
			errs = append(errs, field.Invalid(s.field(), s.Value, err.Error()))
			continue
		}
		c.plan.Warnings = append(c.plan.Warnings, fmt.Sprintf("%s is %s by --set, in place of the manifest's value", s.Path, s.Value))
	}
	if len(errs) > 0 || len(c.settings) == 0 {
		return errs
	}
	typed, _, errs := setup.Decode(scenario, path)
	if len(errs) > 0 {
		return errs
	}
	return slices.DeleteFunc(c.validateBySchema(*typed, scenario), aboutNoField)
}

// overwrittenSettings reports settings without effect: those that a parameter varies.
func (c *compiler) overwrittenSettings() field.ErrorList {
	var errs field.ErrorList
	for _, s := range c.settings {
		for i := range c.plan.Parameters {
			if p := &c.plan.Parameters[i]; s.place().Within(p) {
				errs = append(errs, field.Forbidden(s.field(), fmt.Sprintf("parameter %s of the sweep varies it", p.Name)))
			}
		}
	}
	return errs
}
