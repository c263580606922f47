// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metricsql"
)

// special are the functions that are neither of ranges nor of each element.
var special = []string{"absent", "histogram_quantile", "scalar", "vector"}

// rankings are the aggregations that keep elements.
var rankings = map[string]float64{"topk": -1, "bottomk": 1}

// functions lists the functions and aggregations that a query can call.
func functions() []string {
	all := slices.Concat(slices.Collect(maps.Keys(rangeFunctions)), slices.Collect(maps.Keys(mappings)), slices.Collect(maps.Keys(aggregators)),
		slices.Collect(maps.Keys(rankings)), special)
	slices.Sort(all)
	return all
}

// isCallable reports whether a name is that of a function. Only aggregations may be in capitals.
func isCallable(text string) bool {
	lower := strings.ToLower(text)
	if _, ok := rankings[lower]; ok || aggregators[lower] != nil {
		return true
	}
	_, mapped := mappings[text]
	return mapped || rangeFunctions[text] != nil || slices.Contains(special, text)
}

// isNumber reports whether a word is a number as Prometheus has it.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	if err == nil {
		return !strings.Contains(text, "_")
	}
	// The sign of an exponent ends a word.
	_, err = strconv.ParseFloat(text+"0", 64)
	return err == nil && strings.HasSuffix(strings.ToLower(text), "e")
}

func (c *compiler) function(e *metricsql.FuncExpr) any {
	if of := rangeFunctions[e.Name]; of != nil {
		return c.rangeFunction(e, of)
	}
	if of, ok := mappings[e.Name]; ok {
		return c.mapping(e, of)
	}
	least := 1
	if e.Name == "histogram_quantile" {
		least = 2
	}
	if !c.takes(e.Name, len(e.Args), least, least) {
		return nil
	}
	switch e.Name {
	case "vector":
		if of := c.scalar(e.Args[0], e.Name); of != nil {
			return &asVector{of: of, no: c.in.get(labels{})}
		}
	case "scalar":
		if of := c.vector(e.Args[0], e.Name); of != nil {
			return &asScalar{of}
		}
	case "absent":
		return c.absent(e)
	case "histogram_quantile":
		q, of := c.scalar(e.Args[0], e.Name), c.vector(e.Args[1], e.Name)
		if q != nil && of != nil {
			return &histogramQuantile{q: q, of: of, groups: newProjection(c.in, func(l label) bool { return l != le && l != metricName })}
		}
	default:
		c.fault(c.find(e.Name), fmt.Sprintf("the function %s is not supported", e.Name))
	}
	return nil
}

// takes finds fault with a count of arguments.
func (c *compiler) takes(of string, n, least, most int) bool {
	if n >= least && n <= most {
		return true
	}
	wanted := strconv.Itoa(least)
	if most > least {
		wanted += " or " + strconv.Itoa(most)
	}
	c.fault(c.find(of), fmt.Sprintf("%s takes %s arguments, not %d", of, wanted, n))
	return false
}

func (c *compiler) absent(e *metricsql.FuncExpr) any {
	of := c.vector(e.Args[0], e.Name)
	if of == nil {
		return nil
	}
	n := &absence{of: of, as: c.in.get(labels{})}
	if m, ok := e.Args[0].(*metricsql.MetricExpr); ok {
		_, asked, _ := c.selected(m)
		n.as = c.in.get(asked)
	}
	return n
}

func (c *compiler) rangeFunction(e *metricsql.FuncExpr, of rangeFunction) any {
	n := &rangeNode{of: of}
	arguments := e.Args
	if e.Name == "quantile_over_time" {
		if !c.takes(e.Name, len(arguments), 2, 2) {
			return nil
		}
		if n.parameter = c.scalar(arguments[0], e.Name); n.parameter == nil {
			return nil
		}
		arguments = arguments[1:]
	}
	if !c.takes(e.Name, len(arguments), 1, 1) {
		return nil
	}
	rollup, ok := arguments[0].(*metricsql.RollupExpr)
	if !ok {
		c.fault(c.find(e.Name), fmt.Sprintf("%s needs a range, such as %s(metric[2m])", e.Name, e.Name))
		return nil
	}
	m, ok := rollup.Expr.(*metricsql.MetricExpr)
	if !ok {
		c.fault(c.find(e.Name), "a range must be of a metric")
		return nil
	}
	if n.series, _, ok = c.selected(m); !ok || !c.takesWindow(e.Name, rollup, n) {
		return nil
	}
	if e.Name != "last_over_time" {
		n.names = withoutName(c.in)
	}
	return n
}

// takesWindow reads the window of a range.
func (c *compiler) takesWindow(of string, e *metricsql.RollupExpr, n *rangeNode) bool {
	milliseconds := int64(0)
	if e.Window != nil {
		milliseconds = e.Window.Duration(0)
	}
	if milliseconds <= 0 || milliseconds > (366*24*time.Hour).Milliseconds() || e.Offset != nil || e.Step != nil || e.At != nil || e.InheritStep {
		c.fault(c.find(of), of+" needs a plain window from 1ms to 366d, such as [2m]")
		return false
	}
	n.window = time.Duration(milliseconds) * time.Millisecond
	c.window = max(c.window, n.window)
	return true
}

func (c *compiler) mapping(e *metricsql.FuncExpr, of mapped) any {
	if !c.takes(e.Name, len(e.Args), 1+of.parameters, 1+of.parameters+of.optional) {
		return nil
	}
	n := mapping{of: c.vector(e.Args[0], e.Name), apply: of.apply, names: withoutName(c.in)}
	for _, argument := range e.Args[1:] {
		p := c.scalar(argument, e.Name)
		if p == nil {
			return nil
		}
		n.parameters = append(n.parameters, p)
	}
	switch {
	case n.of == nil:
		return nil
	case e.Name == "clamp":
		return &clamping{n}
	}
	return &n
}

func (c *compiler) aggregation(e *metricsql.AggrFuncExpr) any {
	operation := strings.ToLower(e.Name)
	sign, ranks := rankings[operation]
	wanted := 1
	if ranks || operation == "quantile" {
		wanted = 2
	}
	if !c.takes(e.Name, len(e.Args), wanted, wanted) {
		return nil
	}
	var parameter scalarNode
	if wanted == 2 {
		if parameter = c.scalar(e.Args[0], e.Name); parameter == nil {
			return nil
		}
	}
	of := c.vector(e.Args[wanted-1], e.Name)
	if of == nil {
		return nil
	}
	groups := c.groups(&e.Modifier)
	if ranks {
		return &ranking{of: of, groups: groups, count: parameter, sign: sign}
	}
	aggregate := aggregators[operation]
	if aggregate == nil {
		c.fault(c.find(e.Name), fmt.Sprintf("the aggregation %s is not supported", e.Name))
		return nil
	}
	return &aggregation{of: of, groups: groups, parameter: parameter, aggregate: aggregate}
}

// groups returns what an aggregation keeps of labels.
func (c *compiler) groups(m *metricsql.ModifierExpr) *projection {
	named := c.labels(m)
	if strings.ToLower(m.Op) == "without" {
		return newProjection(c.in, func(l label) bool { return l != metricName && !slices.Contains(named, l) })
	}
	return newProjection(c.in, func(l label) bool { return slices.Contains(named, l) })
}

// labels returns the labels that a modifier names, of those that targets have.
func (c *compiler) labels(m *metricsql.ModifierExpr) []label {
	var all []label
	for _, text := range m.Args {
		if l, ok := labelOf(text); ok {
			all = append(all, l)
		} else {
			c.note("%s in %s has no effect: no target has such a label here", text, strings.ToLower(m.Op))
		}
	}
	return all
}
