// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

const bareConfig = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins: [{type: queue-scorer}]
`

// indented is a text as a block of YAML, indented by a number of columns.
func indented(text string, columns int) string {
	return strings.ReplaceAll("\n"+strings.TrimSuffix(text, "\n"), "\n", "\n"+strings.Repeat(" ", columns))
}

var (
	configMapConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: epp}\ndata:\n  default.yaml: |" + indented(bareConfig, 4)
	helmConfig      = "router:\n  epp:\n    pluginsConfigFile: own.yaml\n    pluginsCustomConfig:\n      own.yaml: |" + indented(bareConfig, 8)
)

func TestWrappersDoNotChangeAnEPPConfiguration(t *testing.T) {
	plan := func(in v1alpha1.EndpointPickerConfig) string {
		c := mustCompileRun(t, func(s *v1alpha1.Scenario) { s.Router.EndpointPickerConfig = in })
		c.Plan.Inputs = nil
		return string(c.Plan.Encode())
	}
	want := plan(v1alpha1.EndpointPickerConfig{Inline: ptr.To(bareConfig)})
	for name, text := range map[string]string{"ConfigMap": configMapConfig, "Helm values": helmConfig} {
		if diff := cmp.Diff(want, plan(v1alpha1.EndpointPickerConfig{Inline: &text})); diff != "" {
			t.Errorf("%s: another plan (-want +got):\n%s", name, diff)
		}
	}
}

func TestAFileGivesTheSamePlanAsAnInlineEPPConfiguration(t *testing.T) {
	plan := func(in v1alpha1.EndpointPickerConfig) *experiment.Plan {
		run := experimenttest.Run(t)
		run.Spec.Scenario.Router.EndpointPickerConfig = in
		inputs := fileInputs{files: map[string]string{"values.yaml": helmConfig}}
		c, errs, err := compile.Run(t.Context(), run, inputs)
		if err != nil || len(errs) > 0 {
			t.Fatal(err, errs)
		}
		return c.Plan
	}
	want, got := plan(v1alpha1.EndpointPickerConfig{Inline: ptr.To(bareConfig)}), plan(v1alpha1.EndpointPickerConfig{File: ptr.To("values.yaml")})
	pinned := []v1alpha1.InputDigest{{Name: "File/values.yaml", SHA256: experiment.Digest([]byte(helmConfig))}}
	if diff := cmp.Diff(pinned, got.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	want.Inputs, got.Inputs = nil, nil
	// The findings of the linter have the path of the field that names the file.
	encoded := strings.ReplaceAll(string(got.Encode()), "endpointPickerConfig.file", "endpointPickerConfig.inline")
	if diff := cmp.Diff(string(want.Encode()), encoded); diff != "" {
		t.Errorf("another plan (-inline +file):\n%s", diff)
	}
}

func TestErrorsOfEPPFilesNameTheField(t *testing.T) {
	files := fileInputs{files: map[string]string{"large.yaml": strings.Repeat("#", compile.MaxPickerFileBytes+1), "broken.yaml": "kind: EndpointPickerConfig\nplugins: [{type: nope}]\n"}}
	tests := map[string]struct {
		inputs compile.Inputs
		file   string
		want   string
	}{
		"not there":    {files, "gone.yaml", "endpointPickerConfig.file: Not found"},
		"too large":    {files, "large.yaml", "endpointPickerConfig.file: Too long"},
		"not accepted": {files, "broken.yaml", "endpointPickerConfig.file."},
		"on a cluster": {experimenttest.Inputs{}, "epp.yaml", "endpointPickerConfig.file: Forbidden: a file cannot be read here; put it into a ConfigMap and use configMapRef"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: "router-v0.10", File: &tc.file}
			_, errs, err := compile.Run(t.Context(), run, tc.inputs)
			if err != nil || len(errs) == 0 || !strings.Contains(errs[0].Error(), tc.want) {
				t.Errorf("got %v, %v, want %q", errs, err, tc.want)
			}
		})
	}
}

func TestAConfigMapWithOneEPPConfigurationNeedsNoKey(t *testing.T) {
	tests := map[string]struct {
		keys map[string]string
		want string // in the error; empty for none
	}{
		"one":     {map[string]string{"own/notes": "a: 1", "own/plugins.yaml": bareConfig}, ""},
		"none":    {map[string]string{"own/notes": "a: 1"}, "ConfigMap own holds an EPP configuration under 0 keys"},
		"two":     {map[string]string{"own/a": bareConfig, "own/b": bareConfig}, `under 2 keys (of "a", "b"); name one as key`},
		"wrapped": {map[string]string{"own/values.yaml": helmConfig}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inputs := experimenttest.Inputs{}
			for key, text := range tc.keys {
				inputs[key] = []byte(text)
			}
			run := experimenttest.Run(t)
			run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "own"}}
			_, errs, err := compile.Run(context.Background(), run, inputs)
			switch text := errs.ToAggregate(); {
			case err != nil:
				t.Fatal(err)
			case tc.want == "" && text != nil:
				t.Error(text)
			case tc.want != "" && (text == nil || !strings.Contains(text.Error(), tc.want)):
				t.Errorf("got %v, want %q", text, tc.want)
			}
		})
	}
}

func TestTwoEPPConfigurationsInOneTextAreAnError(t *testing.T) {
	two := configMapConfig + "\n---\n" + bareConfig
	_, errs := compileRun(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Inline: &two}
	})
	if len(errs) != 1 || !strings.Contains(errs[0], "endpointPickerConfig.inline") || !strings.Contains(errs[0], "has 2 EPP configurations") {
		t.Errorf("got %q", errs)
	}
}

// oldConfig has a type that only the oldest versions have.
const oldConfig = `apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins: [{type: kv-cache-scorer}, {type: single-profile-handler}, {type: max-score-picker}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: kv-cache-scorer, weight: 1}, {pluginRef: max-score-picker}]}]
`

func TestAutoPicksTheNewestVersionThatAcceptsTheFile(t *testing.T) {
	tests := map[string]struct{ text, version, warning string }{
		"all since the new group": {bareConfig, "router-main", "taken for router-main, the newest of"},
		"a newer apiVersion":      {strings.Replace(bareConfig, "v1alpha1", "v1", 1), "router-v0.11.0", "taken for router-v0.11.0, the only version of the EPP that accepts it, which was read from a downstream fork"},
		"an old type":             {oldConfig, "scheduler-v0.2.1", "taken for scheduler-v0.2.1, the newest of 2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := mustCompileRun(t, func(s *v1alpha1.Scenario) {
				s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: compile.AutoVersion, Inline: &tc.text}
			})
			picker := c.Plan.Scenario["router"].(experiment.Tree)["endpointPickerConfig"].(experiment.Tree)
			if picker[setup.VersionField] != tc.version {
				t.Errorf("version %v, want %s", picker[setup.VersionField], tc.version)
			}
			if warnings := strings.Join(c.Plan.Warnings, "\n"); !strings.Contains(warnings, "endpointPickerConfig.version: "+tc.warning) {
				t.Errorf("no %q in\n%s", tc.warning, warnings)
			}
		})
	}
}

func TestAutoIsAnErrorIfNoVersionAcceptsTheFile(t *testing.T) {
	text := strings.Replace(bareConfig, "llm-d.ai/v1alpha1", "llm-d.ai/v2", 1)
	_, errs := compileRun(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: compile.AutoVersion, Inline: &text}
	})
	if len(errs) != 2 || !strings.Contains(errs[0], `endpointPickerConfig.version: Invalid value: "auto": no version of the EPP accepts`) || !strings.Contains(errs[1], `inline.apiVersion: Invalid value: "llm-d.ai/v2": is newer than this tool knows`) {
		t.Errorf("got %q", errs)
	}
}

func TestApproximationsAreNotedOnce(t *testing.T) {
	c := mustCompileRun(t, func(s *v1alpha1.Scenario) {
		text := strings.Replace(bareConfig, "queue-scorer", "prefix-cache-scorer", 1)
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Inline: &text}
	})
	if a := c.Plan.Approximations; len(a) != 1 || !strings.HasPrefix(a[0], "token-producer: ") {
		t.Errorf("got %q", a)
	}
}

// TestWhatAFileSaysBesideItsConfigurationIsUsedOrNamed: a scenario has one EPP and scrapes
// every 50 ms unless it says otherwise.
func TestWhatAFileSaysBesideItsConfigurationIsUsedOrNamed(t *testing.T) {
	started := strings.Replace(helmConfig, "    pluginsConfigFile:", "    replicas: 3\n    flags: {refresh-metrics-interval: 5s, ha-enable-leader-election: false}\n    pluginsConfigFile:", 1)
	const at = "spec.scenario.router.endpointPickerConfig.inline: "
	const unused = at + "the simulation does not use what the file says in addition to the configuration: "
	for name, test := range map[string]struct {
		file   string
		router v1alpha1.Router
		want   []string
	}{
		"nothing is said": {helmConfig, v1alpha1.Router{}, nil},
		"nothing is used": {started, v1alpha1.Router{}, []string{unused + "replicas 3 (the scenario has 1) and metricsRefreshInterval 5s (the scenario has 50ms). State it in the scenario's router"}},
		"one is used":     {started, v1alpha1.Router{Replicas: 3}, []string{unused + "metricsRefreshInterval 5s (the scenario has 50ms). State it in the scenario's router"}},
		"all is used":     {started, v1alpha1.Router{Replicas: 3, MetricsRefreshInterval: "5s"}, nil},
		"one serves": {
			strings.Replace(started, "election: false", "election: true", 1), v1alpha1.Router{MetricsRefreshInterval: "5s"}, nil,
		},
		"the EPP's least": {strings.Replace(started, "5s", "10ms", 1), v1alpha1.Router{Replicas: 3}, nil},
		"another file is read": {
			strings.Replace(helmConfig, "pluginsConfigFile: own", "pluginsConfigFile: other", 1), v1alpha1.Router{},
			[]string{at + "the EPP does not read this configuration: pluginsConfigFile names other.yaml"},
		},
	} {
		c := mustCompileRun(t, func(s *v1alpha1.Scenario) {
			s.Router.Replicas, s.Router.MetricsRefreshInterval = test.router.Replicas, test.router.MetricsRefreshInterval
			s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Inline: &test.file}
		})
		var got []string
		for _, warning := range c.Plan.Warnings {
			if strings.HasPrefix(warning, at) {
				got = append(got, warning)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
