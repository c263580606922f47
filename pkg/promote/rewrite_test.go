// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// path reads a path as it is written in a sweep.
func path(text string) []Step {
	var steps []Step
	for text != "" {
		if text[0] == '[' {
			name, rest, _ := strings.Cut(text[1:], "]")
			steps, text = append(steps, Step{name, true}), rest
			continue
		}
		text = strings.TrimPrefix(text, ".")
		end := strings.IndexAny(text, ".[")
		if end < 0 {
			end = len(text)
		}
		steps, text = append(steps, Step{Name: text[:end]}), text[end:]
	}
	return steps
}

// wanted is what the EPP makes of a configuration with changes made to its view
// of it.
func wanted(t *testing.T, text []byte, version string, changes []Change) *config.Config {
	t.Helper()
	o, err := view(string(text), version)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		assign(t, o, c)
	}
	raw := jsontest.Encode(t, o)
	config, errs := epp.Load(raw, version, nil)
	if len(errs) > 0 {
		t.Skipf("the changes make no configuration: %v", errs)
	}
	return config
}

func assign(t *testing.T, root any, c Change) {
	t.Helper()
	last := len(c.Path) - 1
	for _, s := range c.Path[:last] {
		next := at(root, []Step{s})
		if o, ok := root.(object); ok && next == nil {
			next = object{}
			o[s.Name] = next
		}
		root = next
	}
	switch to := root.(type) {
	case object:
		to[c.Path[last].Name] = c.Value
	case list:
		i, ok := numbered(c.Path[last].Name, len(to))
		if !ok {
			t.Fatalf("%s leads nowhere", c)
		}
		to[i] = c.Value
	default:
		t.Fatalf("%s leads nowhere", c)
	}
}

const bands = "featureGates: [flowControl]\nplugins:\n- type: queue-scorer\nflowControl:\n  priorityBands:\n" +
	"  - {priority: 10, maxRequests: \"1000\"}\n  - {priority: 0, maxRequests: \"2000\"} # others\n"

const (
	version = "router-v0.10.0"
	header  = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"
)

func number(text string) json.Number { return json.Number(text) }

func TestRewriteChangesTheLinesThatItMust(t *testing.T) {
	for name, tc := range map[string]struct {
		version, before string
		changes         []Change
		diff            string
	}{
		"a value that is written keeps its comment": {
			before:  header + "plugins:\n- type: queue-scorer # short\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n    weight: 2   # twice\n",
			changes: []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("3.5")}},
			diff:    "-    weight: 2   # twice\n+    weight: 3.5   # twice\n",
		},
		"an entry without a name goes by its number": {
			before:  header + bands,
			changes: []Change{{path("flowControl.priorityBands[1].maxRequests"), "500"}},
			diff:    "-  - {priority: 0, maxRequests: \"2000\"} # others\n+  - {priority: 0, maxRequests: \"500\"} # others\n",
		},
		"a weight that is a default is added": {
			before:  header + "plugins:\n  - type: queue-scorer\nschedulingProfiles:\n  - name: default\n    plugins:\n      - pluginRef: queue-scorer # short\n",
			changes: []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("3")}},
			diff:    "+        weight: 3\n",
		},
		"parameters that are defaults are added": {
			before:  header + "plugins:\n- type: utilization-detector\n- type: queue-scorer\n",
			changes: []Change{{path("plugins[utilization-detector].parameters.queueDepthThreshold"), number("9")}},
			diff:    "+  parameters:\n+    queueDepthThreshold: 9\n",
		},
		"a parameter is added to others": {
			before:  header + "plugins:\n- type: utilization-detector\n  parameters:\n      queueDepthThreshold: 9\n\n- type: queue-scorer\n",
			changes: []Change{{path("plugins[utilization-detector].parameters.kvCacheUtilThreshold"), number("0.5")}},
			diff:    "+      kvCacheUtilThreshold: 0.5\n",
		},
		"a plugin that the EPP makes is listed": {
			before:  header + "plugins:\n- type: queue-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n",
			changes: []Change{{path("plugins[utilization-detector].parameters.queueDepthThreshold"), number("9")}},
			diff:    "+- type: utilization-detector\n+  parameters:\n+    queueDepthThreshold: 9\n",
		},
		"a plugin that would become a part of the profile that the EPP makes": {
			before:  header + "plugins:\n- type: queue-scorer\n",
			changes: []Change{{path("plugins[utilization-detector].parameters.queueDepthThreshold"), number("9")}},
			diff:    "+- type: utilization-detector\n+  parameters:\n+    queueDepthThreshold: 9\n+schedulingProfiles:\n+- name: default\n+  plugins:\n+  - pluginRef: queue-scorer\n",
		},
		"a profile that the EPP makes is written out": {
			before:  header + "plugins:\n  - type: queue-scorer\n  - type: kv-cache-utilization-scorer\n",
			changes: []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("2")}},
			diff:    "+schedulingProfiles:\n+  - name: default\n+    plugins:\n+      - pluginRef: queue-scorer\n+        weight: 2\n+      - pluginRef: kv-cache-utilization-scorer\n",
		},
		"braces": {
			before:  header + "plugins: [{type: queue-scorer}, {type: kv-cache-utilization-scorer}]\nschedulingProfiles:\n- {name: default, plugins: [{pluginRef: queue-scorer}, {pluginRef: kv-cache-utilization-scorer, weight: 2}]}\n",
			changes: []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("2")}, {path("schedulingProfiles[default].plugins[kv-cache-utilization-scorer].weight"), number("4")}},
			diff:    "-- {name: default, plugins: [{pluginRef: queue-scorer}, {pluginRef: kv-cache-utilization-scorer, weight: 2}]}\n+- {name: default, plugins: [{pluginRef: queue-scorer, weight: 2}, {pluginRef: kv-cache-utilization-scorer, weight: 4}]}\n",
		},
		"JSON": {
			before:  "{\n  \"kind\": \"EndpointPickerConfig\",\n  \"plugins\": [\n    {\"type\": \"queue-scorer\"},\n    {\"type\": \"utilization-detector\", \"parameters\": {}}\n  ]\n}\n",
			changes: []Change{{path("plugins[utilization-detector].parameters.queueDepthThreshold"), number("9")}},
			diff:    "-    {\"type\": \"utilization-detector\", \"parameters\": {}}\n+    {\"type\": \"utilization-detector\", \"parameters\": {\"queueDepthThreshold\": 9}}\n",
		},
		"no parameters yet": {
			before:  header + "plugins:\n- type: utilization-detector\n  parameters:\n- type: queue-scorer\n",
			changes: []Change{{path("plugins[utilization-detector].parameters.queueDepthThreshold"), number("9")}},
			diff:    "+    queueDepthThreshold: 9\n",
		},
		"quotes": {
			before:  header + "plugins:\n- type: by-label\n  parameters:\n    label: 'x-session'\n    validValues: [a]\n- type: queue-scorer\n",
			changes: []Change{{path("plugins[by-label].parameters.label"), "x-other"}},
			diff:    "-    label: 'x-session'\n+    label: 'x-other'\n",
		},
		"a deprecated section": {
			before:  header + "plugins:\n- type: queue-scorer\n- type: concurrency-detector\n- type: utilization-detector\nsaturationDetector:\n  pluginRef: utilization-detector\n",
			changes: []Change{{path("flowControl.saturationDetector.pluginRef"), "concurrency-detector"}},
			diff:    "-  pluginRef: utilization-detector\n+  pluginRef: concurrency-detector\n",
		},
		"an alias": {
			before:  header + "plugins:\n- type: queue-scorer\n- type: kv-cache-utilization-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n    weight: &two 2\n  - pluginRef: kv-cache-utilization-scorer\n    weight: *two\n",
			changes: []Change{{path("schedulingProfiles[default].plugins[kv-cache-utilization-scorer].weight"), number("3")}},
			diff:    "-    weight: *two\n+    weight: 3\n",
		},
		"what is so already": {
			before:  header + "plugins:\n- type: queue-scorer\n",
			changes: []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("1")}},
		},
		"limits of an old version": {
			version: "gie-v1.3.1",
			before:  "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\nsaturationDetector:\n  queueDepthThreshold: 5\n",
			changes: []Change{{path("saturationDetector.queueDepthThreshold"), number("7")}, {path("saturationDetector.kvCacheUtilThreshold"), number("0.6")}},
			diff:    "-  queueDepthThreshold: 5\n+  queueDepthThreshold: 7\n+  kvCacheUtilThreshold: 0.6\n",
		},
		"parameters that one plugin hands to the one that the EPP makes": {
			version: "gie-v1.5.0",
			before:  "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: prefix-cache-scorer\n  parameters:\n    lruCapacityPerServer: 1000\n",
			changes: []Change{{path("plugins[prefix-cache-scorer].parameters.lruCapacityPerServer"), number("2000")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := tc.version
			if at == "" {
				at = version
			}
			got, err := Rewrite([]byte(tc.before), wanted(t, []byte(tc.before), at, tc.changes), tc.changes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.diff, changedLines(tc.before, got.Text)); diff != "" {
				t.Errorf("−want +got:\n%s\nthe text is\n%s", diff, got.Text)
			}
		})
	}
}

// changedLines are the lines of a diff with a mark.
func changedLines(before, after string) string {
	var lines []string
	for i, line := range strings.SplitAfter(edit.Diff("f", before, after), "\n") {
		if i > 1 && line != "" && (line[0] == '+' || line[0] == '-') {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestRewriteNamesTheChangeThatItCannotMake(t *testing.T) {
	before := header + "plugins:\n- type: queue-scorer\n- type: kv-cache-utilization-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n    weight: &two 2\n  - pluginRef: kv-cache-utilization-scorer\n    weight: *two\n"
	changes := []Change{{path("schedulingProfiles[default].plugins[queue-scorer].weight"), number("3")}}
	_, err := Rewrite([]byte(before), wanted(t, []byte(before), version, changes), changes)
	if !errors.Is(err, ErrNotPossible) || !strings.Contains(err.Error(), "plugins[queue-scorer].weight = 3") {
		t.Errorf("error is %v", err)
	}
}
