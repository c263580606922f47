// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const helmFile = "router:\n  epp:\n    pluginsCustomConfig:\n      own.yaml: |\n        kind: EndpointPickerConfig\nimage: mine\n"

func TestPromoteReplacesNoFileOfAnotherForm(t *testing.T) {
	const bare = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: []\n"
	for name, tc := range map[string]struct{ there, promote, want string }{
		"Helm values by a bare configuration":   {helmFile, "promote: {}", "holds Helm values, and the sweep would replace the file by an EndpointPickerConfig alone: to edit the file, name the file as endpointPickerConfig.file"},
		"a bare configuration by a ConfigMap":   {bare, "promote: {format: ConfigMap}", "holds an EndpointPickerConfig alone, and the sweep would replace the file by a ConfigMap"},
		"a file that holds something else":      {"notes\n", "promote: {}", "holds no EPP configuration, and"},
		"a bare configuration by one like it":   {bare, "promote: {}", ""},
		"Helm values by those that are written": {helmFile, "promote: {format: HelmValues}", ""},
		"an empty file":                         {"", "promote: {}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := cmdtest.GatesSample(t, "promote: {}", tc.promote)
			there := filepath.Join(t.TempDir(), "values.yaml")
			testfile.Write(t, there, []byte(tc.there))
			_, err := windtunnel(t, "sweep", "-f", file, "--promote", there, "--dry-run")
			if tc.want == "" && err == nil {
				return
			}
			if cli.ExitCode(err) != cli.ExitBadInput || tc.want == "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
			}
			after := cmdtest.TextOf(t, there)
			if diff := cmp.Diff(tc.there, after); diff != "" {
				t.Errorf("the file changes:\n%s", diff)
			}
		})
	}
}

// Without gates the advice alone decides: a baseline that ranks first needs no file.
func TestPromoteNamesTheFileOrSaysWhyThereIsNone(t *testing.T) {
	none := func(text string) string {
		before, _, ok := strings.Cut(text, "  gates:\n")
		if !ok {
			t.Fatal("the sweep has no gates")
		}
		return before
	}
	raw := cmdtest.TextOf(t, cmdtest.IsMyChangeSafe(t, "5", ""))
	baselineFirst := none(raw)
	otherFirst := strings.NewReplacer(`values: ["5"]`, `values: ["3"]`, `name: prefixWeight, value: "3"`, `name: prefixWeight, value: "5"`).Replace(baselineFirst)
	otherFile := strings.Replace(baselineFirst, "prefix-cache-scorer, weight: 3", "prefix-cache-scorer, weight: 2", 1)
	const keep = "windtunnel: no file written: the baseline ranks first, so keep your configuration; --promote-anyway writes the baseline's file\n"
	for name, tc := range map[string]struct {
		text, flag, want string
		written          bool
	}{
		"the baseline ranks first":                           {baselineFirst, "", keep, false},
		"the baseline ranks first, and is wanted anyway":     {baselineFirst, "--promote-anyway", "epp.yaml has the EPP configuration of prefixWeight=3\n", true},
		"the baseline ranks first, and the file has another": {otherFile, "", "epp.yaml has the EPP configuration of prefixWeight=3\n", true},
		"another point ranks first":                          {otherFirst, "", "epp.yaml has the EPP configuration of prefixWeight=3\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			promoted := filepath.Join(t.TempDir(), "epp.yaml")
			args := []string{"sweep", "-f", cmdtest.TempFile(t, "sweep.yaml", tc.text), "--promote", promoted}
			if tc.flag != "" {
				args = append(args, tc.flag)
			}
			out := mustRun(t, args...)
			if !strings.Contains(out, tc.want) {
				t.Errorf("it does not say %q, but\n%s", tc.want, out)
			}
			if _, err := os.Stat(promoted); (err == nil) != tc.written {
				t.Errorf("the file: %v", err)
			}
		})
	}
}

// A report whose name ends in .html is a page with the changed lines of the user's file.
func TestASweepWritesAPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	mustRun(t, "sweep", "-f", "../../config/samples/policysweep-gates.yaml", "--report", file)
	text := cmdtest.TextOf(t, file)
	for _, want := range []string{"<!doctype html>", "</span> Pass</h1>", `<span class="added">`, "windtunnel sweep -f ../../config/samples/policysweep-gates.yaml --name gates", "</html>\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
