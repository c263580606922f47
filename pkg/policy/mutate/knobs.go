// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/template"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A knob is a number of a component that is no decision tree.
type knob struct {
	path string
	// read writes the number as it stands in the document.
	read func() string
	// turn moves the number, and take sets that of another component's knob.
	turn func(*stats.Stream)
	take func(from string)
}

// knobs are those of a component, in one order.
func knobs(name sandbox.Component, c *bundle.Component) []knob {
	var all []knob
	switch {
	case c.BuiltIn != nil:
		b := c.BuiltIn
		for i := range b.Scorers {
			at := fmt.Sprintf("builtIn.scorers[%s]", b.Scorers[i].Name)
			all = append(all, weight(at+".weight", &b.Scorers[i].Weight))
			all = append(all, texts(at+".parameters", b.Scorers[i].Parameters)...)
		}
		if name != sandbox.Autoscale { // whose numbers depend on the pools
			all = append(all, texts("builtIn.parameters", b.Parameters)...)
		}
	case c.Parameterized != nil:
		all = ranges("parameterized.parameters", c.Parameterized)
	case c.Starlark != nil:
		all = numbers("starlark.parameters", c.Starlark.Parameters)
	case c.WASM != nil:
		all = numbers("wasm.parameters", c.WASM.Parameters)
	}
	return all
}

// weight is the knob of a scorer's weight.
func weight(path string, at *float64) knob {
	return knob{
		path: path,
		read: func() string { return write(*at) },
		turn: func(s *stats.Stream) { *at = turned(*at, 1, false, s) },
		take: func(from string) { *at = parse(from) },
	}
}

// numbers are the knobs of a program's parameters.
func numbers(path string, in map[string]float64) []knob {
	var all []knob
	for _, name := range slices.Sorted(maps.Keys(in)) {
		all = append(all, knob{
			path: path + "." + name,
			read: func() string { return write(in[name]) },
			turn: func(s *stats.Stream) {
				next := turned(in[name], 1, false, s)
				if s.IntN(10) == 0 {
					next = -next
				}
				in[name] = next
			},
			take: func(from string) { in[name] = parse(from) },
		})
	}
	return all
}

// ranges are the knobs of a template's parameters, which stay in their ranges.
func ranges(path string, in *bundle.Parameterized) []knob {
	var all []knob
	parameters := template.Find(in.Template).Parameters
	for i := range parameters {
		of := &parameters[i]
		all = append(all, knob{
			path: path + "." + of.Name,
			read: func() string { return write(in.Parameters[of.Name]) },
			turn: func(s *stats.Stream) { in.Parameters[of.Name] = within(in.Parameters[of.Name], of, s) },
			take: func(from string) { in.Parameters[of.Name] = parse(from) },
		})
	}
	return all
}

// within moves a number on the scale of its range.
func within(x float64, of *template.Parameter, s *stats.Stream) float64 {
	const step = 0.15 // of the range
	next := float64(x + float64(step*s.Normal()*(of.Max-of.Min)))
	if of.Scale == template.Log {
		next = float64(x * stats.Exp(float64(step*s.Normal()*stats.Log(of.Max/of.Min))))
	}
	if next = short(next); of.Whole {
		next = math.Round(next)
	}
	return min(max(next, of.Min), of.Max)
}

// unfold turns a template into its decision tree, of which each node can change.
func unfold(c *bundle.Component) string {
	of := c.Parameterized
	c.Signals, c.Parameterized = c.AllSignals(), nil
	c.DecisionTree = &bundle.DecisionTree{Root: template.Find(of.Template).Tree(of.Parameters)}
	return "decisionTree: that of the template " + of.Template
}

// treeOf is the decision tree of a component, or that of its template; nil where there is
// none.
func treeOf(c *bundle.Component) *bundle.DecisionTree {
	switch {
	case c == nil:
		return nil
	case c.Parameterized != nil:
		theirs := *c
		unfold(&theirs)
		return theirs.DecisionTree
	}
	return c.DecisionTree
}

// texts are the knobs of a policy's parameters that are numbers or durations.
func texts(path string, in map[string]bundle.Text) []knob {
	var all []knob
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if !isTurnable(string(in[name])) {
			continue
		}
		all = append(all, knob{
			path: path + "." + name,
			read: func() string { return string(in[name]) },
			turn: func(s *stats.Stream) {
				text, _ := turnedText(string(in[name]), s)
				in[name] = bundle.Text(text)
			},
			take: func(from string) { in[name] = bundle.Text(from) },
		})
	}
	return all
}

// turnKnob moves a number of a component.
func (p *part) turnKnob(c *bundle.Component, s *stats.Stream) string {
	all := knobs(p.name, c)
	if len(all) == 0 {
		return ""
	}
	k := pick(all, s)
	before := k.read()
	k.turn(s)
	if k.read() == before {
		return ""
	}
	return fmt.Sprintf("%s: %s → %s", k.path, before, k.read())
}

// takeKnob takes a number over from the same place of another bundle.
func (p *part) takeKnob(c, donor *bundle.Component, other *bundle.Bundle, s *stats.Stream) string {
	all := knobs(p.name, c)
	if len(all) == 0 || donor == nil {
		return ""
	}
	k, theirs := pick(all, s), knobs(p.name, donor)
	at := slices.IndexFunc(theirs, func(o knob) bool { return o.path == k.path })
	before := k.read()
	if at < 0 || theirs[at].read() == before {
		return ""
	}
	k.take(theirs[at].read())
	return fmt.Sprintf("%s: %s → %s, from %s", k.path, before, k.read(), other.ID())
}
