// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/apiserver"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// hostile clears a screen, turns the direction of writing, ends a code block, and is HTML and
// Markdown that says that all is well.
const hostile = "\x1b[2J\x1b[H\u202e```<img src=x>|\r\n# **PASS**"

// controls are the characters that a reader does not see as they are.
var controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")

// checkPrintable checks what a reader is shown, which has to say the hostile words in some way.
func checkPrintable(t *testing.T, text string) {
	t.Helper()
	if at := controls.FindStringIndex(text); at != nil {
		t.Errorf("a terminal would obey %q", text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
	if !strings.Contains(text, "PASS") {
		t.Errorf("the words are missing:\n%s", text)
	}
}

// Whatever a verb prints passes one filter, on both streams.
func TestVerbsPrintNothingThatATerminalObeys(t *testing.T) {
	root := newRootCommand()
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	root.AddCommand(&cobra.Command{Use: "speak", RunE: func(cmd *cobra.Command, _ []string) error {
		fmt.Fprint(cmd.OutOrStdout(), hostile)
		fmt.Fprint(cmd.ErrOrStderr(), hostile)
		return fmt.Errorf("it fails: %s", hostile)
	}})
	root.SetArgs([]string{"speak"})
	err := root.ExecuteContext(t.Context())
	cli.PrintError(&errs, err)
	checkPrintable(t, out.String())
	checkPrintable(t, errs.String())
}

// A program that fails says why in words that are one line.
func TestWhatAProgramSaysIsPrintable(t *testing.T) {
	source := fmt.Sprintf("def score(request, endpoints):\n    print(%q)\n    fail(%[1]q)\n", hostile)
	bundle := bundleHead + "routing:\n  starlark:\n    source: |\n      " + strings.ReplaceAll(source, "\n", "\n      ")
	_, err := windtunnel(t, "run", "-f", bundleRun(t, "inline: |\n  "+strings.ReplaceAll(bundle, "\n", "\n  ")))
	if err == nil {
		t.Fatal("the program does not fail")
	}
	checkPrintable(t, err.Error())
	if strings.Contains(err.Error(), "\n#") {
		t.Errorf("several lines: %s", err)
	}
}

// Names of tenants and classes in a trace are data of whoever wrote the trace.
func TestNamesOfATraceArePrintable(t *testing.T) {
	folder := t.TempDir()
	var rows strings.Builder
	rows.WriteString(`{"windtunnel_trace": 1}` + "\n")
	for i := range 40 {
		fmt.Fprintf(&rows, `{"arrival_ns": %d, "input_tokens": 4000, "output_tokens": 40, "tenant": %s, "class": %[2]s}`+"\n",
			i*1000000, `"\u001b[2J\u001b[H\u202e`+"```"+`<img src=x>|\r\n# **PASS**"`)
	}
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		testfile.Write(t, name, []byte(text))
		return name
	}
	write("t.jsonl", rows.String())
	manifest := write("run.yaml", `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: names}
spec:
  replications: {seeds: [1]}
  scenario:
    horizon: {duration: 10s}
    slos: [{class: default, ttft: 1ms}]
    pools: [{name: p, replicas: 1, accelerator: h100-sxm, model: meta-llama/Llama-3.1-8B-Instruct}]
    router: {policies: {routing: {policy: round-robin}}}
    workload: {trace: {file: t.jsonl, format: Windtunnel}}
`)
	page := filepath.Join(folder, "report.html")
	checkPrintable(t, mustRun(t, "run", "-f", manifest, "--report", page))
	raw := cmdtest.TextOf(t, page)
	checkPrintable(t, raw)
	results := write("run.json", mustRun(t, "run", "-f", manifest, "-o", "json"))
	checkPrintable(t, mustRun(t, "run", "-f", manifest, "--reflect", "issue_focused"))
	markdown := mustRun(t, "report", results, "-o", "markdown")
	checkPrintable(t, markdown)
	for _, wrong := range []string{"\n# **PASS", "\n```<img"} {
		if strings.Contains(markdown, wrong) {
			t.Errorf("the report has %q", wrong)
		}
	}
	if html := mustRun(t, "report", results); strings.Contains(html, "<img src=x>") {
		t.Error("the page has an element of the trace")
	}
}

// What a cluster says is of programs, of services, and of whoever edits its objects.
func TestVerbsOfAClusterArePrintable(t *testing.T) {
	failed := "Ready=False/JobFailed/shard 3 failed: " + hostile
	sweep := aSweep("s", failed, "Failed=True/JobFailed/"+hostile, "Stalled=True/JobFailed/"+hostile)
	sweep.Status.Gates = []v1alpha1.GateStatus{{Name: "fast", Verdict: v1alpha1.GateFail, Message: hostile}}
	sweep.Status.Best = &v1alpha1.PointStatus{Point: 7, Summary: "tenant=" + hostile}
	run := aRun("r", "Ready=True/Complete", "Complete=True/Complete", "Passed=False/GateFailed/"+hostile)
	run.Status.Gates = sweep.Status.Gates
	server := apiserver.New(t, controllers.Scheme(), sweep, run, workerPod("failed", corev1.PodFailed, time.Minute, "s"))
	server.Logs = map[string]string{"failed": "it fails: " + hostile + "\n"}
	for name, args := range map[string][]string{
		"explain, a sweep": {"explain", "s"},
		"explain, a run":   {"explain", "r"},
		"watch, a sweep":   {"watch", "s"},
		"watch, a run":     {"watch", "r"},
		"logs":             {"logs", "s"},
		"top":              {"top"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, err := plugin(t, args...)
			var words bytes.Buffer
			if err != nil {
				cli.PrintError(&words, err)
			}
			checkPrintable(t, out+errs+words.String())
		})
	}
}

// The log of a server keeps the value of what it quotes, in JSON whose every character is visible.
func TestTheLogOfAServerIsPrintable(t *testing.T) {
	var log bytes.Buffer
	logger := logr.FromSlogHandler(cli.NewLogHandler(&log, 0))
	logger.Error(errors.New(hostile+"\u009b2J"), "It failed", hostile, hostile)
	checkPrintable(t, log.String())
	line := jsontest.Decode[map[string]any](t, log.Bytes())
	if line["err"] != hostile+"\u009b2J" || line[hostile] != hostile {
		t.Errorf("%q", line)
	}
}
