// SPDX-License-Identifier: Apache-2.0

// Package realcode asks the code of other projects, of which a checkout is at hand, and keeps their
// answers. It is for tests.
package realcode

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Check compares the decisions about all states with the answers that are committed, and writes these with
// update. An answer has the fields of a state, and the decision as Want.
func Check[S any](t *testing.T, path string, all []S, decisions []json.RawMessage, update bool) {
	t.Helper()
	var answers []json.RawMessage
	for i := range all {
		state := Marshal(t, all[i])
		answers = append(answers, slices.Concat(state[:len(state)-1], []byte(`,"Want":`), decisions[i], []byte("}")))
	}
	want := Marshal(t, answers)
	if update {
		if err := os.WriteFile(path, compress(t, want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(want, committed(t, path)) {
		t.Error("the real code says something else than the committed answers: run make autoscalers")
	}
}

// Answers are those that are committed.
func Answers[A any](t *testing.T, path string) []A {
	t.Helper()
	var all []A
	if err := json.NewDecoder(Unzip(t, path)).Decode(&all); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return all
}

// Run has a program answer, which reads states and writes decisions.
func Run(t *testing.T, all any, name string, arguments ...string) []json.RawMessage {
	t.Helper()
	var decisions []json.RawMessage
	cmd := exec.Command(name, arguments...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(Marshal(t, all)), os.Stderr
	output, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(output, &decisions)
	}
	if err != nil {
		t.Fatal(err)
	}
	return decisions
}

// Ask has the code of a package answer, by a program that stands in for the tests of the package.
func Ask(t *testing.T, checkout, pkg, program string, all any) []json.RawMessage {
	t.Helper()
	checkout, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	replaced := map[string]string{filepath.Join(checkout, pkg, "windtunnel_test.go"): program}
	own, err := filepath.Glob(filepath.Join(checkout, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range own {
		replaced[path] = "" // its own tests need more than the module has
	}
	overlay := file("overlay.json", Marshal(t, map[string]map[string]string{"Replace": replaced}))
	answers := filepath.Join(folder, "answers.json")
	cmd := exec.Command("go", "test", "-C", checkout, "-count", "1", "-overlay", overlay, "-run", "^TestAskForWindtunnel$", "./"+pkg)
	cmd.Env = append(os.Environ(), "WINDTUNNEL_STATES="+file("states.json", Marshal(t, all)), "WINDTUNNEL_ANSWERS="+answers)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	raw, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	var decisions []json.RawMessage
	if err := json.Unmarshal(raw, &decisions); err != nil {
		t.Fatal(err)
	}
	return decisions
}

// Marshal is the JSON of a value.
func Marshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func compress(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func committed(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := io.ReadAll(Unzip(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Unzip reads what a gzip file holds, until the test is over.
func Unzip(t *testing.T, path string) io.Reader {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return z
}
