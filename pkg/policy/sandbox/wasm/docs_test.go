// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// documentedField is a field with its place.
type documentedField struct {
	Place            int
	Name, Kind, Help string
}

func documented(prefix string, first int, fields []sandbox.Field) []documentedField {
	var all []documentedField
	for i, f := range fields {
		kind := map[sandbox.Kind]string{
			sandbox.Number: "number", sandbox.Integer: "integer", sandbox.Label: "label",
		}[f.Kind]
		help := f.Help
		if f.Kind == sandbox.Label {
			help += ", by its place in the scenario"
		}
		all = append(all, documentedField{first + i, prefix + f.Name, kind, help})
	}
	return all
}

func documentedScalars(l *sandbox.Layout) []documentedField {
	var all []documentedField
	for _, g := range l.Groups {
		all = append(all, documented(g.Name+".", len(all), g.Fields)...)
	}
	return all
}

func documentedAnswer(l *sandbox.Layout) string {
	return map[sandbox.Answer]string{
		sandbox.Scores:      "a number for each row: the row with the greatest one is chosen",
		sandbox.Verdict:     "0 admits, a negative number rejects, and a positive one is a delay in seconds",
		sandbox.WholeNumber: "a whole number",
		sandbox.Rank:        "a number: the lowest comes first",
		sandbox.Counts:      "a whole number of at least 0 for each row",
	}[l.Answer]
}

func TestThePageOnTheABI(t *testing.T) {
	example := testfile.Read(t, "testdata/shortest.c")
	none := sandbox.Names{}
	page := map[string]any{
		"Layouts": []*sandbox.Layout{
			sandbox.AdmissionLayout(none), sandbox.PriorityLayout(none), sandbox.RoutingLayout(none),
			sandbox.SchedulerLayout(none), sandbox.AutoscaleLayout(),
		},
		"Limits": sandbox.DefaultLimits, "Example": string(example), "MaxDepth": maxDepth, "MaxElements": maxElements,
		"MaxFunctions": maxFunctions, "MaxParams": maxParams, "MaxResults": maxResults, "MaxLocals": maxLocals,
		"MaxAllLocals": maxAllLocals, "MaxBody": maxBody, "MaxNesting": maxNesting, "MaxJumps": maxJumps, "MaxAllJumps": maxAllJumps,
	}
	functions := template.FuncMap{
		"scalars": documentedScalars, "answer": documentedAnswer,
		"columnFields": func(l *sandbox.Layout) []documentedField { return documented("", 0, l.Rows.Fields) },
		"columns": func(l *sandbox.Layout) string {
			if l.Rows == nil {
				return "none; `rows` is 0"
			}
			text := strings.TrimSuffix(l.Rows.Name, "s")
			if l.Component == sandbox.Routing {
				text += ", and the signals"
			}
			return fmt.Sprintf("%d of each %s", l.Columns(), text)
		},
	}
	const source, path = "policy-abi.md.tmpl", "../../../../docs/policy-abi.md"
	var want bytes.Buffer
	if err := template.Must(template.New(source).Funcs(functions).ParseFiles("testdata/"+source)).Execute(&want, page); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, path, want.Bytes())
}
