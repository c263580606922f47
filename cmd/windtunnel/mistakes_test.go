// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// TestMistakesOfTheCommandLine: each is bad input, and the message says what to do.
func TestMistakesOfTheCommandLine(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	folder := t.TempDir()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	printed := cmdtest.TempFile(t, "run.json", mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "json"))
	scaler := cmdtest.TempFile(t, "hpa.yaml", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n")
	for name, tc := range map[string]struct{ command, want string }{
		"an unknown verb before its flags":      {"sweeep -f a.yaml", `unknown verb "sweeep", did you mean "sweep"? (see windtunnel --help)`},
		"an unknown verb below another":         {"trace convrt --to csv", `unknown verb "convrt", did you mean "convert"? (see windtunnel trace --help)`},
		"an unknown flag before a verb":         {"--fast run", "unknown flag: --fast"},
		"help of an unknown verb":               {"help sweeep", `unknown verb "sweeep", did you mean "sweep"? (see windtunnel --help)`},
		"help of an unknown verb below another": {"help trace convrt", `unknown verb "convrt", did you mean "convert"?`},
		"help of what a verb does not have":     {"help sweep now", `unexpected argument "now": windtunnel sweep has no verbs of its own`},
		"completion of an unknown shell":        {"completion tcsh", `there is no completion for "tcsh": name one of bash, fish, kubectl, powershell, zsh`},

		"a sweep without -f":              {"sweep policies.yaml", `unexpected argument "policies.yaml": files have the flag -f: windtunnel sweep -f policies.yaml`},
		"a run with a second file":        {"run -f a.yaml b.yaml", `unexpected argument "b.yaml": files have the flag -f: windtunnel run -f b.yaml`},
		"an argument where no file is":    {"doctor a.yaml", `unexpected argument "a.yaml" (see windtunnel doctor --help)`},
		"results of a file without -f":    {"results first.json", "first.json looks like a file, and the argument of results is the name of an object in a cluster; this reads files: windtunnel results -f first.json"},
		"an explanation of a file":        {"explain first.json", "this reads files: windtunnel report first.json"},
		"a promotion of a file":           {"promote sweep.yaml", "this reads files: windtunnel sweep --promote epp.yaml -f sweep.yaml"},
		"an observation without -f":       {"observe run.yaml --samples s.json", "this reads files: windtunnel observe -f run.yaml"},
		"a number that is none":           {"observe --tolerance abc", `--tolerance "abc": must be a number such as 0.05 (see windtunnel observe --help)`},
		"a whole number that is none":     {"observe --seeds 1.5", `--seeds "1.5": must be a whole number`},
		"a duration without a unit":       {"observe --every 20", `--every "20": must be a duration such as 30s`},
		"neither true nor false":          {"run --dry-run=no", `--dry-run "no": must be true or false`},
		"samples that are a folder":       {"observe -f testdata/run.yaml --samples " + folder, "is a folder: name a file with samples"},
		"samples that are a run's output": {"observe -f testdata/run.yaml --samples " + printed, "holds no samples: samples are answers of the HTTP API of Prometheus to query_range, or CSV"},

		"a comparison of another kind": {"compare " + scaler + " " + scaler + " --scenario testdata/run.yaml", scaler + `: kind: Unsupported value: "HorizontalPodAutoscaler"`},
		"a scenario of another kind":   {"init --epp " + scaler + " -o " + filepath.Join(folder, "a.yaml"), "--epp: " + scaler + " holds objects of autoscaling/v2 HorizontalPodAutoscaler, and --epp names an EndpointPickerConfig"},

		"a dashboard without a cluster":    {"dashboard", "there is no cluster: set --kubeconfig or KUBECONFIG, or name a folder or files with results"},
		"an explanation without a cluster": {"explain first", "there is no cluster: set --kubeconfig or KUBECONFIG"},
		"a report without a cluster":       {"report policysweep/first", "there is no cluster: set --kubeconfig or KUBECONFIG, or name a file"},
		"results without a cluster":        {"results first", "there is no cluster: set --kubeconfig or KUBECONFIG, or name a file with -f"},
		"a dashboard whose port is taken":  {"dashboard " + filepath.Dir(printed) + " --listen " + taken.Addr().String(), "--listen " + taken.Addr().String() + ": name another address, or port 0 for any free port"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := newCommand("windtunnel")
			cmd.SetArgs(strings.Fields(tc.command))
			cmd.SetOut(&out)
			cmd.SetErr(&out)
			err := cmd.ExecuteContext(t.Context())
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) || out.Len() > 0 {
				t.Errorf("exit code %d after %q: %v, want %q", cli.ExitCode(err), out.String(), err, tc.want)
			}
		})
	}
}

// TestHelpOfAVerb: the verb help prints what --help prints.
func TestHelpOfAVerb(t *testing.T) {
	for _, verb := range []string{"sweep", "trace convert", ""} {
		words := strings.Fields(verb)
		if got, want := mustRun(t, append([]string{"help"}, words...)...), mustRun(t, append(words, "--help")...); got != want {
			t.Errorf("help %s:\n%s", verb, got)
		}
	}
}
