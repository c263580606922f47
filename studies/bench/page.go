// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

//go:embed page.md.tmpl
var pageText string

// page is what the template needs.
type page struct {
	Machine, Go, Date, Engine string
	Repeat                    int
	Titles, Rules             string
	Rows                      []string
	Targets                   []target
}

// writePage writes the page of documentation.
func writePage(o options, results []result) error {
	p := page{
		Machine: o.machine, Go: runtime.Version(), Date: o.date, Engine: simulator.EngineVersion,
		Repeat: o.repeat, Targets: targets(results),
	}
	var titles, rules []string
	for i, c := range columns() {
		titles = append(titles, c.title)
		rules = append(rules, map[bool]string{true: "---", false: "---:"}[i == 0])
	}
	p.Titles, p.Rules = markdownRow(titles), markdownRow(rules)
	for _, r := range results {
		row := cells(r)
		for len(row) < len(titles) {
			row = append(row, "")
		}
		p.Rows = append(p.Rows, markdownRow(row))
	}
	var out bytes.Buffer
	if err := template.Must(template.New("page").Parse(pageText)).Execute(&out, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return os.WriteFile(o.output, out.Bytes(), 0o644)
}

func markdownRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
