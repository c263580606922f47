// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"net/netip"
	"strconv"

	"sigs.k8s.io/yaml"
)

// discoveryName is the name of the plugin that reads the file of endpoints.
const discoveryName = "windtunnel-endpoints"

// Endpoint is one replica that the EPP may choose.
type Endpoint struct {
	Name string
	// Address is where it serves HTTP; IPv4, as the EPP wants it.
	Address netip.AddrPort
	Labels  map[string]string
}

// endpointsDocument is what the file says that the plugin file-discovery reads.
type endpointsDocument struct {
	Endpoints []endpointEntry `json:"endpoints"`
}

// endpointEntry is an Endpoint in the file.
type endpointEntry struct {
	Name    string            `json:"name"`
	Address string            `json:"address"`
	Port    string            `json:"port"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// endpointsFile is the content of the file.
func endpointsFile(endpoints []Endpoint) ([]byte, error) {
	var entries []endpointEntry
	for _, e := range endpoints {
		if !e.Address.Addr().Is4() {
			return nil, fmt.Errorf("endpoint %s: the EPP takes IPv4 addresses from a file, got %s", e.Name, e.Address)
		}
		entries = append(entries, endpointEntry{e.Name, e.Address.Addr().String(), strconv.Itoa(int(e.Address.Port())), e.Labels})
	}
	return yaml.Marshal(endpointsDocument{entries})
}

// document is the EndpointPickerConfig as it takes its endpoints from a file, if one is named, and has prompts
// rendered. The rest stays as it is.
func (o *Options) document(file string) ([]byte, error) {
	var document map[string]any
	if err := yaml.UnmarshalStrict(o.Config, &document); err != nil {
		return nil, fmt.Errorf("read the EndpointPickerConfig: %w", err)
	}
	if document == nil {
		document = map[string]any{"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
	}
	plugins, _ := document["plugins"].([]any)
	if o.Renderer != "" {
		if err := renderAt(plugins, o.Renderer); err != nil {
			return nil, err
		}
	}
	if o.Speed != 1 && o.Speed != 0 {
		if err := slow(document, o.Speed); err != nil {
			return nil, err
		}
	}
	if file != "" {
		if err := discoverFrom(file, document); err != nil {
			return nil, err
		}
	}
	return yaml.Marshal(document)
}

// discoverFrom has an EndpointPickerConfig take its endpoints from a file.
func discoverFrom(file string, document map[string]any) error {
	plugins, _ := document["plugins"].([]any)
	document["plugins"] = append(plugins, map[string]any{
		"name": discoveryName, "type": "file-discovery",
		"parameters": map[string]any{"path": file, "watchFile": true},
	})
	data, _ := document["dataLayer"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	if other, taken := data["discovery"]; taken {
		return fmt.Errorf("the EndpointPickerConfig has a dataLayer.discovery of its own: %v", other)
	}
	data["discovery"] = map[string]any{"pluginRef": discoveryName}
	document["dataLayer"] = data
	return nil
}

// renderAt has the plugins that ask a vLLM for the tokens of a prompt ask the one at a URL.
func renderAt(plugins []any, url string) error {
	for i := range plugins {
		plugin, _ := plugins[i].(map[string]any)
		if kind := plugin["type"]; kind != "token-producer" && kind != "tokenizer" {
			continue
		}
		parameters, _ := plugin["parameters"].(map[string]any)
		if parameters["udsTokenizerConfig"] != nil {
			return fmt.Errorf("plugins[%d].parameters.udsTokenizerConfig: there is no tokenizer at a socket: use vllm", i)
		}
		renderer, _ := parameters["vllm"].(map[string]any)
		if renderer == nil && parameters["modelName"] == nil {
			continue // it estimates tokens
		}
		if renderer == nil {
			renderer = map[string]any{}
			parameters["vllm"] = renderer
		}
		renderer["url"] = url
	}
	return nil
}
