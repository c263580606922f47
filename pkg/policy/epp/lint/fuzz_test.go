// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// seeds are the examples of all rules, and the published configurations where
// they are at hand.
func seeds(f *testing.F) []string {
	var texts []string
	for _, r := range rules {
		for _, text := range []string{r.BadExample(), r.GoodExample()} {
			if text != "" {
				texts = append(texts, withHeader(text))
			}
		}
	}
	texts = append(texts, twoConfigs)
	if os.Getenv(testdata.EnvVar) == "" {
		return texts
	}
	paths, err := filepath.Glob(filepath.Join(testdata.Dir(f), "epp", "configs", "*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text := testfile.Read(f, path)
		texts = append(texts, string(text))
	}
	return texts
}

// mutate changes a text by a line, as people do: it drops, doubles, swaps,
// indents or misspells one.
func mutate(text string, line, how uint8) string {
	lines := strings.SplitAfter(text, "\n")
	i := int(line) % len(lines)
	j := (i + 1) % len(lines)
	switch how % 8 {
	case 1:
		lines[i] = ""
	case 2:
		lines[i] += lines[i]
	case 3:
		lines[i], lines[j] = lines[j], lines[i]
	case 4:
		lines[i] = "  " + lines[i]
	case 5:
		lines[i] = strings.Replace(lines[i], "e", "", 1)
	case 6:
		lines[i] = strings.Replace(lines[i], ": ", ":\t", 1)
	case 7:
		lines[i] = strings.Replace(lines[i], "-", "- -", 1)
	}
	return strings.Join(lines, "")
}

// FuzzLint holds what must be so of any text: no panic, findings within the
// file, output that parses, and texts that are fixed for a version load in it.
func FuzzLint(f *testing.F) {
	for i, text := range seeds(f) {
		f.Add(text, uint8(7*i), uint8(i))
	}
	f.Fuzz(checkLint)
}

// checkLint looks at a text with one line changed.
func checkLint(t *testing.T, text string, line, how uint8) {
	content := []byte(mutate(text, line, how))
	context := Context{Replicas: 2, PromptTokens: 1 << 14, PrefixShare: 0.5, BlockTokens: 16}
	report, err := Read("f.yaml", content, Options{Versions: []string{"auto", "router-v0.10.0"}, Context: context})
	if err != nil {
		return
	}
	b := newBuffer(string(content))
	for _, c := range report.Configs {
		for _, finding := range c.Findings {
			checkPlace(t, b, &finding)
		}
	}
	checkOutput(t, report)
	version := version.Names()[int(line)%len(version.Names())]
	fixed, err := Fix("f.yaml", content, FixOptions{Versions: []string{version}, DeleteUnknown: how&8 != 0})
	if err != nil {
		t.Fatalf("read, but not fixed: %v", err)
	}
	if fixed.Changed() {
		checkFixed(t, fixed, version)
	}
}

func checkPlace(t *testing.T, b *buffer, f *Finding) {
	t.Helper()
	if f.Line < 1 || f.Line > len(b.Lines) || f.Column < 1 || f.Column > len(b.Line(f.Line-1))+1 {
		t.Errorf("%s is at line %d, column %d of %d lines", f.Rule, f.Line, f.Column, len(b.Lines))
	}
	if Lookup(f.Rule) == nil || f.Message == "" || strings.Contains(f.Message, "internal error") {
		t.Errorf("finding is %+v", f)
	}
	for _, e := range f.Edits {
		if e.Line < 1 || e.EndLine < e.Line || e.EndLine > len(b.Lines) {
			t.Errorf("%s has an edit from line %d to %d of %d", f.Rule, e.Line, e.EndLine, len(b.Lines))
		}
	}
}

func checkOutput(t *testing.T, report Report) {
	t.Helper()
	reports := []Report{report}
	var text, asJSON, asSARIF bytes.Buffer
	for _, err := range []error{WriteText(&text, reports, true), WriteJSON(&asJSON, reports), WriteSARIF(&asSARIF, reports, "1")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid(asJSON.Bytes()) || !json.Valid(asSARIF.Bytes()) {
		t.Error("output is no JSON")
	}
	if strings.Contains(text.String(), "internal error") {
		t.Error("the output tells of an internal error")
	}
}

// checkFixed looks at the configurations that were rewritten.
func checkFixed(t *testing.T, fixed Fixed, version string) {
	t.Helper()
	report, err := Read("f.yaml", fixed.Content, Options{Versions: []string{version}})
	if err != nil {
		t.Fatalf("the result is not read: %v\n%s", err, fixed.Content)
	}
	if len(report.Configs) != len(fixed.Notes) {
		t.Fatalf("%d configurations became %d", len(fixed.Notes), len(report.Configs))
	}
	for i, note := range fixed.Notes {
		if !strings.Contains(note, "rewritten for") || strings.Contains(note, "not rewritten") {
			continue
		}
		for _, v := range report.Configs[i].Verdicts {
			if v.Version == version && v.Verdict != config.Accepted {
				t.Errorf("%s, but %s: %s\n%s", note, v.Verdict, v.Reason, fixed.Content)
			}
		}
	}
}
