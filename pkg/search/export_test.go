// SPDX-License-Identifier: Apache-2.0

package search

import "fmt"

// Contains says why a point is not in a valid space, nil if it is: a value that is
// not on its parameter's axis, a value that the conditions exclude or that is
// missing, or a rule that does not hold.
func (s Space) Contains(p Values) error {
	c, errs := s.cube(nil)
	if len(errs) > 0 {
		panic(fmt.Sprintf("search: point of an invalid space: %v", errs.ToAggregate()))
	}
	return c.contains(p)
}

// contains says why a point is not in the space, nil if it is.
func (c *cube) contains(p Values) error {
	if len(p) != len(c.axes) {
		return fmt.Errorf("has %d values, and there are %d parameters", len(p), len(c.axes))
	}
	for i, a := range c.axes {
		name := c.parameters[i].Name
		found, ok := a.find(p[i])
		switch exists := c.exists(i, p); {
		case exists && p[i] == "":
			return fmt.Errorf("parameter %q has no value", name)
		case !exists && p[i] != "":
			return fmt.Errorf("parameter %q does not exist here, and has the value %q", name, p[i])
		case exists && (!ok || found != p[i]):
			return fmt.Errorf("parameter %q does not take the value %q", name, p[i])
		}
	}
	for _, r := range c.rules {
		if !r.holds(p) {
			return fmt.Errorf("%s does not hold", r)
		}
	}
	return nil
}

func (r *rule) String() string {
	if r.Message != "" {
		return fmt.Sprintf("%q (%s)", r.Expression, r.Message)
	}
	return fmt.Sprintf("%q", r.Expression)
}
