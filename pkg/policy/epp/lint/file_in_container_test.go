// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFilesInTheContainer: each file that the version reads has a note of its own,
// which says what to mount at which path.
func TestFilesInTheContainer(t *testing.T) {
	const scorers = "- type: queue-scorer\n- type: prefix-cache-scorer\n"
	const discovery = "dataLayer: {discovery: {pluginRef: "
	for name, tc := range map[string]struct {
		text, version string
		want          []string
	}{
		"certificates of metrics": {
			text: "plugins:\n- {type: metrics-data-source, parameters: {scheme: https, caCertPath: /etc/ca/ca.crt, clientCertPath: /etc/tls/tls.crt, clientKeyPath: /etc/tls/tls.key}}\n" + scorers,
			want: []string{
				"plugins[0].parameters.caCertPath: metrics-data-source opens /etc/ca/ca.crt in the EPP's container: mount a ConfigMap or Secret with the CA's certificate at /etc/ca",
				"plugins[0].parameters.clientCertPath: metrics-data-source opens /etc/tls/tls.crt in the EPP's container: mount a Secret with the client's certificate at /etc/tls",
				"plugins[0].parameters.clientKeyPath: metrics-data-source opens /etc/tls/tls.key in the EPP's container: mount a Secret with the client's key at /etc/tls",
			},
		},
		"a certificate of models, by a relative path": {
			text: "plugins:\n- {name: models, type: models-data-source, parameters: {caCertPath: ca.crt}}\n" + scorers,
			want: []string{"plugins[0].parameters.caCertPath: models opens ca.crt in the EPP's container: write an absolute path, and mount a ConfigMap or Secret with the CA's certificate at its folder"},
		},
		"certificates of other clusters": {
			text: "plugins:\n- {type: multicluster-metrics-data-source, parameters: {caCertPath: /ca/ca.crt}}\n" + scorers,
			want: []string{"plugins[0].parameters.caCertPath: multicluster-metrics-data-source opens /ca/ca.crt in the EPP's container: mount a ConfigMap or Secret with the CA's certificate at /ca"},
		},
		"a certificate that the version passes over": {
			text:    "plugins:\n- {type: metrics-data-source, parameters: {scheme: https, caCertPath: /etc/ca/ca.crt}}\n" + scorers,
			version: "scheduler-520af478",
		},
		"a list of endpoints": {
			text: "plugins:\n- {type: file-discovery, parameters: {path: /etc/endpoints/list.yaml}}\n" + scorers + discovery + "file-discovery}}\n",
			want: []string{"plugins[0].parameters.path: file-discovery opens /etc/endpoints/list.yaml in the EPP's container: mount a ConfigMap with the list of endpoints at /etc/endpoints"},
		},
		"a list of other clusters": {
			text: "plugins:\n- {type: multicluster-file-discovery, parameters: {path: /etc/clusters/list.yaml}}\n" + scorers + discovery + "multicluster-file-discovery}}\n",
			want: []string{"plugins[0].parameters.path: multicluster-file-discovery opens /etc/clusters/list.yaml in the EPP's container: mount a ConfigMap with the list of endpoints at /etc/clusters"},
		},
		"a tokenizer's socket": {
			text:    "plugins:\n- {type: token-producer, parameters: {modelName: m, udsTokenizerConfig: {socketFile: /tmp/tokenizer/uds.socket}}}\n" + scorers,
			version: "scheduler-520af478",
			want:    []string{"plugins[0].parameters.udsTokenizerConfig.socketFile: token-producer opens /tmp/tokenizer/uds.socket in the EPP's container: mount an emptyDir that the tokenizer's container shares at /tmp/tokenizer"},
		},
		"a tokenizer behind TCP": {
			text:    "plugins:\n- {type: token-producer, parameters: {modelName: m, udsTokenizerConfig: {socketFile: 'tokenizer:50051', useTCP: true}}}\n" + scorers,
			version: "scheduler-520af478",
		},
		"a precise scorer's socket": {
			text:    "plugins:\n- {type: precise-prefix-cache-scorer, parameters: {indexerConfig: {tokenizersPoolConfig: {modelName: m, uds: {socketFile: /sock/uds}}}}}\n- type: queue-scorer\n",
			version: "scheduler-v0.8.0",
			want:    []string{"plugins[0].parameters.indexerConfig.tokenizersPoolConfig.uds.socketFile: precise-prefix-cache-scorer opens /sock/uds in the EPP's container: mount an emptyDir that the tokenizer's container shares at /sock"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			group := "llm-d.ai/v1alpha1"
			if tc.version == "scheduler-v0.8.0" {
				group = "inference.networking.x-k8s.io/v1alpha1"
			}
			text := []byte("apiVersion: " + group + "\nkind: EndpointPickerConfig\n" + tc.text)
			found := Check(text, tc.version, Context{})
			if slices.ContainsFunc(found, func(f Finding) bool { return f.Severity == Error }) {
				t.Fatalf("the version refuses it: %+v", found)
			}
			var got []string
			for _, f := range found {
				if f.Rule == fileInContainer.ID {
					got = append(got, f.Path+": "+f.Message)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}
