// SPDX-License-Identifier: Apache-2.0

package experiment

import "windtunnel.dev/windtunnel/pkg/promote"

// A pickerFile is an EPP configuration as it was given.
type pickerFile struct {
	text []byte
	// configMap and key say where it was; empty where it was inline. The key of a
	// file of the machine is its name without folders.
	configMap, key string
}

// names are what a wrapping of the file is called.
func (f *pickerFile) names(profile string) promote.Names {
	names := promote.Names{ConfigMap: f.configMap, Key: f.key}
	if names.ConfigMap == "" {
		names.ConfigMap = "endpoint-picker-config"
	}
	if names.Key == "" && profile != "" {
		names.Key = profile + ".yaml"
	}
	if names.Key == "" {
		names.Key = "endpoint-picker-config.yaml"
	}
	return names
}
