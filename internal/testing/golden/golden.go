// SPDX-License-Identifier: Apache-2.0

// Package golden compares files with what the code gives, and writes them with -update.
package golden

import (
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// Update is the flag.
var Update = flag.Bool("update", false, "write the files that tests compare with")

// Check compares a file with what it should have.
func Check[T string | []byte](t testing.TB, name string, got T) {
	t.Helper()
	if *Update {
		testfile.Write(t, name, []byte(got))
	}
	if diff := cmp.Diff(string(testfile.Read(t, name)), string(got)); diff != "" {
		t.Errorf("%s is not what the code gives; -run '^%s$' -update writes it (−file +code):\n%s", name, t.Name(), diff)
	}
}
