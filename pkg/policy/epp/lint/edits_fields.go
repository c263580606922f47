// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// renamedFields are fields of the document, old and new ones.
var renamedFields = [][2]string{{"data", "dataLayer"}}

// droppedFields say nothing that a version without them could do.
var droppedFields = []string{"metadata", "defaultRequestTTL", "noEndpointRequestTTL", "crossReplicaSyncInterval", "crossReplicaSyncerPluginRef", "peerDiscovery", "injectDefaults"}

// detectorSettings are what saturationDetector held before it was a reference.
var detectorSettings = []string{"queueDepthThreshold", "kvCacheUtilThreshold", "metricsStalenessThreshold"}

// field mends one that the document does not have.
func (m *editFinder) field(f *Finding, path []string) []candidate {
	if len(path) == 0 {
		return nil
	}
	name := path[len(path)-1]
	var all []candidate
	for _, pair := range renamedFields {
		for i := range pair {
			if len(path) == 1 && pair[i] == name {
				all = append(all, candidate{splices: m.renameKey(f.Path, pair[1-i])})
			}
		}
	}
	switch {
	case len(path) == 2 && path[0] == "saturationDetector" && slices.Contains(detectorSettings, name):
		all = append(all, m.detector())
	case len(path) == 1 && (name == "saturationDetector" || name == "parser"):
		all = append(all, m.successor(f, path)...)
	case strings.HasPrefix(name, "-"):
		all = append(all, candidate{splices: m.element(f.Path, name)})
	}
	if known := nearest(name, namesIn(f.Message)); known != "" {
		all = append(all, candidate{splices: m.renameKey(f.Path, known)})
	}
	if m.deleteUnknown && slices.Contains(droppedFields, name) {
		all = append(all, candidate{splices: m.removeAt(f.Path)})
	}
	return all
}

// element makes an element of a list of a key such as -pluginRef, which lacks a
// blank.
func (m *editFinder) element(path, name string) []edit.Splice {
	l, ok := m.last(path)
	if !ok || l.key() == nil {
		return nil
	}
	return m.Replace(l.key(), "- "+strings.TrimLeft(name, "-"))
}

// detector makes a utilization-detector of the thresholds that stood in
// saturationDetector.
func (m *editFinder) detector() candidate {
	const typeName = "utilization-detector"
	section := child(m.Root, "saturationDetector")
	list := child(m.Root, "plugins")
	if section == nil || len(items(list)) == 0 || slices.Contains(pluginNames(m.Root), typeName) {
		return candidate{}
	}
	lines, flow := []string{"- type: " + typeName, "  parameters:"}, []string{}
	for i := 0; i+1 < len(section.Content); i += 2 {
		setting := section.Content[i].Value + ": " + section.Content[i+1].Value
		lines, flow = append(lines, "    "+setting), append(flow, setting)
	}
	insert := m.InsertAfter(list, len(list.Content)-1, lines, "{type: "+typeName+", parameters: {"+strings.Join(flow, ", ")+"}}")
	remove := m.removeAt("saturationDetector")
	if insert == nil || remove == nil {
		return candidate{}
	}
	// The detector of this name is the one that is used by default.
	return candidate{splices: append(insert, remove...), types: []string{typeName}}
}

// replacedByHand are types whose successor is more than another type: two plugins, or a
// gateway of some version.
var replacedByHand = []string{"precise-prefix-cache-scorer", "data-parallel-profile-handler"}

// successor mends what is deprecated.
func (m *editFinder) successor(f *Finding, path []string) []candidate {
	switch {
	case f.Path == "apiVersion":
		return []candidate{{splices: m.replaceAt(f.Path, apiVersions[0])}}
	case f.Path == "saturationDetector":
		return []candidate{{splices: m.moveInto(f.Path, "flowControl", func(ref string) []string {
			return []string{"saturationDetector:", "  pluginRef: " + ref}
		})}}
	case f.Path == "parser":
		return []candidate{{splices: m.moveInto(f.Path, "requestHandler", func(ref string) []string {
			return []string{"parsers:", "- pluginRef: " + ref}
		})}}
	case len(path) == 3 && path[0] == "plugins" && path[2] == "type":
		if slices.Contains(replacedByHand, text(valueAt(m.Root, f.Path))) {
			return nil
		}
		return m.rename(f.Path)
	case len(path) > 3 && path[2] == "parameters" && strings.Contains(f.Message, "no effect") && !strings.Contains(f.Message, "no effect on"):
		return []candidate{{splices: m.removeAt(f.Path)}}
	case len(path) > 3 && path[2] == "parameters":
		typeName := text(child(valueAt(m.Root, "plugins["+path[1]+"]"), "type"))
		if names, ok := renamedParameters[typeName]; ok && names[0] == path[len(path)-1] {
			return []candidate{{splices: m.renameKey(f.Path, names[1])}}
		}
	}
	return nil
}

// moveInto takes a reference at the top of the document into a section, in
// block style only.
func (m *editFinder) moveInto(path, section string, lines func(ref string) []string) []edit.Splice {
	ref := text(child(m.Root, path, "pluginRef"))
	l, ok := m.last(path)
	if !ok || ref == "" || edit.IsFlow(l.parent) || l.parent != m.Root {
		return nil
	}
	if into := child(m.Root, section); into != nil {
		if len(into.Content) == 0 || edit.IsFlow(into) || keyIndex(into, steps(lines(ref)[0])[0]) >= 0 {
			return nil
		}
		first := into.Content[0]
		remove := m.removeAt(path)
		if remove == nil {
			return nil
		}
		return append(m.InsertLines(m.Lines[first.Line-1], strings.Repeat(" ", first.Column-1), lines(ref)), remove...)
	}
	all := []string{section + ":"}
	for _, line := range lines(ref) {
		all = append(all, "  "+line)
	}
	start, ok := m.Offset(l.key())
	if !ok {
		return nil
	}
	end := m.BlockEnd(l.parent, 2*l.index, 2)
	indent := strings.Repeat(" ", l.key().Column-1)
	text := all[0]
	for _, line := range all[1:] {
		text += m.LineBreak() + indent + line
	}
	if end > start && strings.HasSuffix(m.Text[:end], "\n") {
		text += m.LineBreak()
	}
	return edit.Replacing(start, end, text)
}
