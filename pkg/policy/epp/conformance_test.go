// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// data is where the conformance tests find their data, with the layout
//
//	configs/VERDICTS.tsv and the files that it names
//	golden/schedule.jsonl, golden/approx-prefix.jsonl and the configurations of both
//
// What is not there is not checked, but each test must find something. Without the
// flag it is the folder epp of the open data sets.
var data = flag.String("data", "", "absolute folder of the data of the conformance tests")

// conformanceFile returns the path of a file of the data, or skips the test.
func conformanceFile(t *testing.T, name ...string) string {
	t.Helper()
	if *data == "" {
		return testdata.File(t, append([]string{"epp"}, name...)...)
	}
	path := filepath.Join(append([]string{*data}, name...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConformanceOfVerdicts compares with what the loader of router-main makes of
// published files: whether it accepts them, at which stage it refuses them and over
// what, and which plugins it ends up with.
func TestConformanceOfVerdicts(t *testing.T) {
	verdicts := readVerdicts(t, conformanceFile(t, "configs", "VERDICTS.tsv"))
	counts := map[config.Stage]int{}
	for _, want := range verdicts {
		text := testfile.Read(t, conformanceFile(t, "configs", want.file))
		got := Judge(text, "router-main", nil)
		for _, difference := range want.differences(&got, text) {
			t.Errorf("%s: %s", want.file, difference)
		}
		counts[want.stage]++
	}
	t.Logf("%d verdicts compared: %v", len(verdicts), counts)
	if len(verdicts) == 0 {
		t.Error("no verdict was compared")
	}
}

// TestConformanceOfDecisions compares with decisions of the real scheduler: which
// endpoints the filters leave, and their scores.
func TestConformanceOfDecisions(t *testing.T) {
	cases := readLines[scheduleCase](t, conformanceFile(t, "golden", "schedule.jsonl"))
	replay(t, cases, func(config string) string {
		path := filepath.Join(filepath.Dir(conformanceFile(t, "golden", "schedule.jsonl")), config)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return conformanceFile(t, "configs", config)
		}
		return path
	})
}

// TestConformanceOfPrefixes compares with what the real prefix producer matches,
// step by step.
func TestConformanceOfPrefixes(t *testing.T) {
	if steps := replayPrefixes(t, conformanceFile(t, "golden", "approx-prefix.jsonl")); steps == 0 {
		t.Error("no step was compared")
	}
}
