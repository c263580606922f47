// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
)

const ownHPA = `# Beside the autoscaler.
apiVersion: v1
kind: Service
spec: {minReplicas: 1}
--- # the autoscaler
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: llama
spec:
  scaleTargetRef: {kind: Deployment, name: decode}
  maxReplicas: 12   # the quota
  minReplicas: 1
  metrics:
  - type: Pods
    pods:
      metric: {name: running}
      target: {type: AverageValue, averageValue: '20'}
  - type: External
    external:
      metric: {name: waiting}
      target: {type: Value, value: 500m} # short queues
  behavior:
    scaleDown: {stabilizationWindowSeconds: 300, policies: [{type: Pods, value: 1, periodSeconds: 60}]}
---
kind: Secret
`

const ownScaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
spec:
  scaleTargetRef: {name: decode}
  minReplicaCount: 1
  triggers:
  - type: prometheus
    name: waiting
    metadata:
      query: sum(vllm:num_requests_waiting)
      threshold: "5"
      activationThreshold: "1"
`

const ownConfigMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: saturation-scaling-config}
data:
  # of all models
  default: |
    kvCacheThreshold: 0.80
    queueLengthThreshold: 5   # as the EPP
    kvSpareTrigger: 0.1
    queueSpareTrigger: 3
  llama: |
    kvCacheThreshold: 0.90
`

// steps are those of a path with blanks between them; entries begin with #.
func steps(path string) []Step {
	var all []Step
	for _, word := range strings.Fields(path) {
		name, entry := strings.CutPrefix(word, "#")
		all = append(all, Step{name, entry})
	}
	return all
}

// wantedManifest is the manifest of a text.
func wantedManifest(t *testing.T, kind manifest.Kind, text string) *manifest.Manifest {
	t.Helper()
	m, errs := manifest.Read(kind, []byte(text), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return m
}

func TestRewriteManifestChangesTheLineOfTheChange(t *testing.T) {
	asJSON := `{"kind": "ScaledObject", "apiVersion": "keda.sh/v1alpha1", "spec": {"scaleTargetRef": {"name": "decode"},
	"triggers": [{"type": "prometheus", "metadata": {"query": "a", "threshold": "5"}}]}}`
	const entryAlone = "kvCacheThreshold: 0.8\nqueueLengthThreshold: 5\nkvSpareTrigger: 0.1\nqueueSpareTrigger: 3\n"
	quotedEntry := "apiVersion: v1\nkind: ConfigMap\ndata: {default: '{kvCacheThreshold: 0.8, queueLengthThreshold: 5, kvSpareTrigger: 0.1, queueSpareTrigger: 3}'}\n"
	for name, tc := range map[string]struct {
		kind     manifest.Kind
		text     string
		path     string
		value    any
		old, new string
	}{
		"a number with a comment after it":           {manifest.HorizontalPodAutoscaler, ownHPA, "spec maxReplicas", json.Number("9"), "maxReplicas: 12 ", "maxReplicas: 9 "},
		"a field of the same name in another object": {manifest.HorizontalPodAutoscaler, ownHPA, "spec minReplicas", json.Number("2"), "\n  minReplicas: 1", "\n  minReplicas: 2"},
		"a text in quotes of one stroke":             {manifest.HorizontalPodAutoscaler, ownHPA, "spec metrics #0 pods target averageValue", "28", "'20'", "'28'"},
		"a quantity without quotes":                  {manifest.HorizontalPodAutoscaler, ownHPA, "spec metrics #1 external target value", "750m", "500m", "750m"},
		"a quantity that is read as a number":        {manifest.HorizontalPodAutoscaler, ownHPA, "spec metrics #1 external target value", "2", "500m", `"2"`},
		"a number in braces":                         {manifest.HorizontalPodAutoscaler, ownHPA, "spec behavior scaleDown stabilizationWindowSeconds", json.Number("60"), "300", "60"},
		"a number in braces in brackets":             {manifest.HorizontalPodAutoscaler, ownHPA, "spec behavior scaleDown policies #0 periodSeconds", json.Number("15"), "periodSeconds: 60", "periodSeconds: 15"},
		"an entry with a name":                       {manifest.ScaledObject, ownScaledObject, "spec triggers #waiting metadata threshold", "8", `threshold: "5"`, `threshold: "8"`},
		"lines that end as on Windows":               {manifest.ScaledObject, strings.ReplaceAll(ownScaledObject, "\n", "\r\n"), "spec minReplicaCount", json.Number("2"), "minReplicaCount: 1\r\n", "minReplicaCount: 2\r\n"},
		"JSON":                                       {manifest.ScaledObject, asJSON, "spec triggers #0 metadata threshold", "8", `"threshold": "5"`, `"threshold": "8"`},
		"an entry of a ConfigMap":                    {manifest.ConfigMap, ownConfigMap, "data default queueLengthThreshold", json.Number("8"), "Threshold: 5   #", "Threshold: 8   #"},
		"an entry alone":                             {manifest.ConfigMap, entryAlone, "data default kvSpareTrigger", json.Number("0.25"), "0.1", "0.25"},
		"an entry in quotes":                         {manifest.ConfigMap, quotedEntry, "data default kvSpareTrigger", json.Number("0.25"), "0.1", "0.25"},
		"an entry with a new field":                  {manifest.ConfigMap, ownConfigMap, "data default enableLimiter", false, "Trigger: 3\n", "Trigger: 3\n    enableLimiter: false\n"},
		"a value that is there":                      {manifest.HorizontalPodAutoscaler, strings.Replace(ownHPA, "  minReplicas: 1\n", "  minReplicas: 0x1\n", 1), "spec minReplicas", json.Number("1"), "0x1", "0x1"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(tc.text, tc.old) != 1 {
				t.Fatalf("%q does not stand once in the text", tc.old)
			}
			want := strings.Replace(tc.text, tc.old, tc.new, 1)
			got, err := RewriteManifest([]byte(tc.text), wantedManifest(t, tc.kind, want), []Change{{steps(tc.path), tc.value}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func TestRewriteManifestRefusesWhatItCannotWrite(t *testing.T) {
	shared := strings.NewReplacer("minReplicas: 1\n  metrics", "minReplicas: &one 1\n  metrics").Replace(ownHPA)
	for name, tc := range map[string]struct {
		text   string
		change Change
		want   string
	}{
		"no such object":                {"kind: Service\n", Change{steps("spec minReplicas"), json.Number("2")}, "the text holds no HorizontalPodAutoscaler"},
		"a value with an anchor":        {shared, Change{steps("spec minReplicas"), json.Number("2")}, "spec.minReplicas = 2: the text is not written in a way that can be edited there"},
		"a value that is not simulated": {ownHPA, Change{steps("spec minReplicas"), json.Number("3")}, "would be another one than was simulated"},
		"a value that is refused":       {ownHPA, Change{steps("spec minReplicas"), json.Number("13")}, "a cluster would refuse it: spec.minReplicas"},
	} {
		t.Run(name, func(t *testing.T) {
			want := wantedManifest(t, manifest.HorizontalPodAutoscaler, strings.Replace(ownHPA, "\n  minReplicas: 1", "\n  minReplicas: 2", 1))
			_, err := RewriteManifest([]byte(tc.text), want, []Change{tc.change})
			if !errors.Is(err, ErrNotPossible) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}
