// SPDX-License-Identifier: Apache-2.0

package epp

import "testing"

func TestDetectorThresholds(t *testing.T) {
	const head = "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"
	for name, tc := range map[string]struct {
		version, rest string
		kvUsage       float64
		queue         int
		ok            bool
	}{
		"the defaults":                    {"router-v0.10", "", 0.8, 5, true},
		"a detector with parameters":      {"router-v0.10", "- type: utilization-detector\n  parameters: {queueDepthThreshold: 9, kvCacheUtilThreshold: 0.7}\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n", 0.7, 9, true},
		"the section of an older version": {"gie-v1.2", "saturationDetector: {queueDepthThreshold: 9}\n", 0.8, 9, true},
		"a detector that counts requests": {"router-v0.10", "- type: concurrency-detector\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n", 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			c, errs := Load([]byte(head+tc.rest), tc.version, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if kvUsage, queue, ok := DetectorThresholds(c); kvUsage != tc.kvUsage || queue != tc.queue || ok != tc.ok {
				t.Errorf("%v, %d, %t", kvUsage, queue, ok)
			}
		})
	}
}
