// SPDX-License-Identifier: Apache-2.0

package rollouts_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What docs/gates.md warns of: analyses that pass without a verdict of Pass, or cannot tell
// that the evidence is missing.
func TestAnalysesThatMislead(t *testing.T) {
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			_, _ = w.Write([]byte("<html>Sign in</html>"))
			return
		}
		_, _ = w.Write([]byte(`{"result": "Unknown"}`))
	}))
	t.Cleanup(answers.Close)
	web := func(path, limits string) string {
		return fmt.Sprintf(`{name: verdict, successCondition: result == "Pass", failureCondition: result == "Fail", %s
    provider: {web: {url: %q, jsonPath: "{$.result}"}}}`, limits, answers.URL+path)
	}
	job := `{name: verdict, provider: {job: {spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never,
    containers: [{name: windtunnel, image: "windtunnel:dev", imagePullPolicy: Never, args: [sweep, -f, /in/sweep.yaml], volumeMounts: [{name: in, mountPath: /in}]}],
    volumes: [{name: in, configMap: {name: in}}]}}}}}}`
	for name, tc := range map[string]struct{ metric, phase string }{
		"Unknown with both conditions is Inconclusive":       {web("/verdict", ""), "Inconclusive"},
		"Unknown with room for inconclusive results passes":  {web("/verdict", "count: 3, interval: 1s, inconclusiveLimit: 3,"), "Successful"},
		"a page that is not JSON passes":                     {web("/page", ""), "Successful"},
		"a Job of exit code 3 is Failed, and not undecided":  {job, "Failed"},
		"Unknown with the condition of success alone aborts": {strings.Replace(web("/verdict", ""), `failureCondition: result == "Fail", `, "", 1), "Failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := newNamespace(t)
			if tc.metric == job {
				ns.apply(t, inConfigMap(string(thin.files())+"---\n"+string(thin.sweep())), nil)
			}
			ns.apply(t, fmt.Appendf(nil, `apiVersion: argoproj.io/v1alpha1
kind: AnalysisRun
metadata: {name: verdict}
spec:
  metrics:
  - %s
`, tc.metric), nil)
			ns.until(t, "analysisrun/verdict", "{.status.phase}", tc.phase)
			if tc.metric == job {
				ns.until(t, "pods", "{.items[*].status.containerStatuses[*].state.terminated.exitCode}", "3")
			}
		})
	}
}

// inConfigMap is a ConfigMap with a manifest as a file.
func inConfigMap(manifest string) []byte {
	return []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: in}\ndata:\n  sweep.yaml: |\n    " + strings.ReplaceAll(manifest, "\n", "\n    ") + "\n")
}
