// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// The C policy of the page compiles by the page's command, and the page's other command scores it.
// hack/clang.sh gets the compiler.
func TestThePolicyInCOfThePageScores(t *testing.T) {
	needsClang(t)
	raw := cmdtest.TextOf(t, "../../docs/policy-abi.md")
	_, rest, found := strings.Cut(raw, "```c\n")
	source, rest, ends := strings.Cut(rest, "```\n")
	_, rest, shell := strings.Cut(rest, "```sh\n")
	commands, _, closed := strings.Cut(rest, "```\n")
	if !found || !ends || !shell || !closed {
		t.Fatal("the page has no policy in C and no commands")
	}
	compile, score, _ := strings.Cut(strings.TrimSpace(commands), "\n")
	folder := compileInC(t, "shortest.c", source, compile)
	args := strings.Fields(strings.NewReplacer("shortest.wasm", filepath.Join(folder, "shortest.wasm"), "config/samples", "../../config/samples").Replace(score))
	if args[0] != "windtunnel" {
		t.Fatalf("the page scores by %s", score)
	}
	if got := combinedScore(t, append(args[1:], "-o", "json")); got <= 0 || got > 1 {
		t.Errorf("the score is %v", got)
	}
	// With a signal, rows have 11 columns: the module's answers lie where the signal of the last rows is.
	out := mustRun(t, append(strings.Fields(strings.Replace(strings.Join(args[1:], " "), "--signal=", "--signal prefix-affinity", 1)), "-o", "json")...)
	const want = "behind 9 scalars and 11 columns of each row, which are 9 and 2 of the signals; it is compiled for 9 columns"
	if !strings.Contains(out, want) {
		t.Errorf("the fault of another layout does not say %q:\n%.600s", want, out)
	}
}

// The module of the sample does what its program in C does, compiled by the sample's command.
func TestTheModuleOfTheSampleIsItsProgram(t *testing.T) {
	needsClang(t)
	const sample = "../../config/samples/simulationrun-webassembly.yaml"
	manifest := cmdtest.TextOf(t, sample)
	comment, _, _ := strings.Cut(manifest, "apiVersion:")
	var code []string
	for line := range strings.Lines(comment) {
		if rest, indented := strings.CutPrefix(line, "#   "); indented {
			code = append(code, rest)
		} else if len(code) > 0 && strings.TrimSpace(line) == "#" {
			code = append(code, "\n")
		}
	}
	source, commands, found := strings.Cut(strings.Join(code, ""), "clang ")
	compile, _, _ := strings.Cut(commands, "\n")
	head, rest, inline := strings.Cut(manifest, "module: |\n")
	_, tail, ends := strings.Cut(rest, "    workload:\n")
	if !found || !inline || !ends {
		t.Fatal("the sample has no program in C, or no module")
	}
	module := testfile.Read(t, filepath.Join(compileInC(t, "cached.c", source, "clang "+compile), "cached.wasm"))
	again := cmdtest.TempFile(t, "again.yaml", head+"module: "+base64.StdEncoding.EncodeToString(module)+"\n    workload:\n"+tail)
	if diff := cmp.Diff(mustRun(t, "run", "-f", sample), mustRun(t, "run", "-f", again)); diff != "" {
		t.Errorf("the program in C does something else (-module +program):\n%s", diff)
	}
}

func needsClang(t *testing.T) {
	t.Helper()
	for _, program := range []string{"clang", "wasm-ld"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s, of Debian's packages clang and lld", program)
		}
	}
}

// compileInC compiles a program by a command, and returns the folder of the module.
func compileInC(t *testing.T, name, source, command string) string {
	t.Helper()
	folder := t.TempDir()
	testfile.Write(t, filepath.Join(folder, name), []byte(source))
	clang := exec.CommandContext(t.Context(), "sh", "-c", command)
	clang.Dir = folder
	if out, err := clang.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return folder
}

func combinedScore(t *testing.T, args []string) float64 {
	t.Helper()
	var answers []struct {
		Score float64 `json:"combined_score"`
	}
	out := mustRun(t, args...)
	if err := json.Unmarshal([]byte(out), &answers); err != nil {
		var one struct {
			Score float64 `json:"combined_score"`
		}
		if err := json.Unmarshal([]byte(out), &one); err != nil {
			t.Fatalf("%v\n%.300s", err, out)
		}
		return one.Score
	}
	return answers[0].Score
}
