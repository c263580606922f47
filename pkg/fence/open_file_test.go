// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// A child can read a trace again and again, whether it is a file or not.
func TestAnOpenFileIsReadAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.jsonl")
	testfile.Write(t, name, []byte("rows"))
	for what, open := range map[string]func() (io.ReadCloser, error){
		"a file":          func() (io.ReadCloser, error) { return os.Open(name) },
		"what is no file": func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("rows")), nil },
	} {
		t.Run(what, func(t *testing.T) {
			file, err := fileOf(open)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			again := reopen(file)
			for range 2 {
				r, err := again()
				if err != nil {
					t.Fatal(err)
				}
				if text, err := io.ReadAll(r); string(text) != "rows" || err != nil {
					t.Errorf("%q %v", text, err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
