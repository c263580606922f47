// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"

	"github.com/VictoriaMetrics/metricsql"
)

func (c *compiler) binary(e *metricsql.BinaryOpExpr) any {
	left, right := c.expression(e.Left), c.expression(e.Right)
	if left == nil || right == nil {
		return nil
	}
	op := strings.ToLower(e.Op)
	if op == "and" || op == "or" || op == "unless" {
		return c.sets(e, op, left, right)
	}
	do, filters := arithmetic[op], false
	if do == nil {
		do, filters = comparisons[op], true
	}
	if do == nil {
		c.fault(c.find(e.Op), "the operator "+e.Op+" is not supported")
		return nil
	}
	switch {
	case filters && e.Bool:
		do, filters = truth(do), false
	case e.Bool:
		c.fault(c.find("bool"), "bool stands after a comparison only")
		return nil
	}
	names := withoutName(c.in)
	if filters {
		names = nil
	}
	a, leftScalar := left.(scalarNode)
	b, rightScalar := right.(scalarNode)
	if (leftScalar || rightScalar) && e.GroupModifier.Op != "" {
		c.fault(c.find(e.GroupModifier.Op), e.GroupModifier.Op+" stands between vectors only")
		return nil
	}
	switch {
	case leftScalar && rightScalar && filters:
		c.fault(c.find(e.Op), "a comparison of numbers needs bool, such as 1 <bool 2")
		return nil
	case leftScalar && rightScalar:
		return &ofScalars{a, b, do}
	case leftScalar:
		return &withScalar{of: right.(vectorNode), number: a, swapped: true, filters: filters, op: do, names: names}
	case rightScalar:
		return &withScalar{of: left.(vectorNode), number: b, filters: filters, op: do, names: names}
	}
	match := c.matching(e)
	return &ofVectors{
		left: left.(vectorNode), right: right.(vectorNode), op: do, match: match,
		result: c.resulting(e, filters, match), partners: map[*labels]float64{},
	}
}

// matching returns what partners have in common.
func (c *compiler) matching(e *metricsql.BinaryOpExpr) *projection {
	named := c.labels(&e.GroupModifier)
	if strings.ToLower(e.GroupModifier.Op) == "on" {
		return newProjection(c.in, func(l label) bool { return slices.Contains(named, l) })
	}
	return newProjection(c.in, func(l label) bool { return l != metricName && !slices.Contains(named, l) })
}

// resulting returns what stays of the left labels: what matches, and the name in a comparison
// without on.
func (c *compiler) resulting(e *metricsql.BinaryOpExpr, filters bool, match *projection) *projection {
	on := strings.ToLower(e.GroupModifier.Op) == "on"
	return newProjection(c.in, func(l label) bool { return match.keep[l] || l == metricName && filters && !on })
}

func (c *compiler) sets(e *metricsql.BinaryOpExpr, op string, left, right any) any {
	a, leftVector := left.(vectorNode)
	b, rightVector := right.(vectorNode)
	if !leftVector || !rightVector || e.Bool {
		c.fault(c.find(e.Op), op+" stands between vectors only, such as x or vector(0)")
		return nil
	}
	return &ofSets{left: a, right: b, op: op, match: c.matching(e)}
}
