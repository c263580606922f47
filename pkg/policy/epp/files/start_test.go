// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const startedConfig = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: [{type: queue-scorer}]\n"

// deeper indents a text as a block of YAML below a key.
func deeper(columns int, text string) string {
	pad := strings.Repeat(" ", columns)
	return "|\n" + pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad) + "\n"
}

// TestAFileSaysHowTheEPPIsStarted: values of charts at any depth, of which each is about
// its own configurations, and Deployments of rendered charts.
func TestAFileSaysHowTheEPPIsStarted(t *testing.T) {
	values := "epp:\n  replicas: 3\n  flags: {ha-enable-leader-election: false, allow-experimental-plugins: true, refresh-metrics-interval: 5s}\n" +
		"  pluginsConfigFile: a.yaml\n  pluginsCustomConfig:\n    a.yaml: " + deeper(6, startedConfig)
	router := "router:\n  " + strings.TrimSuffix(strings.ReplaceAll(values, "\n", "\n  "), "  ")
	bare := strings.ReplaceAll(strings.ReplaceAll(values, "replicas: 3", "replicas: 1"), "  flags: {ha-enable-leader-election: false, allow-experimental-plugins: true, refresh-metrics-interval: 5s}\n", "")
	configMap := "kind: ConfigMap\nmetadata: {name: epp}\ndata:\n  a.yaml: " + deeper(4, startedConfig)
	deployment := func(name, args string) string {
		return "kind: Deployment\nmetadata: {name: epp}\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers: [{name: epp, args: [" + args + "]}]\n" +
			"      volumes: [{name: config, configMap: {name: " + name + "}}]\n"
	}
	const flags = "--config-file, /config/a.yaml, --refresh-metrics-interval=5s, --allow-experimental-plugins"
	all := Start{By: "Helm values", Replicas: 3, ScrapeInterval: 5 * time.Second, Experimental: true}
	leader := all
	leader.Replicas, leader.Standby = 1, 2
	rendered, renderedLeader := all, leader
	rendered.By, renderedLeader.By = "Deployment epp", "Deployment epp"
	service := func(config string) string {
		return "kind: LLMInferenceService\nmetadata: {name: qwen}\nspec:\n  router:\n    scheduler:\n      replicas: 2\n" + config +
			"      template: {containers: [{name: main, args: [--refresh-metrics-interval=5s]}]}\n"
	}
	served := Start{By: "LLMInferenceService qwen", Replicas: 1, Standby: 1, ScrapeInterval: 5 * time.Second}
	servedInline := served
	servedInline.Tokenizes = true
	for name, test := range map[string]struct {
		file string
		want []Start
	}{
		"values":                   {router, []Start{all}},
		"values of an older chart": {strings.Replace(values, "epp:", "inferenceExtension:", 1), []Start{all}},
		"a list of flags": {strings.Replace(router, "{ha-enable-leader-election: false, allow-experimental-plugins: true, refresh-metrics-interval: 5s}",
			"[{name: v, value: 1}, {name: ha-enable-leader-election, value: false}, {name: allow-experimental-plugins, value: true}, {name: refresh-metrics-interval, value: 5s}]", 1), []Start{all}},
		"values of EPPs that elect a leader, as charts do": {strings.Replace(router, "ha-enable-leader-election: false, ", "", 1), []Start{leader}},
		"a rendered chart of EPPs that elect a leader":     {configMap + "---\n" + deployment("epp", "--ha-enable-leader-election, "+flags), []Start{renderedLeader}},
		"the last flag counts":                             {configMap + "---\n" + deployment("epp", "--ha-enable-leader-election, --ha-enable-leader-election=false, "+flags), []Start{rendered}},
		"values of a HelmRelease":                          {"kind: HelmRelease\nmetadata: {name: h}\nspec:\n  values:\n    " + strings.ReplaceAll(router, "\n", "\n    "), []Start{all}},
		"values of a chart of charts":                      {"llm-d:\n  " + strings.ReplaceAll(router, "\n", "\n  "), []Start{all}},
		"values in an Argo Application":                    {"kind: Application\nmetadata: {name: a}\nspec: {source: {helm: {}}}\nvalues: " + deeper(2, router), []Start{all}},
		"a stream of values":                               {router + "---\n" + bare, []Start{all, {By: "Helm values", Replicas: 1}}},
		"a rendered chart":                                 {configMap + "---\n" + deployment("epp", flags), []Start{rendered}},
		"a rendered chart, Deployment first":               {deployment("epp", flags) + "---\n" + configMap, []Start{rendered}},
		"a Deployment of another ConfigMap":                {configMap + "---\n" + deployment("other", flags), []Start{{}}},
		"a Deployment of another file":                     {configMap + "---\n" + deployment("epp", "--config-file=/config/b.yaml"), []Start{{}}},
		"a flag that is false":                             {configMap + "---\n" + deployment("epp", "--config-file=/config/a.yaml, --allow-experimental-plugins=false"), []Start{{By: "Deployment epp", Replicas: 3}}},
		"another file is read": {
			"# c\n---\n" + strings.Replace(bare, "pluginsConfigFile: a", "pluginsConfigFile: b", 1),
			[]Start{{By: "Helm values", Replicas: 1, OtherFile: "b.yaml", OtherLine: 5}},
		},
		"a service of KServe": {"kind: LLMInferenceService\nmetadata: {name: a}\nspec:\n  router:\n    scheduler:\n      config:\n        inline:\n          " +
			strings.ReplaceAll(startedConfig, "\n", "\n          "), []Start{{By: "LLMInferenceService a", Tokenizes: true}}},
		"an argument": {
			strings.Replace(deployment("epp", "--config-text, 'kind: EndpointPickerConfig', --ha-enable-leader-election"), "metadata: {name: epp}", "metadata: {name: e}", 1),
			[]Start{{By: "Deployment e", Replicas: 1, Standby: 2}},
		},
		"a service of KServe with two EPPs":    {service("      config: {inline: {kind: EndpointPickerConfig}}\n"), []Start{servedInline}},
		"a service of KServe with a ConfigMap": {service("      config: {ref: {name: epp, key: a.yaml}}\n") + "---\n" + configMap, []Start{served}},
		"a bare configuration":                 {startedConfig, []Start{{}}},
	} {
		sources, err := Find([]byte(test.file))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, test.file)
			continue
		}
		var got []Start
		for i := range sources {
			got = append(got, sources[i].Start)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, test.file)
		}
	}
}
