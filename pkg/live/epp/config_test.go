// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheConfigurationTakesItsEndpointsFromAFile(t *testing.T) {
	for name, tc := range map[string]struct{ config, renderer, want, fault string }{
		"a profile": {
			config: "kind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n",
			want: `dataLayer:
  discovery:
    pluginRef: windtunnel-endpoints
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- name: windtunnel-endpoints
  parameters:
    path: /f
    watchFile: true
  type: file-discovery
`,
		},
		"a data layer": {
			config: "dataLayer: {sources: []}",
			want: `dataLayer:
  discovery:
    pluginRef: windtunnel-endpoints
  sources: []
plugins:
- name: windtunnel-endpoints
  parameters:
    path: /f
    watchFile: true
  type: file-discovery
`,
		},
		"nothing": {
			want: `apiVersion: llm-d.ai/v1alpha1
dataLayer:
  discovery:
    pluginRef: windtunnel-endpoints
kind: EndpointPickerConfig
plugins:
- name: windtunnel-endpoints
  parameters:
    path: /f
    watchFile: true
  type: file-discovery
`,
		},
		"plugins that have prompts rendered": {
			config: `plugins:
- {type: token-producer, parameters: {modelName: llama}}
- {type: tokenizer, parameters: {vllm: {url: http://elsewhere, timeout: 1s}}}
- {type: token-producer, parameters: {estimate: {}}}
- {type: token-producer}
`,
			renderer: "http://127.0.0.1:8000",
			want: `dataLayer:
  discovery:
    pluginRef: windtunnel-endpoints
plugins:
- parameters:
    modelName: llama
    vllm:
      url: http://127.0.0.1:8000
  type: token-producer
- parameters:
    vllm:
      timeout: 1s
      url: http://127.0.0.1:8000
  type: tokenizer
- parameters:
    estimate: {}
  type: token-producer
- type: token-producer
- name: windtunnel-endpoints
  parameters:
    path: /f
    watchFile: true
  type: file-discovery
`,
		},
		"a tokenizer at a socket": {
			config: "plugins: [{type: tokenizer, parameters: {udsTokenizerConfig: {socketFile: /tmp/s}}}]", renderer: "http://127.0.0.1:8000",
			fault: "plugins[0].parameters.udsTokenizerConfig: there is no tokenizer at a socket: use vllm",
		},
		"another discovery": {config: "dataLayer: {discovery: {pluginRef: mine}}", fault: "dataLayer.discovery of its own"},
		"no YAML":           {config: "a: [", fault: "read the EndpointPickerConfig"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := (&Options{Config: []byte(tc.config), Renderer: tc.renderer}).document("/f")
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) {
					t.Errorf("the error is %v, want %q", err, tc.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("configuration (−want +got):\n%s", diff)
			}
		})
	}
}

func TestEndpointsHaveIPv4AddressesAndTextForPorts(t *testing.T) {
	got, err := endpointsFile([]Endpoint{{Name: "a", Address: netip.MustParseAddrPort("127.0.0.2:8000"), Labels: map[string]string{"llm-d.ai/role": "decode"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "endpoints:\n- address: 127.0.0.2\n  labels:\n    llm-d.ai/role: decode\n  name: a\n  port: \"8000\"\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("endpoints (−want +got):\n%s", diff)
	}
	if _, err := endpointsFile([]Endpoint{{Name: "a", Address: netip.MustParseAddrPort("[::1]:8000")}}); err == nil {
		t.Error("an IPv6 address was taken")
	}
}
