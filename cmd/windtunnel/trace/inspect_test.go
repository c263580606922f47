// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
)

const inspectedTrace = "../../pkg/workload/trace/testdata/mooncake.jsonl"

func TestTraceInspectPrintsText(t *testing.T) {
	golden.Check(t, "testdata/trace-inspect.txt", mustRun(t, "trace", "inspect", inspectedTrace))
}

// Standard input cannot be read twice, and is inspected all the same.
func TestTraceInspectReadsStandardInput(t *testing.T) {
	text := testfile.Read(t, inspectedTrace)
	fromFile := mustRun(t, "trace", "inspect", inspectedTrace, "-o", "json")
	var out bytes.Buffer
	cmd := newRootCommand()
	cmd.SetArgs([]string{"trace", "inspect", "-", "-o", "json"})
	cmd.SetIn(bytes.NewReader(text))
	cmd.SetOut(&out)
	err := cmd.ExecuteContext(t.Context())
	if diff := cmp.Diff(fromFile, out.String()); diff != "" || err != nil {
		t.Errorf("%v (-file +standard input):\n%s", err, diff)
	}
	var in inspect.Inspection
	if err := json.Unmarshal([]byte(fromFile), &in); err != nil || in.Requests != 6 {
		t.Errorf("%d requests, %v", in.Requests, err)
	}
}

func TestTraceInspectDraws(t *testing.T) {
	got := mustRun(t, "trace", "inspect", inspectedTrace, "-o", "svg")
	if !strings.HasPrefix(got, "<svg") {
		t.Errorf("not a picture: %.80s", got)
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTraceInspectRejects(t *testing.T) {
	for _, args := range [][]string{{"no-such-file"}, {inspectedTrace, "-o", "yaml"}, {inspectedTrace, "--format", "Azure"}, {}} {
		if _, err := windtunnel(t, append([]string{"trace", "inspect"}, args...)...); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%v: %v", args, err)
		}
	}
}
