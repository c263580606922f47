// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"windtunnel.dev/windtunnel/studies/study"
)

// column is one figure of the table.
type column struct {
	title string
	value func(r result) string
}

// columns are the table's, in text and on the page.
func columns() []column {
	return []column{
		{"case", func(r result) string { return r.name }},
		{"requests per CPU second", func(r result) string { return study.Grouped(int(r.perCPUSecond())) }},
		{"CPU", func(r result) string { return seconds(r.CPU) }},
		{"wall", func(r result) string { return seconds(r.Wall) }},
		{"allocations a request", func(r result) string { return r.perRequest(r.Allocations, "%.3f") }},
		{"bytes a request", func(r result) string { return r.perRequest(r.AllocatedBytes, "%.0f") }},
		{"peak memory", func(r result) string { return fmt.Sprintf("%.0f MB", float64(r.PeakBytes)/1e6) }},
		{"mean TTFT", func(r result) string { return fmt.Sprintf("%.1f ms", r.TTFTMs) }},
		{"cached", func(r result) string { return fmt.Sprintf("%.1f %%", 100*r.CachedShare) }},
		{"parallel efficiency", func(r result) string {
			if r.runs == 0 {
				return ""
			}
			return fmt.Sprintf("%.0f %%", 100*r.Efficiency)
		}},
	}
}

func (r result) perCPUSecond() float64 { return float64(r.Requests) / r.CPU.Seconds() }

// perRequest is a count divided by the requests; of simulations that share a
// process none is counted.
func (r result) perRequest(n uint64, format string) string {
	if r.runs > 0 {
		return ""
	}
	return fmt.Sprintf(format, float64(n)/float64(r.Requests))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// cells are a result's figures, or where its trace is absent a word.
func cells(r result) []string {
	var row []string
	for _, c := range columns() {
		if r.Requests > 0 {
			row = append(row, c.value(r))
		}
	}
	if r.Requests == 0 {
		row = []string{r.name, "not measured: the trace is absent"}
	}
	return row
}

// writeTable writes the results as text.
func writeTable(w io.Writer, results []result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range columns() {
		fmt.Fprintf(table, "%s\t", c.title)
	}
	fmt.Fprintln(table)
	for _, r := range results {
		for _, cell := range cells(r) {
			fmt.Fprintf(table, "%s\t", cell)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
