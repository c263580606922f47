// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// A Tree is a scenario as JSON, whose fields parameters set by path.
type Tree = setup.Tree

// entryKeys are the fields that name the entries of lists, in order of
// preference: an EndpointPickerConfig's profiles refer to plugins by
// pluginRef, SLOs are named by class, tiers by kind, routers by model, backends by router.
var entryKeys = []string{"name", "pluginRef", "class", "kind", "model", "router"}

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
	i, err := entryIndex(list, s)
	if err != nil {
		return nil, err
	}
	return list[i], nil
}

// entryIndex finds the entry of a list that a segment names. A number from 0 names an entry
// of a list whose entries have no names, in the one spelling that equal paths share.
func entryIndex(list []any, s Segment) (int, error) {
	if i := slices.IndexFunc(list, func(e any) bool { return s.Name != "" && entryName(e) == s.Name }); i >= 0 {
		return i, nil
	}
	i, err := strconv.Atoi(s.Name)
	if err == nil && i >= 0 && i < len(list) && strconv.Itoa(i) == s.Name && !haveNames(list) {
		return i, nil
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("there is no entry %s; the list is empty", s)
	}
	return 0, fmt.Errorf("there is no entry %s; there are %s", s, entriesOf(list))
}

// haveNames reports whether entries of a list have names.
func haveNames(list []any) bool {
	return slices.ContainsFunc(list, func(e any) bool { return entryName(e) != "" })
}

// entriesOf says how paths name the entries of a list.
func entriesOf(list []any) string {
	switch {
	case haveNames(list):
	case len(list) == 1:
		return "[0], since the entry has no name"
	default:
		return fmt.Sprintf("[0] to [%d], since the entries have no names", len(list)-1)
	}
	var names []string
	for _, e := range list {
		if name := entryName(e); name != "" {
			names = append(names, name)
		}
	}
	return spelling.Quote(names)
}

// leadsToList is the error of a path that ends at a list.
func leadsToList(list []any) error {
	if len(list) == 0 {
		return fmt.Errorf("leads to a list, which is empty")
	}
	return fmt.Errorf("leads to a list; name one of its entries in brackets: there are %s", entriesOf(list))
}

// entryName is the name of a list's entry; empty where it has none.
func entryName(v any) string {
	object, _ := v.(Tree)
	for _, key := range entryKeys {
		if name, ok := object[key].(string); ok && name != "" {
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
// absent; lists and their entries must be there. Nothing below the root is written to but
// copied: trees may share what is below their roots.
func Assign(root Tree, path []Segment, value any) error {
	var at any = root
	for _, s := range path[:len(path)-1] {
		next, err := child(at, s)
		if err != nil {
			return err
		}
		next = copied(next)
		if err := put(at, s, next); err != nil {
			return err
		}
		at = next
	}
	err := put(at, path[len(path)-1], value)
	if errors.Is(err, errNoPlace) {
		return fmt.Errorf("%s is not a field that can be set", Render(path))
	}
	return err
}

// copied is a copy of an object or a list with what it holds; an object of what is absent.
func copied(v any) any {
	switch v := v.(type) {
	case nil:
		return Tree{}
	case Tree:
		return maps.Clone(v)
	case []any:
		return slices.Clone(v)
	default:
		return v
	}
}

// errNoPlace says that a segment does not lead from a value.
var errNoPlace = errors.New("no place")

// put sets what a segment leads to.
func put(at any, s Segment, value any) error {
	switch at := at.(type) {
	case Tree:
		if !s.Entry {
			at[s.Name] = value
			return nil
		}
	case []any:
		if s.Entry {
			i, err := entryIndex(at, s)
			if err == nil {
				at[i] = value
			}
			return err
		}
	}
	return errNoPlace
}

func fieldNames(object Tree) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
