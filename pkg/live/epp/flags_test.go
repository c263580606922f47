// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhichFlagsAnEPPKnows(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		want   []string
	}{
		"all, and its help ends with an exit code": {"echo ' --drain-timeout duration  wait; --emit-endpoint-scores  tell them' >&2; exit 2", []string{scoreFlag, drainFlag}},
		"none":                {"echo ' --grpc-port  int'", nil},
		"its help has no end": {"while :; do echo help; done", nil},
	} {
		program := filepath.Join(t.TempDir(), "epp")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, KnownFlags(t.Context(), program)); diff != "" {
			t.Errorf("%s: flags (−want +got):\n%s", name, diff)
		}
	}
}
