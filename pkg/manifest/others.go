// SPDX-License-Identifier: Apache-2.0

package manifest

import "slices"

// A Document is an object of a kind that is not Windtunnel's.
type Document struct {
	Kind string
	Text []byte
	in   document
}

// Documents returns the documents of a text that are of one of these kinds. What is no YAML
// has none.
func Documents(text []byte, kinds ...string) []Document {
	all, err := split(text)
	if err != nil {
		return nil
	}
	var found []Document
	for _, d := range all {
		if root := d.node(); root != nil {
			if _, kind := step(root, "kind"); kind != nil && slices.Contains(kinds, kind.Value) {
				found = append(found, Document{kind.Value, d.text, d})
			}
		}
	}
	return found
}

// Name is the name of the object; empty where it has none.
func (d Document) Name() string {
	_, metadata := step(d.in.node(), "metadata")
	if metadata == nil {
		return ""
	}
	_, name := step(metadata, "name")
	if name == nil {
		return ""
	}
	return name.Value
}

// LineOf is the line of a field in the text.
func (d Document) LineOf(path string) int { return d.in.lineOf(d.in.node(), path) }
