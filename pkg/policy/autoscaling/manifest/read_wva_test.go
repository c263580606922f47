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
		"the limiter":                        {"enableLimiter: false", "enableLimiter: true", "m.data.default.enableLimiter", "The limiter is not simulated"},
		"the analyser by tokens":             {"enableLimiter: false", "analyzerName: saturation", "m.data.default.analyzerName", "the analyser by tokens, is not simulated"},
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
