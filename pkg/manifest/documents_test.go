// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// kubectlSplit is how kubectl cuts a stream of YAML.
func kubectlSplit(text string) ([]string, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	var docs []string
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, string(doc))
	}
}

// notBlank drops the empty documents, and what does not matter to a YAML parser:
// kubectl leaves a separator that follows nothing in front of the next
// document's text, and takes line ends of Windows away.
func notBlank(docs []string) []string {
	var rest []string
	for _, d := range docs {
		if strings.HasPrefix(d, separator) {
			_, d, _ = strings.Cut(d, "\n")
		}
		d = strings.TrimSpace(strings.ReplaceAll(d, "\r", ""))
		if d != "" {
			rest = append(rest, d)
		}
	}
	return rest
}

func TestStreamsAreCutAsKubectlCutsThem(t *testing.T) {
	for _, text := range splitSeeds {
		checkSplit(t, text)
	}
}

func FuzzStreamsAreCutAsKubectlCutsThem(f *testing.F) {
	for _, text := range splitSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkSplit(t, text) })
}

var splitSeeds = []string{
	"", "a", "a\n", "---", "---\n", "a\n---\nb", "a\n---\nb\n---\n", "---\n---\n", "a\n--- # b\nc", "a\n ---\nb",
	"a\n----\nb", "a\n---b\nc", "a\r\n---\r\nb\r\n", "a\n---\t\nb", "x: |\n  ---\n  y\n---\nz",
}

func checkSplit(t *testing.T, text string) {
	t.Helper()
	want, wantErr := kubectlSplit(text)
	docs, err := splitYAML([]byte(text))
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%q: error %v, kubectl says %v", text, err, wantErr)
	}
	if err != nil {
		return
	}
	var got []string
	for _, d := range docs {
		got = append(got, string(d.text))
		checkLine(t, text, d)
	}
	if diff := cmp.Diff(notBlank(want), notBlank(got)); diff != "" {
		t.Errorf("%q cut differently (-kubectl +ours):\n%s", text, diff)
	}
}

// checkLine demands that a document's lines are those of the file.
func checkLine(t *testing.T, text string, d document) {
	t.Helper()
	before := bytes.Repeat([]byte("\n"), d.line-1)
	own, ok := bytes.CutPrefix(d.text, before)
	if !ok {
		t.Fatalf("document of line %d does not begin with as many line ends", d.line)
	}
	lines := strings.SplitAfter(text, "\n")
	if rest := strings.Join(lines[d.line-1:], ""); !strings.HasPrefix(rest, string(own)) {
		t.Errorf("line %d of %q does not begin with %q", d.line, text, own)
	}
}

func TestLinesOfFields(t *testing.T) {
	text := `# comment
a: &shared
  b: {c: 1, d.e: 2}
list:
- x: 1
  y:
  - 7
  - 8
-
  z: 3
other: *shared
`
	d := document{line: 1, text: []byte(text)}
	for path, want := range map[string]int{
		"":                 2,
		"a":                2,
		"a.b":              3,
		"a.b.c":            3,
		"a.b[d.e]":         3,
		"a.missing":        2,
		"a.missing.deeper": 2,
		"list":             4,
		"list[0].x":        5,
		"list[0].y[1]":     8,
		"list[1].z":        10,
		"list[9].z":        4,
		"list[x]":          4,
		"other":            11,
		"other.b":          3,
		"[":                2,
		"a..b":             2,
	} {
		if got := d.lineOf(d.node(), path); got != want {
			t.Errorf("%q is on line %d, want %d", path, got, want)
		}
	}
}

func TestDuplicateKeysHavePaths(t *testing.T) {
	text := "a: 1\nb:\n- {c: 1, c: 2}\n- {c: 1}\na:\n  d: 1\n  d: 2\n  d: 3\n"
	d := document{line: 1, text: []byte(text)}
	want := "[b[0].c a a.d a.d]"
	if got := fmt.Sprint(duplicateKeys(d.node())); got != want {
		t.Errorf("duplicates %s, want %s", got, want)
	}
}
