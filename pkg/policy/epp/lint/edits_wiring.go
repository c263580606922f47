// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// wiring lists an endpoint source that tells a precise plugin of the engines. It does
// so in block style only, where the file lists no such source yet and the plugin
// listens to the engines that it discovers: otherwise there is more than one way.
func (m *editFinder) wiring(path []string) []candidate {
	l, ok := m.last("plugins[" + path[1] + "]")
	if !ok || edit.IsFlow(m.Root) || edit.IsFlow(l.parent) || m.listsType(endpointSource) || !m.discovers(nameOf(l.value())) {
		return nil
	}
	source := m.InsertAfter(l.parent, len(l.parent.Content)-1, []string{"- type: " + endpointSource}, "")
	layer := m.sourceOf(nameOf(l.value()))
	if source == nil || layer == nil {
		return nil
	}
	if source[0].Start == layer[0].Start {
		source[0].Text += layer[0].Text // plugins end the document
		layer = nil
	}
	return []candidate{{splices: append(source, layer...), types: []string{endpointSource}}}
}

// sourceOf makes a plugin an extractor of the endpoint source in dataLayer.sources.
func (m *editFinder) sourceOf(name string) []edit.Splice {
	item := []string{"- pluginRef: " + endpointSource, "  extractors:", "  - pluginRef: " + name}
	layer := child(m.Root, "dataLayer")
	if layer == nil {
		lines := []string{"dataLayer:", "  sources:"}
		for _, line := range item {
			lines = append(lines, "  "+line)
		}
		return m.append(m.Root, lines)
	}
	sources := child(layer, "sources")
	switch {
	case sources == nil && layer.Kind == yamlv3.MappingNode && len(layer.Content) > 0 && !edit.IsFlow(layer):
		return m.append(layer, append([]string{"sources:"}, item...))
	case len(items(sources)) > 0 && !edit.IsFlow(sources):
		return m.InsertAfter(sources, len(sources.Content)-1, item, "")
	}
	return nil
}

// append adds lines at the end of a mapping in block style.
func (m *editFinder) append(n *yamlv3.Node, lines []string) []edit.Splice {
	return m.InsertLines(m.BlockEnd(n, len(n.Content)-2, 2), strings.Repeat(" ", n.Column-1), lines)
}

func (m *editFinder) listsType(typeName string) bool {
	return slices.ContainsFunc(items(child(m.Root, "plugins")), func(item *yamlv3.Node) bool { return text(child(item, "type")) == typeName })
}

// discovers reports whether a precise plugin listens to engines that an endpoint source announces.
func (m *editFinder) discovers(name string) bool {
	if m.verdict.Config == nil {
		return false
	}
	for _, w := range epp.PreciseWirings(m.verdict.Config) {
		if w.Name == name {
			return w.Discovers
		}
	}
	return false
}
