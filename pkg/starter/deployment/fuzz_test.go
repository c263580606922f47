// SPDX-License-Identifier: Apache-2.0

package deployment_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// FuzzRead: no text makes the reader fail, and the same text gives the same cluster.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text := testfile.Read(f, file)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := []deployment.File{{Name: "a.yaml", Text: text}}
		o := deployment.Options{Catalogue: latency.Builtin()}
		first, err := deployment.Read(all, o)
		second, again := deployment.Read(all, o)
		if diff := cmp.Diff(first, second); diff != "" || (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Errorf("two readings differ: %v, %v\n%s", err, again, diff)
		}
		if err == nil && len(first.Routers) == 0 {
			t.Error("a cluster has no router")
		}
	})
}
