// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// TestDocsTasks types what each page of docs/tasks tells to type, in a clone, and
// sees what the page shows.
func TestDocsTasks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/tasks/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("there are %d pages on tasks (%v)", len(pages), err)
	}
	readme := cmdtest.TextOf(t, "../../README.md")
	binary := filepath.Join(t.TempDir(), "windtunnel")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text := cmdtest.TextOf(t, page)
			const most = 80
			if lines := strings.Count(text, "\n"); lines > most {
				t.Errorf("it has %d lines, want %d at most", lines, most)
			}
			if link := "docs/tasks/" + filepath.Base(page); !strings.Contains(readme, "("+link+")") {
				t.Errorf("the README has no link to %s", link)
			}
			script, shown := typed(text)
			printed := inShell(t, taskClone(t, binary), script)
			rest := printed
			for _, want := range shown {
				var found bool
				if rest, found = after(rest, want); !found {
					t.Fatalf("it shows\n%s\nwhich does not come, in this order, in\n%s", want, printed)
				}
			}
		})
	}
}

// typed is what a page tells to type, its blocks of sh, and the lines that it says
// come out, its blocks of no language.
func typed(page string) (script string, shown []string) {
	fence := ""
	for line := range strings.Lines(page) {
		switch language, isFence := strings.CutPrefix(strings.TrimSpace(line), "```"); {
		case isFence && fence == "":
			fence = "```" + language
		case isFence:
			fence = ""
		case fence == "```sh":
			script += line
		case fence == "```":
			shown = append(shown, cmdtest.Words(line))
		}
	}
	return script, shown
}

// after is what follows a line in a text, if it is there; columns may be wider.
func after(text, line string) (rest string, found bool) {
	for text != "" {
		var first string
		first, text, _ = strings.Cut(text, "\n")
		if cmdtest.Words(first) == line {
			return text, true
		}
	}
	return "", false
}

// taskClone is a folder with what the pages use of a clone in which make build ran.
func taskClone(t *testing.T, binary string) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "windtunnel")
	if err := os.CopyFS(filepath.Join(clone, "config/samples/tasks"), os.DirFS(filepath.Join(cmdtest.Samples, "tasks"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(clone, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(clone, "bin", "windtunnel")); err != nil {
		t.Fatal(err)
	}
	return clone
}

// inShell is what a script prints in a folder, as someone with a name in Git.
func inShell(t *testing.T, folder, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
