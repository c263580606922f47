// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"os"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
)

// privateVariable names an EPP with a scorer tenant-home-scorer.
const privateVariable = "EPP_PRIVATE_BINARY"

// TestRecordedRehearsals compares sessions of llm-d-router ebab687 with simulations of today, within the
// limits of the verb. They were recorded on two busy cores; -update records others.
func TestRecordedRehearsals(t *testing.T) {
	for name, tc := range map[string]struct {
		manifest        string // in place of a file beside the recording
		args, recording []string
		// least is how many decisions are equal or tied; a private plugin has no such number.
		requests, least int
	}{
		"default": {requests: 5000, least: 4950},
		"precise-prefix": {
			manifest: precisePrefixSample, args: []string{"--set", "horizon.requests=5000", "--set", "horizon.duration=30m"}, requests: 5000, least: 4950,
		},
		"priorities": {recording: []string{"--speed", "0.25"}, requests: 5000, least: 4950},
		"private":    {args: []string{"--epp-config", "live/testdata/rehearsals/private-epp.yaml"}, recording: []string{"--speed", "0.5"}, requests: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			file := "live/testdata/rehearsals/" + name
			args := append([]string{"-f", cmp.Or(tc.manifest, file+".yaml")}, tc.args...)
			if *golden.Update {
				binary := epptest.Binary(t)
				if name == "private" {
					binary = os.Getenv(privateVariable)
				}
				if out, err := runRehearse(t, slices.Concat(args, tc.recording, []string{"--epp", binary, "--record", file + ".json.gz"})...); err != nil {
					t.Fatal(err, out)
				}
			}
			out, err := runRehearse(t, append(args, "--recorded", file+".json.gz", "-o", "json")...)
			if err != nil {
				t.Fatal(err, out)
			}
			got := jsontest.Decode[rehearsal](t, []byte(out))
			d := got.Decisions
			if d.Equal+d.Tied+d.Different != tc.requests || d.Equal+d.Tied < tc.least || len(got.Figures) != 8 {
				t.Errorf("decisions: %+v, figures: %+v", d, got.Figures)
			}
		})
	}
}
