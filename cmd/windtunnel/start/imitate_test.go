// SPDX-License-Identifier: Apache-2.0

package start_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The traffic of the tutorial has many groups of prompts, of which an imitation has one.
func TestAFitThatLosesReuseWarns(t *testing.T) {
	folder := t.TempDir()
	recorded, traffic, first := filepath.Join(folder, "recorded.jsonl"), filepath.Join(folder, "traffic.yaml"), filepath.Join(folder, "first.yaml")
	mustRun(t, "trace", "generate", "-f", "../../config/samples/tasks/scenario.yaml", "-o", recorded)
	for _, printed := range []string{
		mustRun(t, "trace", "fit", recorded, "-o", traffic),
		mustRun(t, "init", "--trace", recorded, "--imitate", "-o", first),
	} {
		if !strings.Contains(printed, "warning: ") || !strings.Contains(printed, "replay the trace to compare routers that look at prefixes") {
			t.Errorf("no warning:\n%s", printed)
		}
	}
	for _, file := range []string{traffic, first} {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil || !strings.Contains(string(text), "# Warning: ") {
			t.Errorf("%v; %s has no warning:\n%s", err, file, text)
		}
	}
}
