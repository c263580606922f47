// SPDX-License-Identifier: Apache-2.0

package deployment_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// told is what is read of a text, or why it is refused.
func told(t *testing.T, name string, text []byte, o deployment.Options) string {
	t.Helper()
	o.Catalogue = latency.Builtin()
	cluster, err := deployment.Read([]deployment.File{{Name: name, Text: text}}, o)
	if err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), ", Deployment", ",\n  Deployment") + "\n"
	}
	out, err := yaml.Marshal(cluster)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestManifestsBecomeAScenario: each file of testdata has one whole cluster, and its golden file what is read of it.
func TestManifestsBecomeAScenario(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text := testfile.Read(t, file)
			got := told(t, filepath.Base(file), text, deployment.Options{})
			golden.Check(t, strings.TrimSuffix(file, ".yaml")+".golden", got)
			if again := told(t, filepath.Base(file), text, deployment.Options{}); again != got {
				t.Errorf("a second time it is\n%s", again)
			}
		})
	}
}
