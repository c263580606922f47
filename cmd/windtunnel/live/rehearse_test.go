// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
)

func runRehearse(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := cli.NewRoot(NewRehearseCommand())
	cmd.SetArgs(append([]string{"rehearse"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestARehearsalOfTheDefaultProfile wants of the engines' times only that they are there: the machine
// of a test may be busy.
func TestARehearsalOfTheDefaultProfile(t *testing.T) {
	out, err := runRehearse(t, "-f", loadFile(t), "--epp", epptest.Binary(t), "-o", "json",
		"--set", "pools[llama].replicas=3", "--ttft", "10", "--tpot", "10", "--decisions", "0.9")
	if err != nil {
		t.Fatal(err, out)
	}
	var got rehearsal
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	d := got.Decisions
	if d.Equal+d.Tied+d.Different != 20 || d.NotRouted != 0 || !got.Within {
		t.Errorf("decisions: %+v", d)
	}
	if len(got.Figures) != 8 {
		t.Errorf("figures: %+v", got.Figures)
	}
}

func TestRehearseRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no EPP":                        {nil, "the program of the EPP is required: --epp BINARY"},
		"an EPP that is none":           {[]string{"--epp", "/none"}, "--epp: stat /none: no such file or directory"},
		"a program that does not serve": {[]string{"--epp", "/bin/false"}, "start the EPP /bin/false: it ended: exit status 1"},
	} {
		_, err := runRehearse(t, append([]string{"-f", loadFile(t)}, tc.args...)...)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
		}
		if code := cli.ExitCode(err); code != 2 {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}
