// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// at is the path of a field of the document.
func at(names ...string) *field.Path { return field.NewPath(names[0], names[1:]...) }

// list is how messages list names.
func list(names []string) string { return strings.Join(names, ", ") }

// keys are the names of a mapping's entries, in order.
func keys(n *yamlv3.Node) []string {
	if n = resolve(n); n == nil || n.Kind != yamlv3.MappingNode {
		return nil
	}
	var all []string
	for i := 0; i < len(n.Content); i += 2 {
		all = append(all, n.Content[i].Value)
	}
	return all
}

// valueAt is the value of the field that a path leads to, or nil.
func valueAt(root *yamlv3.Node, path string) *yamlv3.Node {
	n := root
	for _, step := range steps(path) {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(items(n)) {
			n = resolve(items(n)[i])
			continue
		}
		n = child(n, step)
	}
	return n
}

// given is the number that is written for a parameter, if one is.
func given(p *plugin, name string) (float64, bool) {
	if !p.isSet(name) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text(child(p.given, name)), 64)
	return n, err == nil
}

// roles are the uses of the plugin's type.
func (p *plugin) roles() []string { return epp.RolesOf(p.Type) }

// sinceRouter09 reports whether the version is router-v0.9 or a later one, where
// the prefix index got its floor and parameters became strict.
func (p *pass) sinceRouter09() bool {
	return slices.Index(version.Names(), p.version) >= slices.Index(version.Names(), "router-v0.9.0")
}

// A writtenEntry is a plugin in a profile, as the document has it.
type writtenEntry struct {
	profile  string
	path     *field.Path
	plugin   *plugin // nil if nothing has that name
	weighted bool
	weight   float64
}

// eachEntry visits the plugins of the document's profiles.
func (p *pass) eachEntry(visit func(writtenEntry)) {
	for i, profile := range items(p.written("schedulingProfiles")) {
		for j, item := range items(child(profile, "plugins")) {
			e := writtenEntry{
				profile: text(child(profile, "name")),
				path:    at("schedulingProfiles").Index(i).Child("plugins").Index(j),
				plugin:  p.plugin(text(child(item, "pluginRef"))),
			}
			if weight := child(item, "weight"); weight != nil && weight.ShortTag() != "!!null" {
				n, err := strconv.ParseFloat(weight.Value, 64)
				e.weighted, e.weight = err == nil, n
			}
			visit(e)
		}
	}
}
