// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// ladder are the values that a weight may have.
var ladder = []float64{0, 0.25, 0.5, 1, 2, 4}

// units are what fields are divided by where they are no shares and no small counts.
var units = map[string]float64{"running": 8, "blocks": 4096, "block_tokens": 16, "prefix_affinity_tokens": 4096}

// knobs are the fields of an endpoint that a program of the routing sees, in the order of the
// ABI: none is left out.
func knobs() []string {
	signals := evaluate.DefaultSignals[0]
	field := strings.ReplaceAll(signals, "-", "_")
	l := sandbox.RoutingLayout(sandbox.Names{}).With(sandbox.Field{Name: field}, sandbox.Field{Name: field + "_tokens"})
	var names []string
	for _, f := range l.Rows.Fields {
		names = append(names, f.Name)
	}
	return names
}

// wanted are the fields of which a program prefers more; of the others it prefers less.
var wanted = map[string]bool{"prefix_affinity": true, "prefix_affinity_tokens": true, "number": true}

// A genome has a place on the ladder for each knob.
type genome []int

// flawed is where each loop begins: the program does not look at prefixes, and looks at queues
// and batches with the greatest weights.
func flawed(knobs []string) genome {
	g := make(genome, len(knobs))
	for i, name := range knobs {
		if name == "waiting" || name == "running" {
			g[i] = len(ladder) - 1
		}
	}
	return g
}

// source is the program of a genome.
func (g genome) source(knobs []string) string {
	var terms []string
	for i, name := range knobs {
		weight := ladder[g[i]]
		if weight == 0 {
			continue
		}
		if !wanted[name] {
			weight = -weight
		}
		unit := ""
		if u := units[name]; u != 0 {
			unit = fmt.Sprintf(" / %v", u)
		}
		terms = append(terms, fmt.Sprintf("%v * e.%s%s", weight, name, unit))
	}
	if terms == nil {
		terms = []string{"0"}
	}
	return "def score(request, endpoints):\n    return [" + strings.Join(terms, " + ") + " for e in endpoints]\n"
}
