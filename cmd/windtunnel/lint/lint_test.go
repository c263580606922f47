// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

const (
	soundEPP  = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n- type: prefix-cache-scorer\n"
	warnedEPP = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: prefix-cache-scorer\n"
	brokenEPP = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: kv-cache-scorer\n- type: prefix-cache-scorer\n"
)

func TestExitCodesOfLint(t *testing.T) {
	sound, warned, broken := cmdtest.TempFile(t, "s.yaml", soundEPP), cmdtest.TempFile(t, "w.yaml", warnedEPP), cmdtest.TempFile(t, "b.yaml", brokenEPP)
	none, torn := cmdtest.TempFile(t, "n.yaml", "kind: Service\n"), cmdtest.TempFile(t, "t.yaml", "a: [")
	for name, tc := range map[string]struct {
		args []string
		want int
	}{
		"nothing found":               {[]string{sound}, cli.ExitOK},
		"a warning":                   {[]string{warned}, cli.ExitOK},
		"a warning that counts":       {[]string{warned, "--fail-on", "warning"}, cli.ExitFailed},
		"an error":                    {[]string{sound, broken}, cli.ExitFailed},
		"an error that does not":      {[]string{broken, "--fail-on", "never"}, cli.ExitOK},
		"refused by one of two":       {[]string{broken, "--epp-version", "router-v0.10,router-main"}, cli.ExitFailed},
		"no configuration":            {[]string{sound, none}, cli.ExitBadInput},
		"no YAML":                     {[]string{torn}, cli.ExitBadInput},
		"no file":                     {[]string{filepath.Join(t.TempDir(), "x")}, cli.ExitBadInput},
		"no argument":                 {nil, cli.ExitBadInput},
		"an unknown version":          {[]string{sound, "--epp-version", "router-v9"}, cli.ExitBadInput},
		"an unknown severity":         {[]string{sound, "--fail-on", "fatal"}, cli.ExitBadInput},
		"an unknown format":           {[]string{sound, "-o", "xml"}, cli.ExitBadInput},
		"an unknown rule":             {[]string{"--explain", "x"}, cli.ExitBadInput},
		"--write alone":               {[]string{sound, "--write"}, cli.ExitBadInput},
		"--write of standard input":   {[]string{"-", "--fix", "--write"}, cli.ExitBadInput},
		"--fix as JSON":               {[]string{sound, "--fix", "-o", "json"}, cli.ExitBadInput},
		"a share above 1":             {[]string{sound, "--prefix-share", "2"}, cli.ExitBadInput},
		"what the cluster is like":    {[]string{sound, "--replicas", "3", "--fail-on", "warning"}, cli.ExitFailed},
		"a folder":                    {[]string{filepath.Dir(broken)}, cli.ExitFailed},
		"others are passed over":      {[]string{none, torn, sound, "--skip-others"}, cli.ExitOK},
		"all are":                     {[]string{none, "--skip-others"}, cli.ExitOK},
		"a folder without any config": {[]string{filepath.Dir(none)}, cli.ExitBadInput},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"lint"}, tc.args...)...)
			if got := cli.ExitCode(err); got != tc.want {
				t.Errorf("exit code %d, want %d: %v\n%s", got, tc.want, err, out)
			}
		})
	}
}

func TestLintReadsStandardInput(t *testing.T) {
	var out bytes.Buffer
	cmd := newRootCommand()
	cmd.SetArgs([]string{"lint", "-"})
	cmd.SetIn(strings.NewReader(brokenEPP))
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(t.Context()); cli.ExitCode(err) != cli.ExitFailed || !strings.HasPrefix(out.String(), "stdin:4:") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestFoldersMayHoldOtherThings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a/epp.yml": brokenEPP, "service.yaml": "kind: Service\n", "templates/x.yaml": "a: {{ .Values.x }}\n", "notes.md": "kind: EndpointPickerConfig\n", "b/c/epp.json": `{"kind": "EndpointPickerConfig"}`} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, filepath.Join(dir, name), []byte(text))
	}
	out, _ := windtunnel(t, "lint", dir, "-o", "json")
	var got struct{ Reports []lint.Report }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(got.Reports) != 2 || !strings.HasSuffix(got.Reports[0].File, "a/epp.yml") || !strings.HasSuffix(got.Reports[1].File, "b/c/epp.json") {
		t.Errorf("reports are of %+v", got.Reports)
	}
}

func TestFixShowsAndWrites(t *testing.T) {
	file := cmdtest.TempFile(t, "b.yaml", "# mine\n"+brokenEPP)
	shown := mustRun(t, "lint", file, "--fix")
	for _, want := range []string{"rewritten for router-v0.10.0", "-- type: kv-cache-scorer\n", "+- type: kv-cache-utilization-scorer\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("there is no %q in\n%s", want, shown)
		}
	}
	if raw, _ := os.ReadFile(file); string(raw) != "# mine\n"+brokenEPP {
		t.Errorf("the file was written:\n%s", raw)
	}
	mustRun(t, "lint", file, "--fix", "--write")
	raw, err := os.ReadFile(file)
	if err != nil || string(raw) != "# mine\n"+strings.Replace(brokenEPP, "kv-cache-scorer", "kv-cache-utilization-scorer", 1) {
		t.Errorf("%v, the file is\n%s", err, raw)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if rest, _ := os.ReadDir(filepath.Dir(file)); len(rest) != 1 {
		t.Errorf("files are left: %v", rest)
	}
}

// What --fix cannot do away with decides, as it does without --fix.
func TestFixFailsWhereFindingsRemain(t *testing.T) {
	half := strings.Replace(brokenEPP, "prefix-cache-scorer", "my-own-scorer", 1)
	quoted := "data:\n  a: \"" + strings.ReplaceAll(brokenEPP, "\n", `\n`) + "\"\n"
	for name, tc := range map[string]struct {
		text string
		args []string
		want int
	}{
		"all is mended":                 {brokenEPP, nil, cli.ExitOK},
		"a warning that remains":        {brokenEPP, []string{"--fail-on", "info"}, cli.ExitOK},
		"a warning without a remedy":    {warnedEPP, []string{"--fail-on", "warning"}, cli.ExitFailed},
		"an error without a remedy":     {half, nil, cli.ExitFailed},
		"the same, written":             {half, []string{"--write"}, cli.ExitFailed},
		"what could not be written":     {quoted, []string{"--write", "--fail-on", "never"}, cli.ExitFailed},
		"what could not be, never mind": {quoted, []string{"--fail-on", "never"}, cli.ExitOK},
		"all is mended, written":        {brokenEPP, []string{"--write"}, cli.ExitOK},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"lint", cmdtest.TempFile(t, "f.yaml", tc.text), "--fix"}, tc.args...)...)
			if got := cli.ExitCode(err); got != tc.want {
				t.Errorf("exit code %d, want %d: %v\n%s", got, tc.want, err, out)
			}
		})
	}
}

func TestRulesAreListedAndExplained(t *testing.T) {
	if out := mustRun(t, "lint", "--rules"); !strings.Contains(out, "affinity-only") {
		t.Errorf("rules are\n%s", out)
	}
	if out := mustRun(t, "lint", "--explain", "affinity-only"); !strings.Contains(out, "Not found:") {
		t.Errorf("the rule is\n%s", out)
	}
}

func TestSummaryIsOneTable(t *testing.T) {
	out, _ := windtunnel(t, "lint", "--summary", cmdtest.TempFile(t, "s.yaml", soundEPP), cmdtest.TempFile(t, "b.yaml", brokenEPP))
	if !strings.Contains(out, "2 configurations in 2 files") || strings.Count(out, "router-main") != 1 {
		t.Errorf("summary is\n%s", out)
	}
}

// TestThePageShowsWhatLintPrints: the findings of docs/lint.md are those of the
// configuration above them.
func TestThePageShowsWhatLintPrints(t *testing.T) {
	page := testfile.Read(t, "../../docs/lint.md")
	_, rest, ok := strings.Cut(string(page), "```yaml\n")
	config, rest, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("the page has no configuration")
	}
	t.Chdir(t.TempDir())
	testfile.Write(t, "epp.yaml", []byte(config))
	for _, args := range []string{"lint epp.yaml --epp-version router-v0.10", "lint epp.yaml"} {
		_, after, shown := strings.Cut(rest, "$ windtunnel "+args+"\n")
		want, _, ended := strings.Cut(after, "```\n")
		if !shown || !ended {
			t.Fatalf("the page does not show windtunnel %s", args)
		}
		// Of the second output the page shows the table only.
		if out, _ := windtunnel(t, strings.Fields(args)...); !strings.HasSuffix(out, want) {
			t.Errorf("windtunnel %s prints\n%s\nthe page shows\n%s", args, out, want)
		}
	}
}

// TestNewerFilesAreNotSaidToCrash: what is newer than all versions here is said to
// be so, and a newer file that the fork accepts has no finding.
func TestNewerFilesAreNotSaidToCrash(t *testing.T) {
	of := func(version string) string {
		return cmdtest.TempFile(t, "epp.yaml", strings.Replace(soundEPP, "v1alpha1", version, 1))
	}
	out := mustRun(t, "lint", of("v1"))
	for _, want := range []string{"> router-v0.11.0*                       accepted\n", "* router-v0.11.0: read from a downstream fork, not from the release\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, err := windtunnel(t, "lint", of("v2"))
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, "is newer than this tool knows") || strings.Contains(out, "crash-loops") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestUnknownParametersAreDeletedOnlyIfAsked(t *testing.T) {
	file := cmdtest.TempFile(t, "u.yaml", soundEPP+"  parameters: {tomorrow: 1}\n")
	out, err := windtunnel(t, "lint", file, "--fix")
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, "would still reject it: plugins[1].parameters.tomorrow") {
		t.Errorf("%v, --fix prints\n%s", err, out)
	}
	if out := mustRun(t, "lint", file, "--fix", "--delete-unknown"); !strings.Contains(out, "-  parameters: {tomorrow: 1}\n") {
		t.Errorf("--fix --delete-unknown prints\n%s", out)
	}
}
