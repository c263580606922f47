// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormSaysWhatAFileHolds(t *testing.T) {
	const bare = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: []\n"
	const helm = "router:\n  epp:\n    pluginsCustomConfig:\n      a.yaml: |\n        kind: EndpointPickerConfig\n"
	const configMap = "kind: ConfigMap\nmetadata: {name: epp}\ndata:\n  a.yaml: |\n    kind: EndpointPickerConfig\n"
	for file, want := range map[string][4]string{
		bare:                  {bareForm, bareForm, configMapForm, helmForm},
		helm:                  {helmForm, bareForm, configMapForm, helmForm},
		configMap:             {configMapForm, bareForm, configMapForm, helmForm},
		"replicas: 3\n":       {"no EPP configuration", bareForm, configMapForm, helmForm},
		"a: [\n":              {"no EPP configuration", bareForm, configMapForm, helmForm},
		bare + "---\n" + bare: {"several EPP configurations", bareForm, configMapForm, helmForm},
		"inline: |\n  kind: EndpointPickerConfig\n": {"an EPP configuration at inline", bareForm, configMapForm, helmForm},
	} {
		var got [4]string
		for f := Source; f <= HelmValues; f++ {
			got[f] = FormIn(f, []byte(file))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (−want +got):\n%s", file, diff)
		}
	}
}
