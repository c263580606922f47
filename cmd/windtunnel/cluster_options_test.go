// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestVerbsRefuse has verbs that read files or a cluster refuse what has no effect, before they read
// anything.
func TestVerbsRefuse(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "results.json")
	testfile.Write(t, file, []byte("{}"))
	for name, test := range map[string]struct{ command, want string }{
		"report of a file in a namespace":    {"report FILE -n a", "leave out --namespace: this command reads nothing from a cluster"},
		"results of a file in a context":     {"results -f FILE --context a", "leave out --context: this command reads nothing from a cluster"},
		"an observation of a file":           {"observe -f FILE --samples FILE --kubeconfig a", "leave out --kubeconfig: this command reads nothing from a cluster"},
		"a comparison of files":              {"compare FILE FILE#1 -n a --context b", "leave out --namespace, --context: this command reads nothing from a cluster"},
		"a comparison of EPP configurations": {"compare a b --scenario FILE -n a", "leave out --namespace: this command reads nothing from a cluster"},
		"a dashboard of files in a context":  {"dashboard FOLDER --context a", "leave out --context: this command reads nothing from a cluster"},
		"a dashboard of files and a cluster": {"dashboard FOLDER -A", "--all-namespaces is for the pages of a cluster"},
		"a doctor of this machine":           {"doctor --local -n a", "leave out --namespace: this command reads nothing from a cluster"},
		"a summary of a file in a namespace": {"report FILE --reflect issue_focused -n a", "leave out --namespace: this command reads nothing from a cluster"},
		"a name of an object in a cluster":   {"report a --name b", "--name selects an object of a file"},
		"a name of an observed object":       {"observe a --name b --samples FILE", "--name, --configmap and --volume are for manifests"},
		"a summary with the flags of a page": {"report FILE --reflect issue_focused -o html --max-characters 9 --name b", "without -o and --max-characters and --name"},
		"report without an argument":         {"report", "report needs one file, or the name of one"},
		"report with two arguments":          {"report a b", "report needs one file, or the name of one"},
		"results with two arguments":         {"results a b", "results takes the name of one"},
		"observe with two arguments":         {"observe a b", "observe takes the name of one"},
		"explain with three arguments":       {"explain a 1 2", "explain needs the name of"},
		"promote without an argument":        {"promote", "promote needs the name of"},
	} {
		t.Run(name, func(t *testing.T) {
			args := strings.Fields(strings.NewReplacer("FILE", file, "FOLDER", folder).Replace(test.command))
			_, err := windtunnel(t, args...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) {
				t.Errorf("exit code %d: %v, want bad input that says %q", cli.ExitCode(err), err, test.want)
			}
		})
	}
}
