// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/result"
)

// outputFormat is the value of -o.
type outputFormat string

const (
	outputTable outputFormat = "table"
	outputJSON  outputFormat = "json"
	outputYAML  outputFormat = "yaml"
	// outputPrometheus is what the stability controllers of a run know.
	outputPrometheus outputFormat = "prometheus"
	// outputBenchmark is a Benchmark Report of a run.
	outputBenchmark outputFormat = "benchmark-report"
)

// A choice is the flag -o of a verb that knows some of the formats.
type choice struct {
	format *outputFormat
	among  []outputFormat
}

func newChoice(format *outputFormat, among []outputFormat) choice { return choice{format, among} }

// documentFormats are those that every verb knows.
var documentFormats = []outputFormat{outputTable, outputJSON, outputYAML}

// String returns the value of the flag.
func (c choice) String() string {
	if c.format == nil {
		return ""
	}
	return string(*c.format)
}

// Set takes one of the formats.
func (c choice) Set(value string) error {
	if !slices.Contains(c.among, outputFormat(value)) {
		return fmt.Errorf("must be %s", c.words())
	}
	*c.format = outputFormat(value)
	return nil
}

// Type is what the flag's help calls the value.
func (c choice) Type() string { return "format" }

// words lists the formats.
func (c choice) words() string {
	var names []string
	for _, f := range c.among {
		names = append(names, string(f))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// rawOutput is what a verb writes to, without the filter of [newRootCommand].
func rawOutput(w io.Writer) io.Writer {
	if printed, ok := w.(*printable.Writer); ok {
		return printed.Unwrap()
	}
	return w
}

// terminalOf is the terminal that a verb writes to, or nil.
func terminalOf(w io.Writer) *os.File {
	if f, ok := rawOutput(w).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// fileOutput is where a verb writes what is a file for programs, byte for byte. On a terminal it is
// a text all the same.
func fileOutput(w io.Writer) io.Writer {
	if terminalOf(w) != nil {
		return w
	}
	return rawOutput(w)
}

// identity is how outputs name the object that they are about.
type identity struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   identityMetadata `json:"metadata"`
}

type identityMetadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

func identify(typ metav1.TypeMeta, object metav1.ObjectMeta) identity {
	return identity{
		APIVersion: typ.APIVersion,
		Kind:       typ.Kind,
		Metadata:   identityMetadata{Name: object.Name, Namespace: object.Namespace},
	}
}

// write prints v as JSON or YAML, one document an object.
func (f outputFormat) write(w io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if f == outputYAML {
		if raw, err = yaml.JSONToYAML(raw); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "---\n%s", raw)
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", raw)
	return err
}

// writeWithRows prints v as JSON with its rows, which it has none of, behind it:
// one after the other, so that few are in memory as text at a time.
func writeWithRows(w io.Writer, v any, rows []result.Row) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	head, found := bytes.CutSuffix(raw, []byte("\"rows\": null\n}"))
	if !found {
		panic(fmt.Sprintf("windtunnel: %T has no rows to end with", v))
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\"rows\": [", head)
	separator, end := "\n    ", ""
	var line bytes.Buffer
	for i := range rows {
		raw, err := json.Marshal(rows[i])
		if err != nil {
			return err
		}
		line.Reset()
		if err := json.Indent(&line, raw, "    ", "  "); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s%s", separator, line.Bytes())
		separator, end = ",\n    ", "\n  "
	}
	fmt.Fprintf(out, "%s]\n}\n", end)
	return out.Flush()
}
