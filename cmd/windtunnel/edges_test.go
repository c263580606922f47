// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

func TestMistypedVerbsAndFlagsAreSuggested(t *testing.T) {
	for args, want := range map[string]string{
		"sweeep":         `unknown verb "sweeep", did you mean "sweep"?`,
		"lnt":            `unknown verb "lnt", did you mean "lint"?`,
		"trace stt x":    `unknown verb "stt", did you mean "fit"? (see windtunnel trace --help)`,
		"run --filname":  `unknown flag: --filname, did you mean "--filename"? (see windtunnel run --help)`,
		"sweep --promot": `unknown flag: --promot, did you mean "--promote"?`,
		"qqqqqqqqqq":     `unknown verb "qqqqqqqqqq" (see windtunnel --help)`,
		"run --zzzzzzzz": `unknown flag: --zzzzzzzz (see windtunnel run --help)`,
	} {
		_, err := windtunnel(t, strings.Fields(args)...)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("windtunnel %s: exit code %d, %v, want %q", args, cli.ExitCode(err), err, want)
		}
	}
}

// What cannot be written is told before anything is simulated: the manifest is not
// even read.
func TestOutputFoldersAreCheckedFirst(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing", "file")
	for _, args := range [][]string{
		{"sweep", "--report", missing}, {"sweep", "--promote", missing}, {"sweep", "--state", missing},
		{"sweep", "--requests", missing}, {"run", "--requests", missing}, {"run", "--trace", missing},
		{"sweep", "--report", folder}, {"sweep", "--follow", filepath.Join(cmdtest.TempFile(t, "file", ""), "below")},
	} {
		_, err := windtunnel(t, append(args, "-f", "missing.yaml")...)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.HasPrefix(err.Error(), args[1]+": ") {
			t.Errorf("windtunnel %s: exit code %d, %v", strings.Join(args, " "), cli.ExitCode(err), err)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAnInterruptedSweepWithAStateSaysHowToGoOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cmd := newRootCommand()
	state := filepath.Join(t.TempDir(), "sweep.state")
	args := []string{"sweep", "-f", "testdata/sweep.yaml", "--configmap", cmdtest.TraceManifest(t), "--state", state}
	mustRun(t, args...)
	cmd.SetArgs(args)
	cmd.SetOut(&bytes.Buffer{})
	err := cli.Interrupted(cmd.ExecuteContext(ctx))
	if want := "the same command with --state " + state + " continues from them"; cli.ExitCode(err) != cli.ExitInterrupted || !strings.Contains(err.Error(), want) {
		t.Errorf("exit code %d, %v, want %q", cli.ExitCode(err), err, want)
	}
	if err := cli.Interrupted(context.Canceled); !errors.Is(err, cli.ErrInterrupted) || strings.Contains(err.Error(), "goes on") {
		t.Errorf("without a state: %v", err)
	}
}

func TestTraceInspectRecognizesFormats(t *testing.T) {
	mooncake := mustRun(t, "trace", "generate", "--requests", "20")
	azure := "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n"
	for text, want := range map[string]string{mooncake: "Mooncake", azure: "Azure"} {
		fromFile := mustRun(t, "trace", "inspect", cmdtest.TempFile(t, "trace", text))
		if !strings.Contains(fromFile, "format               "+want+"\n") {
			t.Errorf("begins with %.40q, want format %s", fromFile, want)
		}
		var out bytes.Buffer
		cmd := newRootCommand()
		cmd.SetArgs([]string{"trace", "inspect", "-"})
		cmd.SetIn(strings.NewReader(text))
		cmd.SetOut(&out)
		if err := cmd.ExecuteContext(t.Context()); err != nil || out.String() != fromFile {
			t.Errorf("standard input: %v\n%s", err, out.String())
		}
	}
	if _, err := windtunnel(t, "trace", "inspect", "testdata/run.yaml"); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "TIMESTAMP,ContextTokens,GeneratedTokens") {
		t.Errorf("a manifest: %v", err)
	}
}

func TestGeneratedNamesAreStable(t *testing.T) {
	raw := cmdtest.TextOf(t, "testdata/run.yaml")
	one := strings.Replace(raw, "name: small", "generateName: small-", 1)
	file := cmdtest.TempFile(t, "two.yaml", one+"---\n"+one)
	for _, name := range []string{"small-1", "small-2"} {
		if out := mustRun(t, "run", "-f", file, "--configmap", cmdtest.TraceManifest(t), "--name", name); !strings.HasPrefix(out, "SimulationRun "+name+"\n") {
			t.Errorf("%s: %.60q", name, out)
		}
	}
}

func TestADurationWithoutAUnitIsHinted(t *testing.T) {
	const want = "such as 500ms: write its unit too, 600ms or 600s"
	for _, written := range []string{`"600"`, "600"} {
		raw := cmdtest.TextOf(t, "testdata/run.yaml")
		text := strings.Replace(raw, "horizon: {", "horizon: {duration: "+written+", ", 1)
		if _, err := windtunnel(t, "run", "-f", cmdtest.TempFile(t, "run.yaml", text)); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", written, err, want)
		}
	}
}

func TestAnUnknownModelHintsAtItsConfig(t *testing.T) {
	raw := cmdtest.TextOf(t, "testdata/run.yaml")
	text := strings.Replace(raw, "meta-llama/Llama-3.1-8B-Instruct", "acme/own-model", 1)
	if _, err := windtunnel(t, "run", "-f", cmdtest.TempFile(t, "run.yaml", text)); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "the config.json that a model is published with") {
		t.Errorf("%v", err)
	}
}
