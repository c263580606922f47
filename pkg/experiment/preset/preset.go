// SPDX-License-Identifier: Apache-2.0

// Package preset gives clients the fields of a kind of traffic, such as a chatbot's. Each
// preset is a file with the fields of a client. What is simulated, and the key of a result,
// know the fields and not the preset: a client that spells them out gets the same results.
package preset

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

//go:embed clients
var files embed.FS

// Names returns the presets: what people do, then what harms others.
func Names() []v1alpha1.PresetName {
	return []v1alpha1.PresetName{
		v1alpha1.ChatbotPreset, v1alpha1.CodeCompletionPreset, v1alpha1.SummarizationPreset, v1alpha1.RAGPreset,
		v1alpha1.AgenticCodingPreset, v1alpha1.BatchPreset, v1alpha1.ReasoningPreset,
		v1alpha1.BurstyPreset, v1alpha1.OversizedPromptsPreset, v1alpha1.RapidFirePreset, v1alpha1.KVExhaustionPreset,
		v1alpha1.SynchronizedBurstsPreset, v1alpha1.CacheBustingPreset, v1alpha1.HotPrefixPreset,
	}
}

// Text returns the file of a preset: YAML with the fields of a client, and comments.
func Text(name v1alpha1.PresetName) (string, error) {
	raw, err := files.ReadFile("clients/" + Slug(name) + ".yaml")
	return string(raw), err
}

var wordEnd = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// Slug is the name of a preset in lower case, with dashes between its words.
func Slug(name v1alpha1.PresetName) string {
	return strings.ToLower(wordEnd.ReplaceAllString(string(name), "$1$3-$2$4"))
}

// Expand returns a scenario whose clients have the fields of their presets, with the
// schema's defaults, and no presets. The scenario stays as it is; without presets it is
// returned itself. It panics where a preset is unknown, which the schema excludes.
func Expand(in *v1alpha1.Scenario) *v1alpha1.Scenario {
	expanded := in
	for i := range in.Workload.Clients {
		if in.Workload.Clients[i].Preset == nil {
			continue
		}
		if expanded == in {
			expanded = in.DeepCopy()
		}
		client, err := expand(&in.Workload.Clients[i])
		if err != nil {
			panic(fmt.Sprintf("preset: client %s: %v", in.Workload.Clients[i].Name, err))
		}
		expanded.Workload.Clients[i] = *client
	}
	if expanded != in {
		setDefaults(expanded)
	}
	return expanded
}

// expand gives a client the fields of its preset.
func expand(in *v1alpha1.Client) (*v1alpha1.Client, error) {
	text, err := Text(in.Preset.Name)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		return nil, err
	}
	if in.Preset.Rate == "" {
		delete(fields, "arrivals")
	} else {
		fields["arrivals"].(map[string]any)["rate"] = string(in.Preset.Rate)
	}
	if prefix, ok := fields["prefix"].(map[string]any); ok {
		prefix["group"] = in.Name
	}
	of, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	stated, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	own := map[string]json.RawMessage{}
	all := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(of, &all), json.Unmarshal(stated, &own)); err != nil {
		return nil, err
	}
	maps.Copy(all, own)
	delete(all, "preset")
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	client := &v1alpha1.Client{}
	return client, yaml.UnmarshalStrict(raw, client)
}

// setDefaults sets the fields of a scenario that are not set to the schema's defaults.
func setDefaults(scenario *v1alpha1.Scenario) {
	run := &v1alpha1.SimulationRun{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SimulationRunKind},
		ObjectMeta: metav1.ObjectMeta{Name: "preset", Namespace: metav1.NamespaceDefault},
		Spec:       v1alpha1.SimulationRunSpec{Scenario: *scenario},
	}
	manifest.Default(run)
	*scenario = run.Spec.Scenario
}
