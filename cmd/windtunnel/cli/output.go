// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/pflag"
	"golang.org/x/term"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/result"
)

const (
	// Text is sentences for people.
	Text Format = "text"
	// OutputSARIF is what code scanners read.
	OutputSARIF Format = "sarif"
)

// Format is the value of -o.
type Format string

const (
	// Table is tables for people.
	Table Format = "table"
	// JSON is the object as JSON.
	JSON Format = "json"
	// YAML is the object as YAML.
	YAML Format = "yaml"
	// Prometheus is what the stability controllers of a run know.
	Prometheus Format = "prometheus"
	// BenchmarkReport is a Benchmark Report of a run.
	BenchmarkReport Format = "benchmark-report"
)

// A choice is the flag -o of a verb that knows some of the formats.
type choice struct {
	format *Format
	among  []Format
}

// OutputFlag defines -o of a verb that prints in one of several formats. note ends the help.
func OutputFlag(f *pflag.FlagSet, format *Format, among []Format, note string) {
	f.VarP(choice{format, among}, "output", "o", OneOf(among)+note)
}

// FileFlag defines -o of a verb that writes a file.
func FileFlag(f *pflag.FlagSet, file *string, note string) {
	f.StringVarP(file, "output", "o", cmp.Or(*file, "-"), "file to write, - for standard output"+note)
}

// ParallelismFlag defines --parallelism, which is the number of cores unless the user says otherwise.
func ParallelismFlag(f *pflag.FlagSet, parallelism *int, what string) {
	f.IntVar(parallelism, "parallelism", runtime.GOMAXPROCS(0), what+" that run at once; results do not depend on it")
}

// DocumentFormats are those that every verb knows.
var DocumentFormats = []Format{Table, JSON, YAML}

// String returns the value of the flag.
func (c choice) String() string {
	if c.format == nil {
		return ""
	}
	return string(*c.format)
}

// Set takes one of the formats.
func (c choice) Set(value string) error {
	if !slices.Contains(c.among, Format(value)) {
		return fmt.Errorf("must be %s", OneOf(c.among))
	}
	*c.format = Format(value)
	return nil
}

// Type is what the flag's help calls the value.
func (c choice) Type() string { return "format" }

// rawOutput is what a verb writes to, without the filter of [NewRoot].
func rawOutput(w io.Writer) io.Writer {
	if printed, ok := w.(*printable.Writer); ok {
		return printed.Unwrap()
	}
	return w
}

// TerminalOf is the terminal that a verb writes to, or nil.
func TerminalOf(w io.Writer) *os.File {
	if f, ok := rawOutput(w).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// FileOutput is where a verb writes what is a file for programs, byte for byte. On a terminal it is
// a text all the same.
func FileOutput(w io.Writer) io.Writer {
	if TerminalOf(w) != nil {
		return w
	}
	return rawOutput(w)
}

// Identity is how outputs name the object that they are about.
type Identity struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   IdentityMetadata `json:"metadata"`
}

// IdentityMetadata names an object as its metadata does.
type IdentityMetadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// Identify returns the kind and name of an object.
func Identify(typ metav1.TypeMeta, object metav1.ObjectMeta) Identity {
	return Identity{
		APIVersion: typ.APIVersion,
		Kind:       typ.Kind,
		Metadata:   IdentityMetadata{Name: object.Name, Namespace: object.Namespace},
	}
}

// Write prints v as JSON or YAML, one document an object.
func (f Format) Write(w io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if f == YAML {
		if raw, err = yaml.JSONToYAML(raw); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "---\n%s", raw)
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", raw)
	return err
}

// CommentedYAML is a value as YAML below comments, one a line.
func CommentedYAML(comments []string, v any) ([]byte, error) {
	raw, err := yaml.Marshal(v)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, line := range comments {
		fmt.Fprintf(&text, "# %s\n", line)
	}
	text.Write(raw)
	return text.Bytes(), nil
}

// WriteWithRows prints v as JSON with its rows, which it has none of, behind it:
// one after the other, so that few are in memory as text at a time.
func WriteWithRows(w io.Writer, v any, rows []result.Row) error {
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
