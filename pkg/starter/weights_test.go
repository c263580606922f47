// SPDX-License-Identifier: Apache-2.0

package starter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/starter"
)

func config(profiles string) string {
	return "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nschedulingProfiles:\n" + profiles
}

func TestTheWeightsThatMatterMostVary(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		want []string // NAME PATH NOW VALUES
		err  string
	}{
		"the default: prefixes first, and two at most": {starter.DefaultPicker, []string{
			"prefixCache schedulingProfiles[default].plugins[prefix-cache-scorer] 3 0,1,2,3,4",
			"queue schedulingProfiles[default].plugins[queue-scorer] 2 0,1,2,4",
		}, ""},
		"one plugin in two profiles": {config("- name: a\n  plugins: [{pluginRef: q, weight: 0.5}]\n- name: b\n  plugins: [{pluginRef: q, weight: 1}]\n"), []string{
			"q schedulingProfiles[a].plugins[q] 0.5 0,0.5,1,2,4",
			"q2 schedulingProfiles[b].plugins[q] 1 0,1,2,4",
		}, ""},
		"a name that is no parameter's": {config("- name: a\n  plugins: [{pluginRef: 9/x y, weight: 1}]\n"), []string{"weight9XY schedulingProfiles[a].plugins[9/x y] 1 0,1,2,4"}, ""},
		"no weights":                    {config("- name: a\n  plugins: [{pluginRef: q}]\n"), nil, "no scorer with a weight"},
		"two configurations":            {starter.DefaultPicker + "---\n" + starter.DefaultPicker, nil, "must have one EndpointPickerConfig, and has 2"},
		"none":                          {"a: b\n", nil, "has 0"},
		"no YAML":                       {"{", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			weights, err := starter.Weights([]byte(tc.file))
			if (err == nil) != (tc.want != nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%v, want %q", err, tc.err)
			}
			var got []string
			for _, w := range weights {
				path := strings.TrimSuffix(strings.TrimPrefix(w.Path, "router.endpointPickerConfig."), ".weight")
				got = append(got, strings.Join([]string{w.Name, path, w.Now, strings.Join(w.Values, ",")}, " "))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
