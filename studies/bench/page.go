// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"os"
	"runtime"
	"text/template"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// page is what the template needs.
type page struct {
	Machine, Go, Date, Engine string
	Repeat                    int
	Table                     *study.Table
	Commands                  *commands
	Targets                   []target
}

// writePage writes the page of documentation.
func writePage(o options, results []result, all *commands) error {
	p := page{
		Machine: o.machine, Go: runtime.Version(), Date: o.date, Engine: simulator.EngineVersion,
		Repeat: o.repeat, Targets: targets(results, all), Commands: all, Table: &study.Table{},
	}
	for _, c := range columns() {
		p.Table.Titles = append(p.Table.Titles, c.title)
	}
	for _, r := range results {
		row := make([]string, len(p.Table.Titles))
		copy(row, cells(r))
		p.Table.Add(row...)
	}
	var out bytes.Buffer
	if err := template.Must(template.New("page").Parse(pageText)).Execute(&out, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return os.WriteFile(o.output, out.Bytes(), 0o644)
}
