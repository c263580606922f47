// SPDX-License-Identifier: Apache-2.0

// Package testfile reads and writes the files of tests.
package testfile

import (
	"os"
	"testing"
)

// Read returns what a file has.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Write writes a file.
func Write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Open opens a file until the test ends.
func Open(t testing.TB, name string) *os.File {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() }) // it was only read
	return file
}
