// SPDX-License-Identifier: Apache-2.0

package start_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// TestALogWithoutPromptsSaysWhatItCannotShow: inspect and init say first that a CSV does not tell
// which prompts share a beginning, and say nothing of the trace that trace convert makes of it
// when sessions state it.
func TestALogWithoutPromptsSaysWhatItCannotShow(t *testing.T) {
	log := "time,in,out,chat\n"
	for i := range 60 {
		log += fmt.Sprintf("%d,%d,20,chat%d\n", i, 500+40*(i/6), i%6)
	}
	file, shared := cmdtest.TempFile(t, "log.csv", log), filepath.Join(t.TempDir(), "shared.jsonl")
	columns := []string{"--csv", "time=time,timeFormat=Seconds,inputTokens=in,outputTokens=out,session=chat"}
	const note = "the file does not tell which prompts share a beginning"
	mustRun(t, append([]string{"trace", "convert", file, "--share", "session", "--to", "Windtunnel", "-o", shared}, columns...)...)
	epp := filepath.Join(cmdtest.Samples, "tasks/values.yaml")
	init := []string{"init", "--epp", epp, "--model", "meta-llama/Llama-3.1-8B-Instruct", "--accelerator", "h100-sxm", "--replicas", "2", "--force", "-o", filepath.Join(t.TempDir(), "s.yaml"), "--trace"}
	for name, tc := range map[string]struct {
		args []string
		says bool
	}{
		"inspect the log":    {append([]string{"trace", "inspect", file}, columns...), true},
		"inspect the trace":  {[]string{"trace", "inspect", shared}, false},
		"init with the log":  {append(append(init[:len(init):len(init)], file), columns...), true},
		"init with sessions": {append(init[:len(init):len(init)], shared), false},
	} {
		out, err := windtunnel(t, tc.args...)
		if err != nil || strings.Contains(out, note) != tc.says {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if first := cmdtest.FirstLine(out); tc.says && !strings.Contains(first, note) {
			t.Errorf("%s: the first line is %q", name, first)
		}
	}
	for flags, want := range map[string]string{
		"--share tenant":                    "length of the beginning",
		"--share tenant=500":                "tenant=COLUMN",
		"--share user=5":                    `supported values: "all", "class", "session", "tenant"`,
		"--share session=x":                 "whole number of tokens above 0",
		"--share session --text-column out": "give one of them",
		"--text-column text":                "must be a header with the columns",
	} {
		args := append([]string{"trace", "convert", file, "--to", "Windtunnel", "-o", filepath.Join(t.TempDir(), "no.jsonl")}, columns...)
		_, err := windtunnel(t, append(args, strings.Fields(flags)...)...)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: exit code %d, %v", flags, cli.ExitCode(err), err)
		}
	}
}

// TestTheMessageNamesTheTwoSteps runs the command that init prints, with the file and the columns
// in their places, and then init again with the file that it writes.
func TestTheMessageNamesTheTwoSteps(t *testing.T) {
	const columns = "time=time,timeFormat=Seconds,inputTokens=in,outputTokens=out,session=chat"
	file, shared := cmdtest.TempFile(t, "log.csv", "time,in,out,chat\n0,500,20,a\n1,600,20,a\n2,700,20,b\n"), filepath.Join(t.TempDir(), "shared.jsonl")
	init := []string{"init", "--force", "-o", filepath.Join(t.TempDir(), "s.yaml"), "--trace"}
	told := mustRun(t, append(init[:len(init):len(init)], file, "--csv", columns)...)
	_, command, _ := strings.Cut(told, "windtunnel trace convert ")
	command, options, found := strings.Cut(command, ", with ")
	if !found {
		t.Fatalf("no command in %s", told)
	}
	option, _, _ := strings.Cut(options, " if FILE is a CSV")
	command = strings.NewReplacer("FILE", file, "COLUMNS", columns, "shared.jsonl", shared).Replace(command + " " + option)
	mustRun(t, append([]string{"trace", "convert"}, strings.Fields(command)...)...)
	if told := mustRun(t, append(init[:len(init):len(init)], shared)...); strings.Contains(told, "does not tell") {
		t.Errorf("init says %s", told)
	}
}
