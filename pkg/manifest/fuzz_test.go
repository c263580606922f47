// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// manifests are the files that the repository holds.
func manifests(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range []string{"../../config/samples/*.yaml", "../../config/samples/*/*.yaml", "../../test/api/testdata/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text := testfile.Read(t, path)
			files[path] = text
		}
	}
	if len(files) == 0 {
		t.Fatal("no manifests found")
	}
	return files
}

// Whatever a file holds: no panic, every fault has a line, and what is accepted
// is valid, fully defaulted, and the same when read again.
func FuzzRead(f *testing.F) {
	for _, text := range manifests(f) {
		f.Add(text)
	}
	for _, text := range []string{runText("r", ""), configMapText, "{}", "[]", "a: &a [*a]", "a: {<<: {b: c}}", "? [a]\n: b", "\x00", "---\n...\n%YAML 1.2\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := manifest.Read(bytes.NewReader(text), "f")
		if err != nil {
			checkError(t, err)
			return
		}
		again, err := manifest.Read(bytes.NewReader(text), "f")
		if err != nil {
			t.Fatalf("accepted at first, then: %v", err)
		}
		if diff := cmp.Diff([]any{set.Runs, set.Sweeps, set.ConfigMaps}, []any{again.Runs, again.Sweeps, again.ConfigMaps}); diff != "" {
			t.Errorf("read twice (-first +second):\n%s", diff)
		}
		for _, run := range set.Runs {
			manifest.Default(run)
			if errs := manifest.Validate(run); len(errs) > 0 {
				t.Errorf("accepted, and not valid: %v", errs)
			}
		}
		for _, sweep := range set.Sweeps {
			manifest.Default(sweep)
			if errs := manifest.Validate(sweep); len(errs) > 0 {
				t.Errorf("accepted, and not valid: %v", errs)
			}
		}
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var invalid *manifest.InvalidError
	if !errors.As(err, &invalid) {
		return
	}
	if len(invalid.Errs) == 0 || len(invalid.Lines) != len(invalid.Errs) || invalid.Document < 1 {
		t.Errorf("incomplete: %d faults, %d lines, document %d", len(invalid.Errs), len(invalid.Lines), invalid.Document)
	}
	for _, line := range invalid.Lines {
		if line < 1 {
			t.Errorf("a fault on line %d", line)
		}
	}
}
