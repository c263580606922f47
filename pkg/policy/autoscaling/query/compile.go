// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/VictoriaMetrics/metricsql"
)

// compiler turns a parsed query into nodes.
type compiler struct {
	text    string
	words   []word
	targets *Targets
	in      interner
	// requirements are for all selectors.
	requirements []Requirement
	window       time.Duration
	reads        map[string]bool // by name of a metric
	faults       Faults
	notes        []string
}

// maxLength bounds the bytes of a query.
const maxLength = 4 << 10

// Compile reads a query of what targets show, of whose series each meets the requirements. The error
// is of type [Faults].
func Compile(text string, targets Targets, requirements ...Requirement) (*Query, error) {
	c := &compiler{text: text, targets: &targets, requirements: requirements, in: interner{}, reads: map[string]bool{}}
	if len(text) > maxLength {
		return nil, Faults{{Text: fmt.Sprintf("a query has at most %d bytes", maxLength)}}
	}
	c.words = wordsOf(text)
	if c.refuseWords(); len(c.faults) > 0 {
		return nil, c.faults
	}
	tree, err := metricsql.Parse(text)
	if err != nil {
		return nil, Faults{c.unparsed(err.Error())}
	}
	root := c.expression(tree)
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	q := &Query{root: root, window: c.window, notes: c.notes, reads: c.reads, places: map[string]int{}}
	for i := range targets.Pools {
		for _, name := range targets.Pools[i].Pods {
			q.places[name] = len(q.places)
		}
	}
	return q, nil
}

// unparsed returns the fault of a parser's error, which ends with what is left of the text.
func (c *compiler) unparsed(message string) Fault {
	at := strings.LastIndex(message, `: "`)
	if at < 0 {
		return Fault{Text: message}
	}
	left, err := strconv.Unquote(message[at+2:])
	if err != nil || !strings.HasSuffix(c.text, left) {
		return Fault{Text: message}
	}
	message = strings.TrimSuffix(message[:at], "; unparsed data")
	return Fault{At: c.character(len(c.text) - len(left)), Text: strings.Replace(message, "unparsed data left", "the query should end here", 1)}
}

func (c *compiler) character(at int) int { return utf8.RuneCountInString(c.text[:at]) + 1 }

// fault notes a fault at a byte; a negative one is unknown.
func (c *compiler) fault(at int, text string) {
	f := Fault{Text: text}
	if at >= 0 {
		f.At = c.character(at)
	}
	c.faults = append(c.faults, f)
}

func (c *compiler) note(format string, arguments ...any) {
	if text := fmt.Sprintf(format, arguments...); !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// expression returns a vectorNode or a scalarNode, or nil after a fault.
func (c *compiler) expression(e metricsql.Expr) any {
	switch e := e.(type) {
	case *metricsql.NumberExpr:
		return number(e.N)
	case *metricsql.MetricExpr:
		if all, _, ok := c.selected(e); ok {
			return &selector{series: all}
		}
	case *metricsql.FuncExpr:
		return c.function(e)
	case *metricsql.AggrFuncExpr:
		return c.aggregation(e)
	case *metricsql.BinaryOpExpr:
		return c.binary(e)
	case *metricsql.RollupExpr:
		c.fault(c.find(nameOf(e.Expr)), "a range must stand in a function of ranges, such as rate")
	default:
		c.fault(-1, fmt.Sprintf("%s stands where a number or a vector must", e.AppendString(nil)))
	}
	return nil
}

// vector returns the node of a vector, or nil after a fault.
func (c *compiler) vector(e metricsql.Expr, of string) vectorNode {
	switch n := c.expression(e).(type) {
	case vectorNode:
		return n
	case scalarNode:
		c.fault(c.find(of), of+" needs a vector, not a number")
	}
	return nil
}

// scalar returns the node of a number, or nil after a fault.
func (c *compiler) scalar(e metricsql.Expr, of string) scalarNode {
	switch n := c.expression(e).(type) {
	case scalarNode:
		return n
	case vectorNode:
		c.fault(c.find(of), of+" needs a number where it has a vector")
	}
	return nil
}

// nameOf returns the name of the metric of a selector.
func nameOf(e metricsql.Expr) string {
	if m, ok := e.(*metricsql.MetricExpr); ok && len(m.LabelFilterss) > 0 && len(m.LabelFilterss[0]) > 0 {
		return m.LabelFilterss[0][0].Value
	}
	return ""
}
