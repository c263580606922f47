// SPDX-License-Identifier: Apache-2.0

package lint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

func TestProfileWeights(t *testing.T) {
	const head = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- {type: queue-scorer}
- {type: load-aware-scorer}
- {type: lora-affinity-scorer}
- {type: prefix-cache-scorer}
- {type: PICKER}
schedulingProfiles:
- name: default
  plugins:
`
	for name, tc := range map[string]struct {
		picker  string
		entries []string
		want    []lint.Weights
	}{
		"sums, and what half a score counts": {
			"max-score-picker", []string{"prefix-cache-scorer, weight: 3", "queue-scorer, weight: 2", "load-aware-scorer, weight: 2", "lora-affinity-scorer, weight: 9"},
			[]lint.Weights{{Profile: "default", Prefix: 3, Load: 3}},
		},
		"a picker to which scores are nothing": {"random-picker", []string{"prefix-cache-scorer, weight: 3"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(head, "PICKER", tc.picker)
			for _, entry := range tc.entries {
				text += "  - {pluginRef: " + entry + "}\n"
			}
			config, errs := epp.Load([]byte(text), "router-v0.9", nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, lint.ProfileWeights(config)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
