// SPDX-License-Identifier: Apache-2.0

package results

import (
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// Whatever a file holds, it is an error or a run with requests.
func FuzzRead(f *testing.F) {
	examples, err := filepath.Glob("testdata/*.*")
	if err != nil || len(examples) == 0 {
		f.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, name := range examples {
		raw := testfile.Read(f, name)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, errs := Read(raw, 1)
		if len(errs) > 0 {
			return
		}
		for i := range all {
			all[i].Load.Requests = min(all[i].Load.Requests, 100)
			for _, q := range all[i].Run("fuzz", exampleEngine()).Requests {
				if q.InputTokens < 1 || q.OutputTokens < 1 {
					t.Fatalf("%s: a request of %d and %d tokens", all[i].Part, q.InputTokens, q.OutputTokens)
				}
			}
		}
	})
}
