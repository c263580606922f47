// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// A Tree is a scenario as JSON, whose fields parameters set by path.
type Tree = setup.Tree

// entryKeys are the fields that name the entries of lists, in order of
// preference: an EndpointPickerConfig's profiles refer to plugins by
// pluginRef, SLOs are named by class, tiers by kind, routers by model.
var entryKeys = []string{"name", "pluginRef", "class", "kind", "model"}

// ToTree converts a value to its JSON form.
func ToTree(v any) (Tree, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return parseTree(raw)
}

func parseTree(raw []byte) (Tree, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var t Tree
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	return t, nil
}

// CloneTree copies a tree and all beneath it.
func CloneTree(v any) any {
	switch v := v.(type) {
	case Tree:
		c := make(Tree, len(v))
		for k, e := range v {
			c[k] = CloneTree(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = CloneTree(e)
		}
		return c
	default:
		return v
	}
}

// child follows one segment. An absent field is nil, without an error: what
// may stand there is for the caller to know.
func child(v any, s Segment) (any, error) {
	if !s.Entry {
		object, ok := v.(Tree)
		if !ok {
			return nil, fmt.Errorf("%s is not an object's field", s)
		}
		return object[s.Name], nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s does not follow a list", s)
	}
	var names []string
	for _, e := range list {
		name := entryName(e)
		if name == s.Name {
			return e, nil
		}
		names = append(names, name)
	}
	return nil, fmt.Errorf("there is no entry %s; there are %s", s, spelling.Quote(names))
}

func entryName(v any) string {
	object, _ := v.(Tree)
	for _, key := range entryKeys {
		if name, ok := object[key].(string); ok {
			return name
		}
	}
	return ""
}

// Lookup returns what a path leads to; nil where it leads to nothing.
func Lookup(root Tree, path []Segment) any {
	var at any = root
	for _, s := range path {
		next, err := child(at, s)
		if err != nil {
			return nil
		}
		at = next
	}
	return at
}

// Assign sets the field at a path. Objects on the way are made where they are
// absent; lists and their entries must be there.
func Assign(root Tree, path []Segment, value any) error {
	var at any = root
	for _, s := range path[:len(path)-1] {
		next, err := child(at, s)
		if err != nil {
			return err
		}
		if next == nil {
			next = Tree{}
			at.(Tree)[s.Name] = next
		}
		at = next
	}
	object, ok := at.(Tree)
	if last := path[len(path)-1]; ok && !last.Entry {
		object[last.Name] = value
		return nil
	}
	return fmt.Errorf("%s is not a field that can be set", Render(path))
}

func fieldNames(object Tree) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// MustJSON encodes a value that was decoded from JSON.
func MustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal %T: %v", v, err))
	}
	return raw
}
