// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// parse returns the root of a text, or nil where it is no YAML or empty.
func parse(text []byte) *yamlv3.Node { return edit.Parse(text) }

// resolve follows an alias.
func resolve(n *yamlv3.Node) *yamlv3.Node {
	if n != nil && n.Kind == yamlv3.AliasNode {
		return n.Alias
	}
	return n
}

// member returns a key of a mapping and its value, or nil.
func member(n *yamlv3.Node, name string) (key, value *yamlv3.Node) {
	if n = resolve(n); n == nil || n.Kind != yamlv3.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], resolve(n.Content[i+1])
		}
	}
	return nil, nil
}

// child is the value of a mapping's key, or nil.
func child(n *yamlv3.Node, names ...string) *yamlv3.Node {
	for _, name := range names {
		_, n = member(n, name)
	}
	return n
}

// items are the elements of a list, or nil.
func items(n *yamlv3.Node) []*yamlv3.Node {
	if n = resolve(n); n == nil || n.Kind != yamlv3.SequenceNode {
		return nil
	}
	return n.Content
}

// text is a scalar's, or "".
func text(n *yamlv3.Node) string {
	if n = resolve(n); n == nil || n.Kind != yamlv3.ScalarNode {
		return ""
	}
	return n.Value
}

// locate returns the node that a field's path leads to: the key of a mapping's
// entry, or the element of a list. Where the path leaves the document it is the
// last node on the way.
func locate(root *yamlv3.Node, path string) *yamlv3.Node {
	here, at := root, root
	for _, step := range steps(path) {
		var next *yamlv3.Node
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(items(here)) {
			next = resolve(items(here)[i])
			here, at = next, next
			continue
		}
		key, value := member(here, step)
		if key == nil {
			break
		}
		here, at = value, key
	}
	return at
}

// steps are the names and indices of a path such as plugins[2].parameters.x.
func steps(path string) []string {
	var all []string
	for path != "" {
		switch path[0] {
		case '.':
			path = path[1:]
		case '[':
			inside, rest, found := strings.Cut(path[1:], "]")
			if !found {
				return all
			}
			all, path = append(all, inside), rest
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			all, path = append(all, path[:end]), path[end:]
		}
	}
	return all
}
