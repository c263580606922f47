// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

const soundConfigMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: saturation-scaling-config}
data:
  default: |
    kvCacheThreshold: 0.80
    queueLengthThreshold: 5
    kvSpareTrigger: 0.1
    queueSpareTrigger: 3
    enableLimiter: false
`

var usual = wva.Config{KVCacheThreshold: 0.8, QueueLengthThreshold: 5, KVSpareTrigger: 0.1, QueueSpareTrigger: 3}

func TestReadConfigMap(t *testing.T) {
	_, entry, _ := strings.Cut(soundConfigMap, "default: |\n")
	for name, tc := range map[string]struct {
		text    string
		ignored []string
	}{
		"a ConfigMap":                 {soundConfigMap, nil},
		"an entry alone":              {strings.ReplaceAll(entry, "    ", ""), nil},
		"beside other objects":        {"kind: Service\n---\n" + soundConfigMap, nil},
		"another analyser by name":    {soundConfigMap + "    analyzerName: \"\"\n    scaleUpThreshold: 0.9\n", nil},
		"an entry for a single model": {soundConfigMap + "  llama: |\n    model_id: llama\n", []string{"llama"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, errs := Read(ConfigMap, []byte(tc.text), field.NewPath("m"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(usual, m.Analyser()); diff != "" {
				t.Errorf("analyser (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.ignored, m.Ignored); diff != "" {
				t.Errorf("ignored entries (−want +got):\n%s", diff)
			}
			again, errs := Read(ConfigMap, []byte(m.Canonical()), nil)
			if len(errs) > 0 || again.Canonical() != m.Canonical() {
				t.Errorf("the canonical text reads as another one: %v", errs)
			}
			document, err := Open(ConfigMap, m.Canonical())
			if err != nil || Close(ConfigMap, document) != m.Canonical() {
				t.Errorf("the document has another text: %v", err)
			}
		})
	}
}

func TestFaultsOfConfigMaps(t *testing.T) {
	for name, tc := range map[string]struct {
		old, new     string
		path, detail string
	}{
		"another kind":                       {"kind: ConfigMap", "kind: Secret", "m", `has no ConfigMap; it has "Secret"`},
		"no entries":                         {soundConfigMap[strings.Index(soundConfigMap, "\ndata:"):], "", "m.data", "must be an object"},
		"no entry default":                   {"default:", "llama:", "m.data.default", "must be an object"},
		"an entry that is an object":         {"default: |", "default:", "m.data.default", "must be a text of YAML"},
		"an entry that is no YAML":           {"0.80", "[", "m.data.default", "is no YAML object"},
		"a field that is not there":          {"    queueSpareTrigger: 3\n", "", "m.data.default.queueSpareTrigger", "the controller takes 0"},
		"a field that is not known":          {"kvSpareTrigger", "kvSpareTriger", "m.data.default.kvSpareTriger", `near to it are "kvSpareTrigger"`},
		"a threshold above 1":                {"0.80", "80", "m.data.default.kvCacheThreshold", "must be between 0 and 1"},
		"a threshold in quotes":              {"0.80", `"0.80"`, "m.data.default.kvCacheThreshold", "must be a number"},
		"a negative queue":                   {"queueLengthThreshold: 5", "queueLengthThreshold: -5", "m.data.default.queueLengthThreshold", "must be between 0 and"},
		"a trigger above the threshold":      {"kvSpareTrigger: 0.1", "kvSpareTrigger: 0.9", "m.data.default.kvSpareTrigger", "must be at most kvCacheThreshold, 0.8"},
		"the limiter":                        {"enableLimiter: false", "enableLimiter: true", "m.data.default.enableLimiter", "the limiter of the analyser by percentages is not simulated"},
		"a name of an analyser that is none": {"enableLimiter: false", "analyzerName: 2", "m.data.default.analyzerName", "must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(soundConfigMap, tc.old, tc.new, 1)
			if text == soundConfigMap {
				t.Fatal("the case changes nothing")
			}
			m, errs := Read(ConfigMap, []byte(text), field.NewPath("m"))
			for _, e := range errs {
				if e.Field == tc.path && strings.Contains(e.Detail, tc.detail) && m == nil {
					return
				}
			}
			t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.detail)
		})
	}
}

// tokensConfigMap is the entry that the workload-variant-autoscaler ships since v0.9.0.
const tokensConfigMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: saturation-scaling-config}
data:
  default: |
    analyzers:
    - name: saturation
      score: 1.0
    scaleUpThreshold: 0.85
    scaleDownBoundary: 0.70
    kvCacheThreshold: 0.80
    queueLengthThreshold: 5
    kvSpareTrigger: 0.1
    queueSpareTrigger: 3
    enableLimiter: false
    enableRescale: false
`

func TestReadAnalyserByTokens(t *testing.T) {
	shipped := defaultTokens
	own := shipped
	own.ScaleUpThreshold, own.ScaleDownBoundary, own.Score, own.Priority = 0.9, 0.5, 2, 3
	limited := shipped
	limited.Limits = map[string]int{"h100-sxm": 8}
	for name, tc := range map[string]struct {
		entry string
		want  wva.TokensConfig
	}{
		"what is shipped":            {tokensConfigMap[strings.Index(tokensConfigMap, "    analyzers"):], shipped},
		"the old way to select it":   {"    analyzerName: saturation\n", shipped},
		"defaults in place of 0":     {"    analyzerName: saturation\n    kvCacheThreshold: 0\n    scaleUpThreshold: 0\n    priority: 0\n", shipped},
		"fields before parameters":   {"    priority: 3\n    analyzers:\n    - {type: saturation, scaleUpThreshold: 0.9, parameters: {scaleUpThreshold: 0.8, scaleDownBoundary: 0.5, score: 2}}\n", own},
		"the smallest of quotas":     {"    analyzerName: saturation\n    enableLimiter: true\n    limiters: [{type: gpu-inventory}, {type: quota, name: a, scope: cluster, quotas: {H100: 8, L40S: 2}}, {type: quota, name: b, scope: cluster, quotas: {NVIDIA-H100-80GB-HBM3: -1}}]\n", limited},
		"the accelerators there are": {"    analyzerName: saturation\n    enableLimiter: true\n", limited},
	} {
		t.Run(name, func(t *testing.T) {
			head, _, _ := strings.Cut(tokensConfigMap, "    analyzers")
			m, errs := Read(ConfigMap, []byte(head+tc.entry), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			pool := Variant{Variant: wva.Variant{Accelerator: "h100-sxm"}, Inventory: 8}
			if diff := cmp.Diff(tc.want, m.forPools([]Variant{pool})); diff != "" {
				t.Errorf("analyser (−want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsOfAnalysersByTokens(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, path, detail string }{
		"another analyser":              {"- name: saturation", "- name: throughput", "m.data.default.analyzers[0]", "only saturation is simulated"},
		"no analyser that is enabled":   {"score: 1.0", "enabled: false", "m.data.default.analyzers[0].enabled", "nothing is asked for"},
		"thresholds in the wrong order": {"0.85", "0.60", "m.data.default.scaleUpThreshold", "must be above scaleDownBoundary, 0.7"},
		"rescale":                       {"enableRescale: false", "enableRescale: true", "m.data.default.enableRescale", "not simulated"},
		"quotas of namespaces":          {"enableRescale: false", "limiters: [{type: quota, name: q, scope: namespace}]", "m.data.default.limiters[0].scope", "state scope cluster"},
		"a limiter that is none":        {"enableRescale: false", "limiters: [{type: gpu}]", "m.data.default.limiters[0].type", "supported values"},
		"a quota that is no number":     {"enableRescale: false", "limiters: [{type: quota, name: q, scope: cluster, quotas: {H100: many}}]", "m.data.default.limiters[0].quotas[H100]", "must be a whole number"},
		"scaling to zero":               {"enableRescale: false", "scaleToZero: {enabled: true}", "m.data.default.scaleToZero.enabled", "not simulated"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(tokensConfigMap, tc.old, tc.new, 1)
			_, errs := Read(ConfigMap, []byte(text), field.NewPath("m"))
			if len(errs) != 1 || errs[0].Field != tc.path || !strings.Contains(errs[0].Error(), tc.detail) {
				t.Errorf("errors %v, want %s: %s", errs, tc.path, tc.detail)
			}
		})
	}
}
