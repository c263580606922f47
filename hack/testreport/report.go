// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// event is one of test2json's, as `go doc test2json` describes it.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// testKey names a test of a package; the test is empty for the package itself.
type testKey struct{ pkg, test string }

// report follows the events of several runs of go test.
type report struct {
	out *bufio.Writer
	// output is what tests that have not ended wrote, by package and test.
	output map[string]map[string]*bytes.Buffer
	// order is that of the tests of each package as they began.
	order map[string][]string
	// skipped says why, in the order of skips.
	skipped []skip
	// ended are the tests that passed or failed.
	ended  map[testKey]bool
	failed bool
}

// skip is a test that was skipped, and why.
type skip struct {
	testKey
	reason string
}

func newReport(out io.Writer) *report {
	return &report{
		out:    bufio.NewWriter(out),
		output: map[string]map[string]*bytes.Buffer{},
		order:  map[string][]string{},
		ended:  map[testKey]bool{},
	}
}

// read follows events to their end. Lines that are no events are printed as they
// are: those of a build, and of other commands.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case line[0] == '{' && json.Unmarshal(line, &e) == nil && e.Action != "":
			r.take(e)
		default:
			r.printf("%s", line)
		}
		if err == io.EOF {
			return r.out.Flush()
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	key := testKey{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		r.printf("%s", e.Output)
	case "build-fail":
		r.failed = true
	case "output":
		r.write(key, e.Output)
	case "skip":
		if e.Test != "" {
			r.skipped = append(r.skipped, skip{key, reason(r.text(key))})
			r.drop(key)
		}
	case "pass":
		r.ended[key] = true
		if e.Test != "" {
			r.drop(key)
		}
	case "fail":
		r.ended[key] = true
		r.failed = true
	}
	if e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
		r.endPackage(e.Package)
	}
}

func (r *report) write(key testKey, text string) {
	tests := r.output[key.pkg]
	if tests == nil {
		tests = map[string]*bytes.Buffer{}
		r.output[key.pkg] = tests
	}
	if tests[key.test] == nil {
		tests[key.test] = &bytes.Buffer{}
		r.order[key.pkg] = append(r.order[key.pkg], key.test)
	}
	tests[key.test].WriteString(text)
}

func (r *report) text(key testKey) string {
	if b := r.output[key.pkg][key.test]; b != nil {
		return b.String()
	}
	return ""
}

func (r *report) drop(key testKey) {
	if b := r.output[key.pkg][key.test]; b != nil {
		b.Reset()
	}
}

// framing are the lines about tests beginning and pausing, which go test shows
// with -v only, and the last word of a package that passed.
var framing = regexp.MustCompile(`(?m)^(=== (RUN|PAUSE|CONT|NAME) .*|PASS)\n`)

// endPackage prints what is left of a package: what its failed tests wrote, and
// its own lines.
func (r *report) endPackage(pkg string) {
	for _, test := range r.order[pkg] {
		if test != "" {
			r.printf("%s", framing.ReplaceAllString(r.text(testKey{pkg, test}), ""))
		}
	}
	r.printf("%s", framing.ReplaceAllString(r.text(testKey{pkg, ""}), ""))
	_ = r.out.Flush() // an error stays, and close returns it
	delete(r.output, pkg)
	delete(r.order, pkg)
}

// place is where a test logs from: "    file_test.go:12: ".
var place = regexp.MustCompile(`^\s*[\w./-]+\.go:\d+: `)

// reason is the last thing that a skipped test logged.
func reason(text string) string {
	why := "no reason is given"
	for line := range strings.Lines(text) {
		if at := place.FindString(line); at != "" {
			why = strings.TrimSpace(line[len(at):])
		}
	}
	return why
}

// printf prints. An error of a write stays with the writer, and close returns it.
func (r *report) printf(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }
