// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// The digests of the texts "a" and "b".
const (
	digestOfA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	digestOfB = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"
)

// A verdict on one EPP file is none on another.
func TestAVerdictIsAboutOneFile(t *testing.T) {
	inline := func(text string) v1alpha1.EndpointPickerConfig { return v1alpha1.EndpointPickerConfig{Inline: &text} }
	from := func(name, key string) v1alpha1.EndpointPickerConfig {
		return v1alpha1.EndpointPickerConfig{ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: name, Key: key}}
	}
	inputs := []v1alpha1.InputDigest{{Name: "ConfigMap/now/epp.yaml", SHA256: digestOfA}, {Name: "ConfigMap/next/epp.yaml", SHA256: digestOfB}}
	for name, tc := range map[string]struct {
		scenario v1alpha1.EndpointPickerConfig
		proposal *v1alpha1.Proposal
		digest   string
		want     int
	}{
		"no demand":                               {scenario: inline("a"), want: 200},
		"a text in the scenario":                  {scenario: inline("a"), digest: digestOfA, want: 200},
		"another text in the scenario":            {scenario: inline("a"), digest: digestOfB, want: 409},
		"a text that is proposed":                 {scenario: inline("a"), proposal: &v1alpha1.Proposal{EndpointPickerConfig: inline("b")}, digest: digestOfB, want: 200},
		"the text before the proposal":            {scenario: inline("a"), proposal: &v1alpha1.Proposal{EndpointPickerConfig: inline("b")}, digest: digestOfA, want: 409},
		"a ConfigMap that is proposed":            {scenario: from("now", ""), proposal: &v1alpha1.Proposal{EndpointPickerConfig: from("next", "epp.yaml")}, digest: digestOfB, want: 200},
		"the ConfigMap before the proposal":       {scenario: from("now", ""), proposal: &v1alpha1.Proposal{EndpointPickerConfig: from("next", "epp.yaml")}, digest: digestOfA, want: 409},
		"a ConfigMap whose key is derived":        {scenario: from("now", ""), digest: digestOfA, want: 200},
		"another key of the ConfigMap":            {scenario: from("now", "values.yaml"), digest: digestOfA, want: 409},
		"a ConfigMap that was not read":           {scenario: from("other", ""), digest: digestOfA, want: 409},
		"a sweep that names no EPP configuration": {digest: digestOfA, want: 409},
	} {
		t.Run(name, func(t *testing.T) {
			s := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
			s.Spec.Scenario.Router.EndpointPickerConfig, s.Spec.Proposal, s.Status.Inputs = tc.scenario, tc.proposal, inputs
			path := pathOfX
			if tc.digest != "" {
				path += "?sha256=" + tc.digest
			}
			if w, _ := get(t, newReader(t, s), readsObjects, path); w.Code != tc.want {
				t.Errorf("%d %s, want %d", w.Code, w.Body, tc.want)
			}
		})
	}
}
