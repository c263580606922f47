// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// stepsBefore are the commands of a pipeline up to its script.
func stepsBefore(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../docs/ci", file))
	if err != nil {
		t.Fatal(err)
	}
	var pipeline struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
		Windtunnel struct{ Script []string }
	}
	if err := yaml.Unmarshal(raw, &pipeline); err != nil {
		t.Fatal(err)
	}
	steps := pipeline.Windtunnel.Script
	for _, step := range pipeline.Jobs["verdict"].Steps {
		steps = append(steps, step.Run)
	}
	var before []string
	for _, step := range steps {
		if !strings.HasPrefix(step, "sh ") {
			before = append(before, step)
		}
	}
	return strings.Join(before, "\n")
}

// TestPipelinesJudgeByTheBaseBranch has a pull request shorten the sweep, change the script and
// propose a file: the sweep and the script of the base branch judge that file.
func TestPipelinesJudgeByTheBaseBranch(t *testing.T) {
	for file, base := range map[string]string{"github.yaml": "GITHUB_BASE_REF=main", "gitlab.yaml": "CI_MERGE_REQUEST_DIFF_BASE_SHA=origin/main"} {
		t.Run(file, func(t *testing.T) {
			folder := t.TempDir()
			inShell(t, folder, `set -e
git init -q -b main && mkdir epp && cd epp
echo "requests: 2000" > sweep.yaml && echo before > epp.yaml && echo ours > github.sh
cd .. && git add . && git commit -qm base && git update-ref refs/remotes/origin/main main
git switch -qc pull && cd epp
echo "requests: 1" > sweep.yaml && echo after > epp.yaml && echo theirs > github.sh && git commit -qam pull`)
			inShell(t, folder, "set -e\nexport "+base+"\n"+stepsBefore(t, file))
			for name, want := range map[string]string{"sweep.yaml": "requests: 2000", "before.yaml": "before", "epp.yaml": "after", "github.sh": "ours"} {
				got, err := os.ReadFile(filepath.Join(folder, "judge/epp", name))
				if err != nil || strings.TrimSpace(string(got)) != want {
					t.Errorf("%s is %q (%v), want %q", name, got, err, want)
				}
			}
		})
	}
}
