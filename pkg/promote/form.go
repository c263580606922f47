// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// Words for what a file holds.
const (
	bareForm      = "an EndpointPickerConfig alone"
	configMapForm = "a ConfigMap"
	helmForm      = "Helm values"
)

// Form says in words what a file holds: which wrapping of an EPP configuration, or that it
// holds none or several.
func Form(file []byte) string {
	sources, err := files.Find(file)
	switch {
	case err != nil || len(sources) == 0:
		return "no EPP configuration"
	case len(sources) > 1:
		return "several EPP configurations"
	}
	switch name := sources[0].Name; formatOf(name) {
	case ConfigMap:
		return configMapForm
	case HelmValues:
		return helmForm
	default:
		if name == "" {
			return bareForm
		}
		return "an EPP configuration at " + name
	}
}

// FormIn says in words what [Rewritten.In] makes of a file in a format.
func FormIn(f Format, file []byte) string {
	switch f {
	case Document:
		return bareForm
	case ConfigMap:
		return configMapForm
	case HelmValues:
		return helmForm
	default:
		return Form(file)
	}
}

// formatOf is the format of a configuration that stands in a file under a name.
func formatOf(name string) Format {
	switch {
	case strings.HasPrefix(name, "ConfigMap "):
		return ConfigMap
	case strings.Contains(name, "pluginsCustomConfig"):
		return HelmValues
	}
	return Source
}
