// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheTableOfVersions: the newest version stands first, versions that agree share
// a row, and versions that were not asked for are absent.
func TestTheTableOfVersions(t *testing.T) {
	const current = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n"
	const schedulers = "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: decode-filter\n- type: pd-profile-handler\n- type: queue-scorer\n"
	for name, tc := range map[string]struct {
		text     string
		versions []string
		want     []string
	}{
		"no version": {current, nil, []string{
			"  router-v0.11.0* accepted",
			"> router-main accepted",
			"  router-v0.10.0 back to scheduler-520af478 accepted",
			"  scheduler-v0.8.0 back to scheduler-v0.2.1 refused in decoding apiVersion",
			"  gie-v1.5.0 back to gie-v0.5.1 refused in decoding apiVersion",
		}},
		"two families": {schedulers, nil, []string{
			"  router-v0.11.0* refused in loading plugins[1].type",
			"  router-main back to scheduler-v0.6.0 refused in loading plugins[1].parameters.deciderPluginName",
			"> scheduler-v0.5.1 accepted",
			"  scheduler-v0.4.0 back to scheduler-v0.3.2 accepted",
			"  scheduler-v0.2.1 refused in loading schedulingProfiles",
			"  gie-v1.5.0 back to gie-v0.5.1 refused in loading plugins[0].type",
		}},
		"auto among versions": {current, []string{"auto", "scheduler-v0.4.0"}, []string{
			"  router-v0.11.0* accepted",
			"> router-main accepted",
			"  router-v0.10.0 back to scheduler-520af478 accepted",
			"  scheduler-v0.8.0 back to scheduler-v0.5.1 refused in decoding apiVersion",
			"> scheduler-v0.4.0 refused in decoding apiVersion",
			"  scheduler-v0.3.2 back to scheduler-v0.2.1 refused in decoding apiVersion",
			"  gie-v1.5.0 back to gie-v0.5.1 refused in decoding apiVersion",
		}},
		"a version":    {current, []string{"router-v0.10.0"}, []string{"> router-v0.10.0 accepted"}},
		"two versions": {current, []string{"router-v0.10.0", "router-v0.11.0"}, []string{"> router-v0.11.0* accepted", "> router-v0.10.0 accepted"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			report := mustRead(t, tc.text, Options{Versions: tc.versions})
			if err := writeVerdicts(&out, "epp.yaml", &report.Configs[0]); err != nil {
				t.Fatal(err)
			}
			want := append([]string{"epp.yaml"}, tc.want...)
			if diff := cmp.Diff(want, tableLines(out.String())); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// tableLines are a table's lines without their padding and without what follows a
// path.
func tableLines(table string) []string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(table)) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, ":\n"), ": ")
		fields := strings.Join(strings.Fields(line), " ")
		if strings.HasPrefix(line, "  ") {
			fields = "  " + fields
		}
		lines = append(lines, fields)
	}
	return lines
}

// The legend explains each mark once, for the tables of all files.
func TestLegend(t *testing.T) {
	const current = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n"
	const chosen, fork = "> marks the versions that the findings are about.", "* router-v0.11.0: read from a downstream fork, not from the release"
	for name, tc := range map[string]struct {
		versions []string
		want     []string
	}{
		"all versions":       {nil, []string{chosen, fork}},
		"a version":          {[]string{"router-v0.10.0"}, nil},
		"a marked one":       {[]string{"router-v0.11.0"}, []string{fork}},
		"auto and a version": {[]string{"auto", "scheduler-v0.4.0"}, []string{chosen, fork}},
	} {
		t.Run(name, func(t *testing.T) {
			report := mustRead(t, current, Options{Versions: tc.versions})
			if diff := cmp.Diff(tc.want, Legend([]Report{report, report})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
