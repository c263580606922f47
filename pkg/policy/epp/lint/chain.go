// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strconv"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// A buffer is the text of a configuration that findings are mended in.
type buffer struct{ *edit.Buffer }

func newBuffer(text string) *buffer { return &buffer{edit.New(text)} }

// A link is one step of a path: an entry of a collection.
type link struct {
	parent *yamlv3.Node
	index  int
}

// key is nil for an element of a list.
func (l link) key() *yamlv3.Node {
	if l.parent.Kind == yamlv3.MappingNode {
		return l.parent.Content[2*l.index]
	}
	return nil
}

func (l link) value() *yamlv3.Node {
	if l.parent.Kind == yamlv3.MappingNode {
		return l.parent.Content[2*l.index+1]
	}
	return l.parent.Content[l.index]
}

// chain follows a path from the root; it is nil where the path leaves the
// document or goes through an alias.
func chain(root *yamlv3.Node, path string) []link {
	var links []link
	n := root
	for _, step := range steps(path) {
		if n == nil {
			return nil
		}
		at := -1
		switch n.Kind {
		case yamlv3.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
				at = i
			}
		case yamlv3.MappingNode:
			at = keyIndex(n, step)
		}
		if at < 0 {
			return nil
		}
		links = append(links, link{n, at})
		n = links[len(links)-1].value()
	}
	return links
}

func keyIndex(n *yamlv3.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i / 2
		}
	}
	return -1
}

// removeAt takes what a path leads to out of the document, and what holds
// nothing else with it.
func (b *buffer) removeAt(path string) []edit.Splice {
	for _, l := range slices.Backward(chain(b.Root, path)) {
		if splices := b.Remove(l.parent, l.index); splices != nil {
			return splices
		}
		if l.parent.Kind == yamlv3.MappingNode && len(l.parent.Content) > 2 || l.parent.Kind == yamlv3.SequenceNode && len(l.parent.Content) > 1 {
			return nil
		}
	}
	return nil
}

// last is the last link of a path, or none.
func (b *buffer) last(path string) (link, bool) {
	links := chain(b.Root, path)
	if len(links) == 0 {
		return link{}, false
	}
	return links[len(links)-1], true
}

// renameKey gives the entry that a path leads to another name.
func (b *buffer) renameKey(path, name string) []edit.Splice {
	l, ok := b.last(path)
	if !ok || l.key() == nil || keyIndex(l.parent, name) >= 0 {
		return nil
	}
	return b.Replace(l.key(), name)
}

// replaceAt writes another scalar at a path.
func (b *buffer) replaceAt(path, text string) []edit.Splice {
	l, ok := b.last(path)
	if !ok {
		return nil
	}
	return b.Replace(l.value(), text)
}
