// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// renamed are types that do under another name what they did, old and new ones.
// Their parameters are the same, or are mended after the type.
var renamed = [][2]string{
	{"kv-cache-scorer", "kv-cache-utilization-scorer"},
	{"by-label-selector", "label-selector-filter"},
	{"tokenizer", "token-producer"},
	{"model-server-protocol-metrics", "core-metrics-extractor"},
	{"model-server-protocol-models", "models-data-extractor"},
}

// rename gives a plugin the name that its type has in this version, or the one
// that was meant.
func (m *editFinder) rename(path string) []candidate {
	old := text(valueAt(m.Root, path))
	var all []candidate
	for _, pair := range renamed {
		for i := range pair {
			if pair[i] == old {
				all = append(all, m.renameTo(path, pair[1-i]))
			}
		}
	}
	if known := nearest(old, epp.TypeNames()); known != "" {
		all = append(all, m.renameTo(path, known))
	}
	return all
}

// renameTo changes a type, and the references to a plugin that is called after
// it.
func (m *editFinder) renameTo(path, typeName string) candidate {
	l, ok := m.last(path)
	if !ok {
		return candidate{}
	}
	c := candidate{splices: m.Replace(l.value(), typeName), types: []string{typeName}}
	if c.splices == nil || child(l.parent, "name") != nil {
		return c
	}
	if slices.Contains(pluginNames(m.Root), typeName) {
		return candidate{} // The name is taken.
	}
	for _, n := range references(m.Root, l.value().Value) {
		if n == l.value() {
			continue
		}
		edit := m.Replace(n, typeName)
		if edit == nil {
			return candidate{}
		}
		c.splices = append(c.splices, edit...)
	}
	return c
}

// references are the scalars that may name a plugin: all but types, names and
// what is a parameter of another kind.
func references(n *yamlv3.Node, name string) []*yamlv3.Node {
	var found []*yamlv3.Node
	switch n.Kind {
	case yamlv3.SequenceNode:
		for _, item := range n.Content {
			found = append(found, references(item, name)...)
		}
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			isName := value.Kind == yamlv3.ScalarNode && value.Value == name
			switch {
			case isName && (strings.HasSuffix(key, "Ref") || strings.HasSuffix(key, "Name") || key == "prefill" || key == "encode"):
				found = append(found, value)
			case value.Kind != yamlv3.ScalarNode:
				found = append(found, references(value, name)...)
			}
		}
	}
	return found
}

// nearest is the known name that was probably meant, or "".
func nearest(name string, known []string) string {
	best, found := len(name)/4+1, ""
	for _, k := range known {
		if d := spelling.Distance(strings.ToLower(name), strings.ToLower(k)); d > 0 && d < best || d == 0 && k != name {
			best, found = d, k
		}
	}
	return found
}

// nameOf is the name of a plugin's entry.
func nameOf(entry *yamlv3.Node) string {
	if name := text(child(entry, "name")); name != "" {
		return name
	}
	return text(child(entry, "type"))
}
