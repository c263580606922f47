// SPDX-License-Identifier: Apache-2.0

package rollouts_test

import (
	"strings"
	"testing"
)

// pauseImage is in the cluster, and stands for the EPP: it starts and does nothing.
const pauseImage = "docker.io/library/windtunnel-pause:dev"

// rollout is that of config/gates, with the EPP file of a ConfigMap.
func rollout(config, digest string) ([]byte, error) {
	return object("config/gates/rollout.yaml", "EPP-IMAGE", pauseImage+"\n        imagePullPolicy: Never", "EPP-CONFIG", config, "SHA256", digest)
}

// gates installs config/gates in a namespace.
func (ns namespace) gates(t *testing.T, replaced ...string) {
	t.Helper()
	rbac, err := object("config/gates/rbac.yaml")
	ns.apply(t, rbac, err)
	template, err := object("config/gates/analysis_template.yaml", append(replaced, "windtunnel-web.windtunnel-system.svc", web)...)
	ns.apply(t, template, err)
}

// What Argo Rollouts makes of each verdict.
func TestArgoRollouts(t *testing.T) {
	for name, tc := range map[string]struct {
		candidate
		// alone is without a sweep.
		alone                          bool
		analysis, phase, message, runs string
		// says is part of what the AnalysisRun says.
		says string
	}{
		"a good candidate rolls out":       {candidate: good, analysis: "Successful", phase: "Healthy", runs: "epp-v2"},
		"a bad candidate is aborted":       {candidate: bad, analysis: "Failed", phase: "Degraded", message: "RolloutAborted", runs: "epp-v1"},
		"too little evidence is a pause":   {candidate: thin, analysis: "Inconclusive", phase: "Paused", message: "InconclusiveAnalysisRun", runs: "epp-v1"},
		"a verdict on another file stops":  {candidate: good, analysis: "Error", phase: "Degraded", message: "RolloutAborted", runs: "epp-v1", says: "response code: 409"},
		"a sweep that is not there aborts": {candidate: good, alone: true, analysis: "Error", phase: "Degraded", message: "RolloutAborted", runs: "epp-v1", says: "response code: 404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := newNamespace(t)
			digest := tc.digest()
			if tc.analysis == "Error" {
				digest = strings.Repeat("0", 64)
				ns.gates(t, "consecutiveErrorLimit: 360", "consecutiveErrorLimit: 2")
			} else {
				ns.gates(t)
			}
			ns.apply(t, tc.files(), nil)
			first, err := rollout("epp-v1", digest)
			ns.apply(t, first, err)
			ns.until(t, "rollout/epp", "{.status.phase}", "Healthy")

			// The rollout asks before there is a sweep.
			next, err := rollout("epp-v2", digest)
			ns.apply(t, next, err)
			if !tc.alone {
				ns.apply(t, tc.sweep(), nil)
			}
			ns.until(t, "analysisruns", "{.items[*].status.phase}", tc.analysis)
			ns.until(t, "rollout/epp", "{.status.phase}", tc.phase)
			t.Logf("verdict: %s", ns.get("policysweep/epp", `{.status.conditions[?(@.type=="Passed")].message}`))
			said := ns.get("analysisruns", "{.items[*].status.message} {.items[*].status.metricResults[*].measurements[-1:].value}")
			t.Logf("analysis: %s", said)
			if !strings.Contains(said, tc.says) {
				t.Errorf("the analysis says %q, want %s", said, tc.says)
			}
			if said := ns.get("rollout/epp", "{.status.message}"); !strings.Contains(said, tc.message) {
				t.Errorf("the rollout says %q, want %s", said, tc.message)
			}
			ns.until(t, "pods", `{.items[*].spec.volumes[?(@.name=="config")].configMap.name}`, tc.runs+" "+tc.runs)
			ns.events(t, "epp")
		})
	}
}
