// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// evolving writes a small version of the sample whose policies evolve, and returns its name.
func evolving(t *testing.T) string {
	t.Helper()
	text := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "policysweep-evolve.yaml"))
	for _, pair := range [][2]string{{"maxTrials: 240", "maxTrials: 36"}, {"requests: 1000, warmup: 5s", "requests: 200"}, {"seeds: [1, 2, 3]", "seeds: [1, 2]"}, {"confirm: 6", "confirm: 2"}} {
		if !strings.Contains(text, pair[0]) {
			t.Fatalf("the sample lacks %q", pair[0])
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	file := filepath.Join(t.TempDir(), "evolve.yaml")
	testfile.Write(t, file, []byte(text))
	return file
}

func TestSweepPromotesThePolicyThatEvolved(t *testing.T) {
	sweep, folder := evolving(t), t.TempDir()
	file, report := filepath.Join(folder, "bundle.yaml"), filepath.Join(folder, "report.md")
	out, _ := windtunnel(t, "sweep", "-f", sweep, "--promote", file, "--promote-anyway", "--report", report)
	text := testfile.Read(t, file)
	b, errs := bundle.Read(text, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if !strings.Contains(out, "policy="+b.ID()) || b.Parent == "" || !strings.Contains(out, "from "+b.Parent+": ") {
		t.Errorf("promoted %s of %s; the table is\n%s", b.ID(), b.Parent, out)
	}
	if written, err := os.ReadFile(report); err != nil || !strings.Contains(string(written), b.ID()+": routing.") {
		t.Errorf("%v: the report is\n%s", err, written)
	}
	// A file that holds something else stays as it is.
	testfile.Write(t, file, []byte("kind: EndpointPickerConfig\n"))
	if _, err := windtunnel(t, "sweep", "-f", sweep, "--promote", file); err == nil || !strings.Contains(err.Error(), "holds no PolicyBundle") {
		t.Errorf("error %v", err)
	}
}

func TestSweepGoesOnFromAStateWithPoliciesThatEvolve(t *testing.T) {
	sweep, state := evolving(t), filepath.Join(t.TempDir(), "sweep.state")
	first, _ := windtunnel(t, "sweep", "-f", sweep, "--state", state)
	raw := testfile.Read(t, state)
	testfile.Write(t, state, raw[:len(raw)/2])
	second, _ := windtunnel(t, "sweep", "-f", sweep, "--state", state, "--parallelism", "1")
	if first != second {
		t.Errorf("it goes on with\n%s\nand not\n%s", second, first)
	}
}
