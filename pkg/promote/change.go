// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Step leads to a field of an object, or to an entry of a list by its name, or by its
// number from 0 where entries have no names.
type Step struct {
	Name  string
	Entry bool
}

// A Change gives a field of a configuration a value. The path is one of the
// configuration as the EPP sees it, with defaults filled in, in which entries of lists
// have names: schedulingProfiles[default].plugins[queue-scorer].weight.
type Change struct {
	Path []Step
	// Value is a json.Number, a string or a bool.
	Value any
}

// String prints a change as path = value.
func (c Change) String() string { return fmt.Sprintf("%s = %v", pathText(c.Path), c.Value) }

func pathText(path []Step) string {
	var b strings.Builder
	for i, s := range path {
		switch {
		case s.Entry:
			b.WriteString("[" + s.Name + "]")
		case i > 0:
			b.WriteString("." + s.Name)
		default:
			b.WriteString(s.Name)
		}
	}
	return b.String()
}

// An object and a list are those of a configuration as the EPP sees it.
type (
	object = map[string]any
	list   = []any
)

// at follows a path in the EPP's view; nil where it ends.
func at(root any, path []Step) any {
	for _, s := range path {
		switch v := root.(type) {
		case object:
			root = v[s.Name]
		case list:
			root = entry(v, s.Name)
		default:
			return nil
		}
	}
	return root
}

// entry is a list's entry of a name, or of a number where no entry has a name; nil where
// there is none.
func entry(entries list, name string) any {
	named := false
	for _, e := range entries {
		o, ok := e.(object)
		if ok && entryName(o) == name {
			return o
		}
		named = named || ok && entryName(o) != ""
	}
	if i, ok := numbered(name, len(entries)); ok && !named {
		return entries[i]
	}
	return nil
}

// numbered reads the number of one of n entries.
func numbered(name string, n int) (int, bool) {
	i, err := strconv.Atoi(name)
	return i, err == nil && i >= 0 && i < n && strconv.Itoa(i) == name
}

// entryName is how a path names a list's entry.
func entryName(o object) string {
	for _, key := range []string{"name", "pluginRef"} {
		if name, ok := o[key].(string); ok {
			return name
		}
	}
	return ""
}

// same reports whether two values of the EPP's view are equal.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
