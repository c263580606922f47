// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// stepsBefore are the commands of a pipeline up to its script.
func stepsBefore(t *testing.T, file string) string {
	t.Helper()
	raw := testfile.Read(t, filepath.Join("../../docs/ci", file))
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

// bases say to each pipeline that the target is the branch main.
var bases = map[string]string{"github.yaml": "GITHUB_BASE_REF=main", "gitlab.yaml": "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main"}

// judgedAfter runs the steps of a pipeline in a repository in which a pull request did something,
// on a branch of the first of two commits: the second tightens the sweep.
func judgedAfter(t *testing.T, file, change string) (folder, printed string) {
	t.Helper()
	folder = t.TempDir()
	inShell(t, folder, `set -e
git init -q -b main && mkdir epp && cd epp
echo "requests: 1000" > sweep.yaml && echo before > epp.yaml && echo ours > github.sh
cd .. && git add . && git commit -qm base && git branch pull
echo "requests: 2000" > epp/sweep.yaml && git commit -qam tightened
git update-ref refs/remotes/origin/main main && git switch -q pull && cd epp
`+change+`
git add -A . && git commit -qam pull`)
	return folder, inShell(t, folder, "export "+bases[file]+"\ncat > steps <<'EOT'\n"+stepsBefore(t, file)+"\nEOT\nsh -e steps || echo refused")
}

// TestPipelinesJudgeByTheBaseBranch has a pull request shorten the sweep, change the script and
// propose a file: the sweep and the script of the base branch, as they are now, judge that file.
func TestPipelinesJudgeByTheBaseBranch(t *testing.T) {
	for file := range bases {
		t.Run(file, func(t *testing.T) {
			folder, _ := judgedAfter(t, file, `echo "requests: 1" > sweep.yaml && echo after > epp.yaml && echo theirs > github.sh`)
			for name, want := range map[string]string{"sweep.yaml": "requests: 2000", "before.yaml": "before", "epp.yaml": "after", "github.sh": "ours"} {
				got, err := os.ReadFile(filepath.Join(folder, "judge/epp", name))
				if err != nil || strings.TrimSpace(string(got)) != want {
					t.Errorf("%s is %q (%v), want %q", name, got, err, want)
				}
			}
		})
	}
}

// A link is judged as the text that Git has of it, not as a file of the runner; a file that is
// gone or moved, and a folder of the judge's name, end the pipeline.
func TestPipelinesRefuseWhatIsNoFile(t *testing.T) {
	for file := range bases {
		for name, tc := range map[string]struct{ change, want string }{
			"a link to the file before": {"ln -sf ../judge/epp/before.yaml epp.yaml", "../judge/epp/before.yaml"},
			"deleted":                   {"git rm -q epp.yaml", ""},
			"moved":                     {"mkdir ../conf && git mv epp.yaml ../conf/epp.yaml && git add ../conf", ""},
			"a judge of its own":        {"mkdir -p ../judge/epp && for f in sweep.yaml epp.yaml github.sh gitlab.sh; do echo theirs > ../judge/epp/$f; done && git add ../judge", ""},
		} {
			folder, printed := judgedAfter(t, file, tc.change)
			got, _ := os.ReadFile(filepath.Join(folder, "judge/epp/epp.yaml"))
			if tc.want != "" && string(got) != tc.want || (tc.want == "") != strings.Contains(printed, "refused") {
				t.Errorf("%s, %s: judged %q\n%s", file, name, got, printed)
			}
		}
	}
}
