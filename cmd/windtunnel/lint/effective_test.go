// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// What is printed is what the EPP would be given, and means the same to it.
func TestEffectiveConfigurationsAreTheirOwn(t *testing.T) {
	file := cmdtest.TempFile(t, "epp.yaml", cmdtest.SmallPicker)
	once := mustRun(t, "lint", file, "--effective", "--epp-version", "router-v0.10")
	for _, want := range []string{
		"# token-producer                 made by the EPP  approximated",
		"- name: approx-prefix-cache-producer\n  parameters:\n    autoTune: true\n",
		"  - pluginRef: prefix-cache-scorer\n    weight: 1\n",
	} {
		if !strings.Contains(once, want) {
			t.Errorf("no %q in\n%s", want, once)
		}
	}
	twice := mustRun(t, "lint", cmdtest.TempFile(t, "effective.yaml", once), "--effective", "--epp-version", "router-v0.10")
	if diff := cmp.Diff(document(once), document(twice)); diff != "" {
		t.Errorf("printed again (-once +twice):\n%s", diff)
	}
}

// document is a text without its comments.
func document(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestEffectiveConfigurationsMustBeAccepted(t *testing.T) {
	file := cmdtest.TempFile(t, "epp.yaml", cmdtest.SmallPicker)
	checkExit(t, 1, "gie-v1.0.2: refused in decoding: apiVersion: Unsupported value", "lint", file, "--effective", "--epp-version", "gie-v1.0")
	checkExit(t, 2, "no EndpointPickerConfig found", "lint", cmdtest.TempFile(t, "other.yaml", "a: 1\n"), "--effective")
	checkExit(t, 2, "--effective prints YAML", "lint", file, "--effective", "-o", "json")
}

func checkExit(t *testing.T, code int, message string, args ...string) {
	t.Helper()
	_, err := windtunnel(t, args...)
	if err == nil || cli.ExitCode(err) != code || !strings.Contains(err.Error(), message) {
		t.Errorf("%v: error %v, want exit code %d and %q", args, err, code, message)
	}
}
