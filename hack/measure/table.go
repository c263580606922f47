// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// toTable puts the points on the table's two grids. A context that was not
// measured for every row, as the KV of the largest batches did not fit, is left
// out, and named in the second result.
func toTable(points []point) (latency.Table, []string) {
	decode, omittedDecodes := fullGrid(points, true, "sequences")
	prefill, omittedPrefills := fullGrid(points, false, "new tokens")
	return latency.Table{
		Prefill: latency.PrefillGrid{NewTokens: prefill.rows, ContextTokens: prefill.contexts, Microseconds: prefill.at},
		Decode:  latency.DecodeGrid{Sequences: decode.rows, ContextTokens: decode.contexts, Microseconds: decode.at},
	}, append(omittedDecodes, omittedPrefills...)
}

// grid is times by row (sequences, or new tokens) and context.
type grid struct {
	rows, contexts []int
	at             [][]float64
}

func fullGrid(points []point, decode bool, what string) (grid, []string) {
	type key struct{ row, context int }
	times := map[key]float64{}
	var rows, contexts []int
	for _, p := range points {
		if p.decode != decode {
			continue
		}
		row := p.newTokens
		if decode {
			row = p.sequences
		}
		times[key{row, p.contextTokens}] = p.microseconds
		rows, contexts = append(rows, row), append(contexts, p.contextTokens)
	}
	g := grid{rows: sortedSet(rows)}
	g.at = make([][]float64, len(g.rows))
	var omitted []string
	for _, context := range sortedSet(contexts) {
		if missing := slices.IndexFunc(g.rows, func(row int) bool { return times[key{row, context}] == 0 }); missing >= 0 {
			omitted = append(omitted, fmt.Sprintf("a context of %d, which was not measured for %d %s", context, g.rows[missing], what))
			continue
		}
		g.contexts = append(g.contexts, context)
		for i, row := range g.rows {
			g.at[i] = append(g.at[i], times[key{row, context}])
		}
	}
	return g, omitted
}

func sortedSet(ns []int) []int {
	slices.Sort(ns)
	return slices.Compact(ns)
}
