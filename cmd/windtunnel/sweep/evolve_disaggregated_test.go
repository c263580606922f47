// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// eppsDefault is how llm-d's router routes prefill and decode by its own configuration
// (deploy/config/pd-epp-config.yaml): each prompt of which 16 tokens are not cached is handed over.
const eppsDefault = `    router:
      endpointPickerConfig:
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins:
          - type: prefix-cache-scorer
          - type: queue-scorer
          - type: prefill-filter
          - type: decode-filter
          - type: max-score-picker
          - type: prefix-based-pd-decider
            parameters: {nonCachedTokens: 16}
          - type: disagg-profile-handler
            parameters:
              deciders: {prefill: prefix-based-pd-decider}
          schedulingProfiles:
          - name: prefill
            plugins:
            - pluginRef: prefill-filter
            - pluginRef: max-score-picker
            - {pluginRef: prefix-cache-scorer, weight: 2}
            - {pluginRef: queue-scorer, weight: 1}
          - name: decode
            plugins:
            - pluginRef: decode-filter
            - pluginRef: max-score-picker
            - {pluginRef: prefix-cache-scorer, weight: 2}
            - {pluginRef: queue-scorer, weight: 1}
`

var goodputLine = regexp.MustCompile(`(?m)^goodput % +([0-9.]+)`)

// A program in Starlark that a sweep has found routes prefill and decode better than the EPP's
// default, under seeds that the sweep has not seen: it leaves short prompts where they are decoded
// while prefill replicas are busy.
func TestAPolicyThatEvolvedBeatsTheEPPsDefault(t *testing.T) {
	text := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "policysweep-evolve-prefill-decode.yaml"))
	folder := t.TempDir()
	mustRun(t, "sweep", "-f", filepath.Join(cmdtest.Samples, "policysweep-evolve-prefill-decode.yaml"), "--promote", filepath.Join(folder, "bundle.yaml"))
	scenario := text[strings.Index(text, "  scenario:"):strings.Index(text, "  parameters:\n  - name: policy")]
	router := scenario[strings.Index(scenario, "    router:"):strings.Index(scenario, "    workload:")]
	goodput := func(with string) float64 {
		file := filepath.Join(folder, "run.yaml")
		manifest := "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: run}\nspec:\n" +
			strings.Replace(scenario, router, with, 1) + "  replications: {seeds: [11, 12, 13, 14, 15]}\n"
		testfile.Write(t, file, []byte(manifest))
		out := mustRun(t, "run", "-f", file)
		found := goodputLine.FindStringSubmatch(out)
		if found == nil {
			t.Fatalf("no goodput in\n%s", out)
		}
		share, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return share
	}
	epp, own := goodput(eppsDefault), goodput("    router:\n      policies:\n        bundle: {file: bundle.yaml}\n")
	t.Logf("goodput: EPP %v %%, evolved %v %%", epp, own)
	if own < epp+10 {
		t.Errorf("the policy has a goodput of %v %%, the EPP's default of %v %%", own, epp)
	}
}
