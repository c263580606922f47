// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnEPPThatDoesNotStartShowsItsLog runs a program that is none.
func TestAnEPPThatDoesNotStartShowsItsLog(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "epp")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho cannot read the configuration >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Binary: program, Folder: folder})
	for _, want := range []string{program, "exit status 3", "cannot read the configuration"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if _, err := Start(t.Context(), Options{Binary: filepath.Join(folder, "none"), Folder: folder}); err == nil {
		t.Error("a program was started that does not exist")
	}
}

func TestTheLogIsKeptFromALineOn(t *testing.T) {
	var l tail
	for range 3 {
		if _, err := l.Write([]byte(strings.Repeat("x", tailBytes/2) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := l.String(), strings.Repeat("x", tailBytes/2)+"\n"; got != want {
		t.Errorf("%d bytes are kept, want %d", len(got), len(want))
	}
}
